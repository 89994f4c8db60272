// A graph convolutional network of two layers (Kipf and Welling, ICLR 2017) on Zachary's karate club:
//
//     logits = A relu(A X W1 + b1) W2 + b2,     A[i][j] = (ties of i and j) / sqrt(d[i] d[j])
//
// with a tie of each member to itself, so that d >= 1. The weights are in the Heap. A comes from the list of ties, by rows (CSR).
//
//     gpuvm-run gcn.gvplan --input=x=@x.npy --input=first=@first.npy --input=second=@second.npy --input=w1=@gcn.w1.npy \
//         --input=b1=@gcn.b1.npy --input=w2=@gcn.w2.npy --input=b2=@gcn.b2.npy --output=logits --output=side
//
// @judge is a regulator: if @take found a feature that is no finite number (status ANOMALY), or their norm is above 1e6, both layers
// stay dormant, and nobody has a side (-1). A tie with an end that is nobody is left out and counted in @strays. The status of the
// answer is ATTENTION if somebody's side is less than 60 % sure.

!members = tensor<34xi32>
!features = tensor<34x34xf32>
!ties = tensor<78xi32>
!rows = tensor<190xi32>           // both directions, and each member's own
!factors = tensor<190xf32>
!offsets = tensor<35xi32>
!hidden = tensor<34x16xf32>
!logits = tensor<34x2xf32>
!real = tensor<f32>
!word = tensor<i32>
#own = affine_map<(i) -> (i)>
#row = affine_map<(i, f) -> (i)>
#column = affine_map<(i, f) -> (f)>
#each = affine_map<(i, f) -> (i, f)>

