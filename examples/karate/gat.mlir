// A graph attention network of two layers (Velickovic and others, ICLR 2018) on Zachary's karate club. A layer has four heads, which are
// four instances of a stage with weights of their own in the Heap:
//
//     h = X W,   score[i][j] = leaky(h[i] . a + h[j] . c) where i and j are tied, or the same,   alpha = softmax by rows,   alpha h
//
// The first layer puts the heads side by side, with a bias and ELU; the second one takes their mean, and a bias. 34 members see each
// other in one table of 34 x 34, so rows are not worth their while here (gcn.mlir has them).
//
//     gpuvm-run gat.gvplan --input=x=@x.npy --input=first=@first.npy --input=second=@second.npy --input=w1=@gat.w1.npy ... \
//         --output=logits --output=side
//
// A head of the first layer whose attention is as good as flat (its entropy is more than 0.99 of what it is if all neighbours count
// alike) has the status ATTENTION. Features and ties are judged as in gcn.mlir: what is not sound leaves both layers dormant.

!members = tensor<34xi32>
!features = tensor<34x34xf32>
!table = tensor<34x34xf32>
!ties = tensor<78xi32>
!column = tensor<34xf32>
!head = tensor<34x8xf32>
!heads = tensor<4x34x8xf32>
!wide = tensor<34x32xf32>
!logits = tensor<34x2xf32>
!votes = tensor<4x34x2xf32>
!real = tensor<f32>
!word = tensor<i32>
#own = affine_map<(i) -> (i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#each = affine_map<(i, j) -> (i, j)>

gpuvm.program @gat(%x: !features, %first: !ties, %second: !ties)
    -> (logits: !logits, side: !members, status: !word, heads: tensor<4xi32>, flatness: tensor<4xf32>) {
  gpuvm.heap @w1 : tensor<4x34x8xf32>
  gpuvm.heap @a1 : tensor<4x8xf32>
  gpuvm.heap @c1 : tensor<4x8xf32>
  gpuvm.heap @b1 : tensor<4x8xf32>
  gpuvm.heap @w2 : tensor<4x32x2xf32>
  gpuvm.heap @a2 : tensor<4x2xf32>
  gpuvm.heap @c2 : tensor<4x2xf32>
  gpuvm.heap @b2 : tensor<2xf32>
  gpuvm.metric @strays : !word

  // Features as they are, but 0 for what is no finite number.
  %taken = gpuvm.stage @take(%v = %x : !features) -> !features {
    %e = tensor.empty() : !features
    %b = tensor.empty() : tensor<34x34xi32>
    %clean, %bad = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel"]}
        ins(%v : !features) outs(%e, %b : !features, tensor<34x34xi32>) {
    ^bb0(%one: f32, %o0: f32, %o1: i32):
      %infinity = arith.constant 0x7F800000 : f32
      %nothing = arith.constant 0.0 : f32
      %yes = arith.constant 1 : i32
      %no = arith.constant 0 : i32
      %size = math.absf %one : f32
      %isFinite = arith.cmpf olt, %size, %infinity : f32
      %c = arith.select %isFinite, %one, %nothing : f32
      %w = arith.select %isFinite, %no, %yes : i32
      linalg.yield %c, %w : f32, i32
    } -> (!features, tensor<34x34xi32>)
    %none = arith.constant dense<0> : !word
    %anomaly = linalg.reduce { arith.maxsi } ins(%bad : tensor<34x34xi32>) outs(%none : !word) dimensions = [0, 1]
    gpuvm.send %clean : !features status(%anomaly : !word)
  }

  %sound = gpuvm.stage @judge(%v = %taken : !gpuvm.message<!features>) -> tensor<i1> {
    %status = gpuvm.metadata status of %v : !features -> !word
    %n = gpuvm.metadata norm of %v : !features -> !real
    %ok = arith.constant dense<0> : !word
    %most = arith.constant dense<1.0e+06> : !real
    %isOk = arith.cmpi eq, %status, %ok : !word
    %isSmall = arith.cmpf ole, %n, %most : !real
    %c = arith.andi %isOk, %isSmall : tensor<i1>
    %yes = arith.extui %c : tensor<i1> to !word
    %one = arith.constant dense<1> : !word
    %anomaly = arith.subi %one, %yes : !word
    gpuvm.send %c : tensor<i1> status(%anomaly : !word)
  }

  // Who sees whom: 1 where two members are tied, or are the same.
  %sees = gpuvm.stage @table(%a = %first : !ties, %b = %second : !ties) -> tensor<34x34xi32> {
    %e = tensor.empty() : !ties
    %places:3 = linalg.generic {indexing_maps = [#own, #own, #own, #own, #own], iterator_types = ["parallel"]}
        ins(%a, %b : !ties, !ties) outs(%e, %e, %e : !ties, !ties, !ties) {
    ^bb0(%i: i32, %j: i32, %o0: i32, %o1: i32, %o2: i32):
      %members = arith.constant 34 : i32
      %nowhere = arith.constant -1 : i32
      %yes = arith.constant 1 : i32
      %no = arith.constant 0 : i32
      %has0 = arith.cmpi ult, %i, %members : i32
      %has1 = arith.cmpi ult, %j, %members : i32
      %isTie = arith.andi %has0, %has1 : i1
      %p0 = arith.muli %i, %members : i32
      %p1 = arith.addi %p0, %j : i32
      %q0 = arith.muli %j, %members : i32
      %q1 = arith.addi %q0, %i : i32
      %p = arith.select %isTie, %p1, %nowhere : i32
      %q = arith.select %isTie, %q1, %nowhere : i32
      %s = arith.select %isTie, %no, %yes : i32
      linalg.yield %p, %q, %s : i32, i32, i32
    } -> (!ties, !ties, !ties)
    %zero = arith.constant dense<0> : !word
    %strays = linalg.reduce { arith.addi } ins(%places#2 : !ties) outs(%zero : !word) dimensions = [0]
    gpuvm.store %strays, @strays : !word
    %both = tensor.concat dim(0) %places#0, %places#1 : (!ties, !ties) -> tensor<156xi32>
    %some = tensor.empty() : tensor<34x34xi32>
    %unit = linalg.generic {indexing_maps = [#each], iterator_types = ["parallel", "parallel"]} outs(%some : tensor<34x34xi32>) {
    ^bb0(%unused: i32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %isOwn = arith.cmpi eq, %i, %j : index
      %one = arith.extui %isOwn : i1 to i32
      linalg.yield %one : i32
    } -> tensor<34x34xi32>
    %flat = tensor.collapse_shape %unit [[0, 1]] : tensor<34x34xi32> into tensor<1156xi32>
    %ones = arith.constant dense<1> : tensor<156xi32>
    %set = gpuvm.scatter max %ones at %both into %flat : (tensor<156xi32>, tensor<156xi32>, tensor<1156xi32>) -> tensor<1156xi32>
    %t = tensor.expand_shape %set [[0, 1]] output_shape [34, 34] : tensor<1156xi32> into tensor<34x34xi32>
    gpuvm.send %t : tensor<34x34xi32>
  }

  %look, %flatness = gpuvm.stage @look instances(4) when(shared %sound : !gpuvm.message<tensor<i1>>)
      (%v = shared %taken : !gpuvm.message<!features>, %tied = shared %sees : !gpuvm.message<tensor<34x34xi32>>) -> (!heads, tensor<4xf32>) {
    %w = gpuvm.load own @w1 : !head
    %a = gpuvm.load own @a1 : tensor<8xf32>
    %c = gpuvm.load own @c1 : tensor<8xf32>
    %b = gpuvm.load own @b1 : tensor<8xf32>
    %zeros = arith.constant dense<0.0> : !head
    %none = arith.constant dense<0.0> : !column
    %lowest = arith.constant dense<0xFF800000> : !column
    %e = tensor.empty() : !table
    %h = linalg.matmul ins(%v, %w : !features, !head) outs(%zeros : !head) -> !head
    %s = linalg.matvec ins(%h, %a : !head, tensor<8xf32>) outs(%none : !column) -> !column
    %t = linalg.matvec ins(%h, %c : !head, tensor<8xf32>) outs(%none : !column) -> !column
    %score = linalg.generic {indexing_maps = [#row, #column, #each, #each], iterator_types = ["parallel", "parallel"]}
        ins(%s, %t, %tied : !column, !column, tensor<34x34xi32>) outs(%e : !table) {
    ^bb0(%mine: f32, %its: f32, %is: i32, %unused: f32):
      %zero = arith.constant 0.0 : f32
      %no = arith.constant 0 : i32
      %slope = arith.constant 0.2 : f32
      %never = arith.constant 0xFF800000 : f32
      %raw = arith.addf %mine, %its : f32
      %less = arith.mulf %slope, %raw : f32
      %isMore = arith.cmpf ogt, %raw, %zero : f32
      %leaky = arith.select %isMore, %raw, %less : f32
      %isTied = arith.cmpi ne, %is, %no : i32
      %r = arith.select %isTied, %leaky, %never : f32
      linalg.yield %r : f32
    } -> !table
    %most = linalg.reduce { arith.maximumf } ins(%score : !table) outs(%lowest : !column) dimensions = [1]
    %weight = linalg.generic {indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
        ins(%score, %most : !table, !column) outs(%e : !table) {
    ^bb0(%one: f32, %top: f32, %unused: f32):
      %d = arith.subf %one, %top : f32
      %r = math.exp %d : f32
      linalg.yield %r : f32
    } -> !table
    %all = linalg.reduce { arith.addf } ins(%weight : !table) outs(%none : !column) dimensions = [1]
    %alpha = linalg.generic {indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
        ins(%weight, %all : !table, !column) outs(%e : !table) {
    ^bb0(%one: f32, %sum: f32, %unused: f32):
      %r = arith.divf %one, %sum : f32
      linalg.yield %r : f32
    } -> !table
    %seen = linalg.matmul ins(%alpha, %h : !table, !head) outs(%zeros : !head) -> !head
    %out = linalg.generic {indexing_maps = [#each, #column, #each], iterator_types = ["parallel", "parallel"]}
        ins(%seen, %b : !head, tensor<8xf32>) outs(%zeros : !head) {
    ^bb0(%one: f32, %bias: f32, %unused: f32):
      %zero = arith.constant 0.0 : f32
      %unit = arith.constant 1.0 : f32
      %z = arith.addf %one, %bias : f32
      %below = arith.minimumf %z, %zero : f32
      %power = math.exp %below : f32
      %curve = arith.subf %power, %unit : f32
      %isMore = arith.cmpf ogt, %z, %zero : f32
      %elu = arith.select %isMore, %z, %curve : f32
      linalg.yield %elu : f32
    } -> !head
    // Entropy of the attention of all members together, and what it is at most: the logarithms of how many they see.
    %nothing = arith.constant dense<0.0> : !real
    %spread = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel"]}
        ins(%alpha : !table) outs(%e : !table) {
    ^bb0(%p: f32, %unused: f32):
      %tiny = arith.constant 1.0e-37 : f32
      %some = arith.maximumf %p, %tiny : f32
      %log = math.log %some : f32
      %part = arith.mulf %p, %log : f32
      %r = arith.negf %part : f32
      linalg.yield %r : f32
    } -> !table
    %entropy = linalg.reduce { arith.addf } ins(%spread : !table) outs(%nothing : !real) dimensions = [0, 1]
    %whole = arith.uitofp %tied : tensor<34x34xi32> to !table
    %degree = linalg.reduce { arith.addf } ins(%whole : !table) outs(%none : !column) dimensions = [1]
    %logs = math.log %degree : !column
    %most1 = linalg.reduce { arith.addf } ins(%logs : !column) outs(%nothing : !real) dimensions = [0]
    %least = arith.constant dense<1.0e-30> : !real
    %divisor = arith.maximumf %most1, %least : !real
    %flat = arith.divf %entropy, %divisor : !real
    %limit = arith.constant dense<0.99> : !real
    %isFlat = arith.cmpf ogt, %flat, %limit : !real
    %ok = arith.constant dense<0> : !word
    %attention = arith.constant dense<2> : !word
    %status = arith.select %isFlat, %attention, %ok : tensor<i1>, !word
    gpuvm.send %out, %flat : !head, !real status(%status : !word)
  }

  // The heads side by side, and what each of them said.
  %wide, %words = gpuvm.stage @join(%v = %look : !gpuvm.message<!heads>) -> (!wide, tensor<4xi32>) {
    %words = gpuvm.metadata status of %v : !heads -> tensor<4xi32>
    %e = tensor.empty() : tensor<34x4x8xf32>
    %t = linalg.transpose ins(%v : !heads) outs(%e : tensor<34x4x8xf32>) permutation = [1, 0, 2]
    %w = tensor.collapse_shape %t [[0], [1, 2]] : tensor<34x4x8xf32> into !wide
    gpuvm.send %w, %words : !wide, tensor<4xi32>
  }

  %votes = gpuvm.stage @vote instances(4) when(shared %sound : !gpuvm.message<tensor<i1>>)
      (%v = shared %wide : !gpuvm.message<!wide>, %tied = shared %sees : !gpuvm.message<tensor<34x34xi32>>) -> !votes {
    %w = gpuvm.load own @w2 : tensor<32x2xf32>
    %a = gpuvm.load own @a2 : tensor<2xf32>
    %c = gpuvm.load own @c2 : tensor<2xf32>
    %zeros = arith.constant dense<0.0> : !logits
    %none = arith.constant dense<0.0> : !column
    %lowest = arith.constant dense<0xFF800000> : !column
    %e = tensor.empty() : !table
    %h = linalg.matmul ins(%v, %w : !wide, tensor<32x2xf32>) outs(%zeros : !logits) -> !logits
    %s = linalg.matvec ins(%h, %a : !logits, tensor<2xf32>) outs(%none : !column) -> !column
    %t = linalg.matvec ins(%h, %c : !logits, tensor<2xf32>) outs(%none : !column) -> !column
    %score = linalg.generic {indexing_maps = [#row, #column, #each, #each], iterator_types = ["parallel", "parallel"]}
        ins(%s, %t, %tied : !column, !column, tensor<34x34xi32>) outs(%e : !table) {
    ^bb0(%mine: f32, %its: f32, %is: i32, %unused: f32):
      %zero = arith.constant 0.0 : f32
      %no = arith.constant 0 : i32
      %slope = arith.constant 0.2 : f32
      %never = arith.constant 0xFF800000 : f32
      %raw = arith.addf %mine, %its : f32
      %less = arith.mulf %slope, %raw : f32
      %isMore = arith.cmpf ogt, %raw, %zero : f32
      %leaky = arith.select %isMore, %raw, %less : f32
      %isTied = arith.cmpi ne, %is, %no : i32
      %r = arith.select %isTied, %leaky, %never : f32
      linalg.yield %r : f32
    } -> !table
    %most = linalg.reduce { arith.maximumf } ins(%score : !table) outs(%lowest : !column) dimensions = [1]
    %weight = linalg.generic {indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
        ins(%score, %most : !table, !column) outs(%e : !table) {
    ^bb0(%one: f32, %top: f32, %unused: f32):
      %d = arith.subf %one, %top : f32
      %r = math.exp %d : f32
      linalg.yield %r : f32
    } -> !table
    %all = linalg.reduce { arith.addf } ins(%weight : !table) outs(%none : !column) dimensions = [1]
    %sums = linalg.matmul ins(%weight, %h : !table, !logits) outs(%zeros : !logits) -> !logits
    %out = linalg.generic {indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
        ins(%sums, %all : !logits, !column) outs(%zeros : !logits) {
    ^bb0(%one: f32, %sum: f32, %unused: f32):
      %r = arith.divf %one, %sum : f32
      linalg.yield %r : f32
    } -> !logits
    gpuvm.send %out : !logits
  }

  // The mean of the heads, and the side with the greater logit.
  %nobody = arith.constant dense<-1> : !members
  %unknown = arith.constant dense<0.0> : !logits
  %logits, %side = gpuvm.stage @decide when(%sound : !gpuvm.message<tensor<i1>>) (%v = %votes : !gpuvm.message<!votes>,
      %none = %unknown : !logits, %never = %nobody : !members) -> (!logits, !members) {
    %b = gpuvm.load @b2 : tensor<2xf32>
    %zeros = arith.constant dense<0.0> : !logits
    %sum = linalg.reduce { arith.addf } ins(%v : !votes) outs(%zeros : !logits) dimensions = [0]
    %mean = linalg.generic {indexing_maps = [#each, #column, #each], iterator_types = ["parallel", "parallel"]}
        ins(%sum, %b : !logits, tensor<2xf32>) outs(%zeros : !logits) {
    ^bb0(%one: f32, %bias: f32, %unused: f32):
      %quarter = arith.constant 0.25 : f32
      %m = arith.mulf %one, %quarter : f32
      %r = arith.addf %m, %bias : f32
      linalg.yield %r : f32
    } -> !logits
    %l0 = tensor.extract_slice %mean[0, 0] [34, 1] [1, 1] : !logits to !column
    %l1 = tensor.extract_slice %mean[0, 1] [34, 1] [1, 1] : !logits to !column
    %is1 = arith.cmpf ogt, %l1, %l0 : !column
    %s = arith.extui %is1 : tensor<34xi1> to !members
    gpuvm.send %mean, %s : !logits, !members else %none, %never : !logits, !members
  }

  // ANOMALY: features were not sound; ATTENTION: a head looks at all alike.
  %status = gpuvm.stage @report(%c = %sound : !gpuvm.message<tensor<i1>>, %h = %look : !gpuvm.message<!heads>) -> !word {
    %judged = gpuvm.metadata status of %c : tensor<i1> -> !word
    %looked = gpuvm.metadata status of %h : !heads -> !word
    %r = arith.maxsi %judged, %looked : !word
    gpuvm.send %r : !word
  }
  gpuvm.return %logits, %side, %status, %words, %flatness : !gpuvm.message<!logits>, !gpuvm.message<!members>, !gpuvm.message<!word>,
      !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<4xf32>>
}