gpuvm.program @gcn(%x: !features, %first: !ties, %second: !ties)
    -> (logits: !logits, side: !members, sure: tensor<34xf32>, status: !word, norm: !real) {
  gpuvm.heap @w1 : tensor<34x16xf32>
  gpuvm.heap @b1 : tensor<16xf32>
  gpuvm.heap @w2 : tensor<16x2xf32>
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

  %sound, %norm = gpuvm.stage @judge(%v = %taken : !gpuvm.message<!features>) -> (tensor<i1>, !real) {
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
    gpuvm.send %c, %n : tensor<i1>, !real status(%anomaly : !word)
  }

  // The ties of each member, and how much each of them counts.
  %offsets, %others, %counts = gpuvm.stage @rows(%a = %first : !ties, %b = %second : !ties) -> (!offsets, !rows, !factors) {
    %e = tensor.empty() : !ties
    %ends:3 = linalg.generic {indexing_maps = [#own, #own, #own, #own, #own], iterator_types = ["parallel"]}
        ins(%a, %b : !ties, !ties) outs(%e, %e, %e : !ties, !ties, !ties) {
    ^bb0(%i: i32, %j: i32, %o0: i32, %o1: i32, %o2: i32):
      %members = arith.constant 34 : i32
      %yes = arith.constant 1 : i32
      %no = arith.constant 0 : i32
      %has0 = arith.cmpi ult, %i, %members : i32
      %has1 = arith.cmpi ult, %j, %members : i32
      %isTie = arith.andi %has0, %has1 : i1
      %k = arith.select %isTie, %i, %members : i32
      %l = arith.select %isTie, %j, %members : i32
      %s = arith.select %isTie, %no, %yes : i32
      linalg.yield %k, %l, %s : i32, i32, i32
    } -> (!ties, !ties, !ties)
    %zero = arith.constant dense<0> : !word
    %strays = linalg.reduce { arith.addi } ins(%ends#2 : !ties) outs(%zero : !word) dimensions = [0]
    gpuvm.store %strays, @strays : !word
    %loops = tensor.generate {
    ^bb0(%n: index):
      %number = arith.index_cast %n : index to i32
      tensor.yield %number : i32
    } : !members
    %from = tensor.concat dim(0) %ends#0, %ends#1, %loops : (!ties, !ties, !members) -> !rows
    %to = tensor.concat dim(0) %ends#1, %ends#0, %loops : (!ties, !ties, !members) -> !rows
    %sorted, %by = gpuvm.sort %from payloads(%to) : !rows, !rows
    %numbers = tensor.generate {
    ^bb0(%n: index):
      %number = arith.index_cast %n : index to i32
      tensor.yield %number : i32
    } : !offsets
    %o = gpuvm.search_sorted %sorted, %numbers : !rows, !offsets -> !offsets
    %f = tensor.empty() : !factors
    %factor = linalg.generic {indexing_maps = [#own, #own, #own], iterator_types = ["parallel"]}
        ins(%sorted, %by : !rows, !rows) outs(%f : !factors) {
    ^bb0(%i: i32, %j: i32, %unused: f32):
      %members = arith.constant 34 : i32
      %one = arith.constant 1 : index
      %isTie = arith.cmpi slt, %i, %members : i32
      %r = scf.if %isTie -> (f32) {
        %i0 = arith.index_cast %i : i32 to index
        %j0 = arith.index_cast %j : i32 to index
        %i1 = arith.addi %i0, %one : index
        %j1 = arith.addi %j0, %one : index
        %a0 = tensor.extract %o[%i0] : !offsets
        %a1 = tensor.extract %o[%i1] : !offsets
        %b0 = tensor.extract %o[%j0] : !offsets
        %b1 = tensor.extract %o[%j1] : !offsets
        %d0 = arith.subi %a1, %a0 : i32
        %d1 = arith.subi %b1, %b0 : i32
        %both = arith.muli %d0, %d1 : i32
        %degrees = arith.sitofp %both : i32 to f32
        %root = math.sqrt %degrees : f32
        %unit = arith.constant 1.0 : f32
        %q = arith.divf %unit, %root : f32
        scf.yield %q : f32
      } else {
        %nothing = arith.constant 0.0 : f32
        scf.yield %nothing : f32
      }
      linalg.yield %r : f32
    } -> !factors
    gpuvm.send %o, %by, %factor : !offsets, !rows, !factors
  }

  // relu(A X W1 + b1)
  %hidden = gpuvm.stage @hidden when(%sound : !gpuvm.message<tensor<i1>>) (%v = %taken : !gpuvm.message<!features>,
      %o = %offsets : !gpuvm.message<!offsets>, %to = %others : !gpuvm.message<!rows>, %factor = %counts : !gpuvm.message<!factors>) -> !hidden {
    %w = gpuvm.load @w1 : tensor<34x16xf32>
    %b = gpuvm.load @b1 : tensor<16xf32>
    %zero = arith.constant dense<0.0> : !real
    %zeros = arith.constant dense<0.0> : !hidden
    %h = linalg.matmul ins(%v, %w : !features, tensor<34x16xf32>) outs(%zeros : !hidden) -> !hidden
    %e = tensor.empty() : tensor<190x16xf32>
    %sent = linalg.generic {indexing_maps = [#row, #row, #each], iterator_types = ["parallel", "parallel"]}
        ins(%to, %factor : !rows, !factors) outs(%e : tensor<190x16xf32>) {
    ^bb0(%j: i32, %a: f32, %unused: f32):
      %f = linalg.index 1 : index
      %members = arith.constant 33 : i32
      %k = arith.minsi %j, %members : i32    // of a tie that is none, which counts 0
      %at = arith.index_cast %k : i32 to index
      %its = tensor.extract %h[%at, %f] : !hidden
      %p = arith.mulf %a, %its : f32
      linalg.yield %p : f32
    } -> tensor<190x16xf32>
    %sums = gpuvm.segment_reduce %sent by %o from %zero : (tensor<190x16xf32>, !offsets, !real) -> !hidden {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      gpuvm.yield %s : f32
    }
    %r = linalg.generic {indexing_maps = [#each, #column, #each], iterator_types = ["parallel", "parallel"]}
        ins(%sums, %b : !hidden, tensor<16xf32>) outs(%zeros : !hidden) {
    ^bb0(%s: f32, %bias: f32, %unused: f32):
      %nothing = arith.constant 0.0 : f32
      %z = arith.addf %s, %bias : f32
      %relu = arith.maximumf %z, %nothing : f32
      linalg.yield %relu : f32
    } -> !hidden
    gpuvm.send %r : !hidden
  }

  // A H W2 + b2
  %logits = gpuvm.stage @classes when(%sound : !gpuvm.message<tensor<i1>>) (%v = %hidden : !gpuvm.message<!hidden>,
      %o = %offsets : !gpuvm.message<!offsets>, %to = %others : !gpuvm.message<!rows>, %factor = %counts : !gpuvm.message<!factors>) -> !logits {
    %w = gpuvm.load @w2 : tensor<16x2xf32>
    %b = gpuvm.load @b2 : tensor<2xf32>
    %zero = arith.constant dense<0.0> : !real
    %zeros = arith.constant dense<0.0> : !logits
    %h = linalg.matmul ins(%v, %w : !hidden, tensor<16x2xf32>) outs(%zeros : !logits) -> !logits
    %e = tensor.empty() : tensor<190x2xf32>
    %sent = linalg.generic {indexing_maps = [#row, #row, #each], iterator_types = ["parallel", "parallel"]}
        ins(%to, %factor : !rows, !factors) outs(%e : tensor<190x2xf32>) {
    ^bb0(%j: i32, %a: f32, %unused: f32):
      %f = linalg.index 1 : index
      %members = arith.constant 33 : i32
      %k = arith.minsi %j, %members : i32
      %at = arith.index_cast %k : i32 to index
      %its = tensor.extract %h[%at, %f] : !logits
      %p = arith.mulf %a, %its : f32
      linalg.yield %p : f32
    } -> tensor<190x2xf32>
    %sums = gpuvm.segment_reduce %sent by %o from %zero : (tensor<190x2xf32>, !offsets, !real) -> !logits {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      gpuvm.yield %s : f32
    }
    %r = linalg.generic {indexing_maps = [#each, #column, #each], iterator_types = ["parallel", "parallel"]}
        ins(%sums, %b : !logits, tensor<2xf32>) outs(%zeros : !logits) {
    ^bb0(%s: f32, %bias: f32, %unused: f32):
      %z = arith.addf %s, %bias : f32
      linalg.yield %z : f32
    } -> !logits
    gpuvm.send %r : !logits
  }

  // The side with the greater logit, and its probability.
  %nobody = arith.constant dense<-1> : !members
  %unsure = arith.constant dense<0.0> : tensor<34xf32>
  %side, %sure = gpuvm.stage @decide when(%sound : !gpuvm.message<tensor<i1>>) (%v = %logits : !gpuvm.message<!logits>,
      %none = %nobody : !members, %never = %unsure : tensor<34xf32>) -> (!members, tensor<34xf32>) {
    %l0 = tensor.extract_slice %v[0, 0] [34, 1] [1, 1] : !logits to tensor<34xf32>
    %l1 = tensor.extract_slice %v[0, 1] [34, 1] [1, 1] : !logits to tensor<34xf32>
    %is1 = arith.cmpf ogt, %l1, %l0 : tensor<34xf32>
    %s = arith.extui %is1 : tensor<34xi1> to !members
    %d = arith.subf %l1, %l0 : tensor<34xf32>
    %a = math.absf %d : tensor<34xf32>
    %m = arith.negf %a : tensor<34xf32>
    %odds = math.exp %m : tensor<34xf32>
    %ones = arith.constant dense<1.0> : tensor<34xf32>
    %all = arith.addf %ones, %odds : tensor<34xf32>
    %p = arith.divf %ones, %all : tensor<34xf32>
    %one = arith.constant dense<1.0> : !real
    %least = linalg.reduce { arith.minimumf } ins(%p : tensor<34xf32>) outs(%one : !real) dimensions = [0]
    %enough = arith.constant dense<0.6> : !real
    %isUnsure = arith.cmpf olt, %least, %enough : !real
    %ok = arith.constant dense<0> : !word
    %attention = arith.constant dense<2> : !word
    %status = arith.select %isUnsure, %attention, %ok : tensor<i1>, !word
    gpuvm.send %s, %p : !members, tensor<34xf32> else %none, %never : !members, tensor<34xf32> status(%status : !word)
  }

  %status = gpuvm.stage @report(%c = %sound : !gpuvm.message<tensor<i1>>, %s = %side : !gpuvm.message<!members>) -> !word {
    %judged = gpuvm.metadata status of %c : tensor<i1> -> !word
    %decided = gpuvm.metadata status of %s : !members -> !word
    %r = arith.maxsi %judged, %decided : !word
    gpuvm.send %r : !word
  }
  gpuvm.return %logits, %side, %sure, %status, %norm : !gpuvm.message<!logits>, !gpuvm.message<!members>, !gpuvm.message<tensor<34xf32>>,
      !gpuvm.message<!word>, !gpuvm.message<!real>
}
