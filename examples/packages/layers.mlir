// Layers of a graph network over three types of edges, until neighbours are alike.
//
// Node v has 16 features h[v]. In a layer each type of edges (0 depends, 1 recommends, 2 suggests) is an instance of its own, and sends
// each node the mean of its neighbours over edges of this type, in both directions, weighted as the edges are:
//
//     m_t[v] = (sum over edges u - v of type t of w(u, v) h[u]) / (sum of w(u, v))
//
// @routing, a table in the Heap, says what these are worth, and what a node's own features are (entry 3):
//
//     h'[v] = (r_3 h[v] + sum over t of r_t m_t[v]) / (r_3 + sum over t of r_t)        over types that v has edges of, and that are awake
//
// Many layers make all nodes alike (over-smoothing). So an instance measures the Dirichlet energy of its type, the mean over its edges
// of |h[u] - h[v]|^2, and if that is less than @limit of what it was at the beginning its message has the status ATTENTION. The monitor
// reads these words, and parks such types: they neither send nor are they routed any more. With all three parked the loop ends.
//
//     gpuvm-run layers.gvplan --input=x=@x.npy --input=source=@source.npy --input=target=@target.npy --input=weight=@weight.npy \
//         --input=limit=f32=0.05 --output=y=@y.npy --output=layers --output=energies=@energies.npy
//
// Edges are as in rank.mlir, a row of them for each type, filled up with -1. A node with a feature that is no finite number has zeros,
// and is counted in @unfit; edges that are none are counted in @strays, by type. The status of all is ANOMALY if there is any.

gpuvm.parameter @nodes = 1000
gpuvm.parameter @edges = 2500 "of the type with most of them, or more: lists are filled up"
gpuvm.parameter @layers = 24 "at most"
gpuvm.parameter @run = 50 "edges that are summed first, a divisor of twice the edges"

!features = tensor<@nodes@x16xf32>
!three = tensor<3x@nodes@x16xf32>
!halves = tensor<@2 * edges@xi32>
!halfWeights = tensor<@2 * edges@xf32>
!runs = tensor<@2 * edges / run@x16xf32>
!degrees = tensor<@nodes@xf32>
!edges = tensor<@edges@xi32>
!weights = tensor<@edges@xf32>
!keeps = tensor<@edges@xi1>
!offsets = tensor<@nodes + 1@xi32>
!real = tensor<f32>
!word = tensor<i32>
!awake = tensor<3xi1>
!energies = tensor<3xf32>
#own = affine_map<(i) -> (i)>
#row = affine_map<(i, f) -> (i)>
#once = affine_map<(i, f) -> ()>
#each = affine_map<(i, f) -> (i, f)>

gpuvm.program @layers(%x: !features, %source: tensor<3x@edges@xi32>, %target: tensor<3x@edges@xi32>, %weight: tensor<3x@edges@xf32>)
    -> (y: !features, layers: !word, parked: tensor<3xi32>, status: !word) {
  gpuvm.heap @routing : tensor<4xf32> = dense<[1.0, 0.5, 0.25, 1.0]> : tensor<4xf32>
  gpuvm.heap @limit : !real
  gpuvm.metric @unfit : !word
  gpuvm.metric @strays : tensor<3xi32>
  gpuvm.metric @energies : tensor<@layers@x3xf32> = dense<0.0> : tensor<@layers@x3xf32>  // of the types, layer by layer

  %h0 = gpuvm.stage @clean(%v = %x : !features) -> !features {
    %none = arith.constant dense<0> : tensor<@nodes@xi32>
    %bad = linalg.generic {indexing_maps = [#each, #row], iterator_types = ["parallel", "reduction"]}
        ins(%v : !features) outs(%none : tensor<@nodes@xi32>) {
    ^bb0(%one: f32, %before: i32):
      %infinity = arith.constant 0x7F800000 : f32
      %size = math.absf %one : f32
      %isFinite = arith.cmpf olt, %size, %infinity : f32
      %yes = arith.constant 0 : i32
      %no = arith.constant 1 : i32
      %b = arith.select %isFinite, %yes, %no : i32
      %r = arith.maxsi %before, %b : i32
      linalg.yield %r : i32
    } -> tensor<@nodes@xi32>
    %zero = arith.constant dense<0> : !word
    %unfit = linalg.reduce { arith.addi } ins(%bad : tensor<@nodes@xi32>) outs(%zero : !word) dimensions = [0]
    gpuvm.store %unfit, @unfit : !word
    %e = tensor.empty() : !features
    %c = linalg.generic {indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
        ins(%v, %bad : !features, tensor<@nodes@xi32>) outs(%e : !features) {
    ^bb0(%one: f32, %b: i32, %o: f32):
      %none0 = arith.constant 0 : i32
      %nothing = arith.constant 0.0 : f32
      %isBad = arith.cmpi ne, %b, %none0 : i32
      %r = arith.select %isBad, %nothing, %one : f32
      linalg.yield %r : f32
    } -> !features
    %one = arith.constant dense<1> : !word
    %anomaly = arith.minsi %unfit, %one : !word
    gpuvm.send %c : !features status(%anomaly : !word)
  }

  // The neighbours of each node, type by type (CSR): an edge stands in it once for each of its ends.
  %offsets, %ends, %others, %heavy = gpuvm.stage @rows instances(3)
      (%s = %source : tensor<3x@edges@xi32>, %t = %target : tensor<3x@edges@xi32>, %w = %weight : tensor<3x@edges@xf32>)
      -> (tensor<3x@nodes + 1@xi32>, tensor<3x@2 * edges@xi32>, tensor<3x@2 * edges@xi32>, tensor<3x@2 * edges@xf32>) {
    %e0 = tensor.empty() : !edges
    %e1 = tensor.empty() : !weights
    %e2 = tensor.empty() : !keeps
    %kept:4 = linalg.generic {indexing_maps = [#own, #own, #own, #own, #own, #own, #own], iterator_types = ["parallel"]}
        ins(%s, %t, %w : !edges, !edges, !weights) outs(%e0, %e0, %e1, %e0 : !edges, !edges, !weights, !edges) {
    ^bb0(%begin: i32, %end: i32, %heavy: f32, %o0: i32, %o1: i32, %o2: f32, %o3: i32):
      %none = arith.constant 0 : i32
      %oneStray = arith.constant 1 : i32
      %filling = arith.constant -1 : i32
      %nodes = arith.constant @nodes@ : i32
      %nothing = arith.constant 0.0 : f32
      %infinity = arith.constant 0x7F800000 : f32
      %hasBegin = arith.cmpi ult, %begin, %nodes : i32
      %hasEnd = arith.cmpi ult, %end, %nodes : i32
      %isMore = arith.cmpf ogt, %heavy, %nothing : f32
      %isFinite = arith.cmpf olt, %heavy, %infinity : f32
      %hasEnds = arith.andi %hasBegin, %hasEnd : i1
      %hasWeight = arith.andi %isMore, %isFinite : i1
      %isEdge = arith.andi %hasEnds, %hasWeight : i1
      %both = arith.andi %begin, %end : i32
      %isFilling = arith.cmpi eq, %both, %filling : i32
      %isFine = arith.ori %isEdge, %isFilling : i1
      %stray = arith.select %isFine, %none, %oneStray : i32
      %a = arith.select %isEdge, %begin, %nodes : i32
      %b = arith.select %isEdge, %end, %nodes : i32
      %v = arith.select %isEdge, %heavy, %nothing : f32
      linalg.yield %a, %b, %v, %stray : i32, i32, f32, i32
    } -> (!edges, !edges, !weights, !edges)
    %zero = arith.constant dense<0> : !word
    %strays = linalg.reduce { arith.addi } ins(%kept#3 : !edges) outs(%zero : !word) dimensions = [0]
    gpuvm.store own %strays, @strays : !word
    %begins = tensor.concat dim(0) %kept#0, %kept#1 : (!edges, !edges) -> !halves
    %leads = tensor.concat dim(0) %kept#1, %kept#0 : (!edges, !edges) -> !halves
    %twice = tensor.concat dim(0) %kept#2, %kept#2 : (!weights, !weights) -> !halfWeights
    %sorted, %to, %worth = gpuvm.sort %begins payloads(%leads, %twice) : !halves, !halves, !halfWeights
    // Where the edges of each node begin: halving, since `gpuvm.search_sorted` does not stand in instances.
    %e3 = tensor.empty() : !offsets
    %first = linalg.generic {indexing_maps = [#own], iterator_types = ["parallel"]} outs(%e3 : !offsets) {
    ^bb0(%unused: i32):
      %n = linalg.index 0 : index
      %node = arith.index_cast %n : index to i32
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %size = arith.constant @2 * edges@ : i32
      %found:2 = scf.while (%low = %none, %high = %size) : (i32, i32) -> (i32, i32) {
        %isOpen = arith.cmpi slt, %low, %high : i32
        scf.condition(%isOpen) %low, %high : i32, i32
      } do {
      ^bb0(%low: i32, %high: i32):
        %together = arith.addi %low, %high : i32
        %middle = arith.shrui %together, %one : i32
        %at = arith.index_cast %middle : i32 to index
        %there = tensor.extract %sorted[%at] : !halves
        %isBefore = arith.cmpi slt, %there, %node : i32
        %behind = arith.addi %middle, %one : i32
        %l = arith.select %isBefore, %behind, %low : i32
        %h = arith.select %isBefore, %high, %middle : i32
        scf.yield %l, %h : i32, i32
      }
      linalg.yield %found#0 : i32
    } -> !offsets
    %one = arith.constant dense<1> : !word
    %anomaly = arith.minsi %strays, %one : !word
    gpuvm.send %first, %sorted, %to, %worth : !offsets, !halves, !halves, !halfWeights status(%anomaly : !word)
  }

  // What the edges of each type and node weigh together.
  %degrees = gpuvm.stage @weigh(%at = %ends : !gpuvm.message<tensor<3x@2 * edges@xi32>>, %w = %heavy : !gpuvm.message<tensor<3x@2 * edges@xf32>>)
      -> tensor<3x@nodes@xf32> {
    %e = tensor.empty() : tensor<3x@2 * edges@xi32>
    %places = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel"]}
        ins(%at : tensor<3x@2 * edges@xi32>) outs(%e : tensor<3x@2 * edges@xi32>) {
    ^bb0(%node: i32, %unused: i32):
      %t = linalg.index 0 : index
      %type = arith.index_cast %t : index to i32
      %nodes = arith.constant @nodes@ : i32
      %nowhere = arith.constant -1 : i32
      %isNode = arith.cmpi slt, %node, %nodes : i32
      %before = arith.muli %type, %nodes : i32
      %own = arith.addi %before, %node : i32
      %r = arith.select %isNode, %own, %nowhere : i32
      linalg.yield %r : i32
    } -> tensor<3x@2 * edges@xi32>
    %zeros = arith.constant dense<0.0> : tensor<@3 * nodes@xf32>
    %sums = gpuvm.scatter add %w at %places into %zeros : (tensor<3x@2 * edges@xf32>, tensor<3x@2 * edges@xi32>, tensor<@3 * nodes@xf32>) -> tensor<@3 * nodes@xf32>
    %d = tensor.expand_shape %sums [[0, 1]] output_shape [3, @nodes@] : tensor<@3 * nodes@xf32> into tensor<3x@nodes@xf32>
    gpuvm.send %d : tensor<3x@nodes@xf32>
  }

  %all = arith.constant dense<true> : !awake
  %unknown = arith.constant dense<0.0> : !energies
  %never = arith.constant dense<0> : !word
  %notYet = arith.constant dense<-1> : tensor<3xi32>
  %y, %still, %first, %count, %parked = gpuvm.repeat @layers_of up_to @layers@ (%h = %h0 : !gpuvm.message<!features>, %awake = %all : !awake,
      %begin = %unknown : !energies, %k = %never : !word, %since = %notYet : tensor<3xi32>) {
    // One type of edges: the means of the neighbours, and how much they differ.
    %means, %now = gpuvm.stage @relation instances(3) when(%awake : !gpuvm.message<!awake>)
        (%o = %offsets : !gpuvm.message<tensor<3x@nodes + 1@xi32>>, %at = %ends : !gpuvm.message<tensor<3x@2 * edges@xi32>>,
         %to = %others : !gpuvm.message<tensor<3x@2 * edges@xi32>>, %w = %heavy : !gpuvm.message<tensor<3x@2 * edges@xf32>>,
         %degree = %degrees : !gpuvm.message<tensor<3x@nodes@xf32>>, %v = shared %h : !gpuvm.message<!features>,
         %count = shared %k : !gpuvm.message<!word>, %was = %begin : !gpuvm.message<!energies>) -> (!three, !energies) {
      %zero = arith.constant dense<0.0> : !real
      // A node may have half of all edges. So runs of 50 edges that lie side by side are summed first, where all of them are one node's;
      // then each node sums what is in front of the first whole run, the runs, and what is behind the last one.
      %e0 = tensor.empty() : !runs
      %parts = linalg.generic {indexing_maps = [#each], iterator_types = ["parallel", "parallel"]} outs(%e0 : !runs) {
      ^bb0(%unused: f32):
        %r = linalg.index 0 : index
        %f = linalg.index 1 : index
        %one = arith.constant 1 : index
        %long = arith.constant @run@ : index
        %nodes = arith.constant @nodes@ : i32
        %nothing = arith.constant 0.0 : f32
        %from = arith.muli %r, %long : index
        %until = arith.addi %from, %long : index
        %last = arith.subi %until, %one : index
        %node = tensor.extract %at[%from] : !halves
        %node1 = tensor.extract %at[%last] : !halves
        %isOne = arith.cmpi eq, %node, %node1 : i32
        %isNode = arith.cmpi slt, %node, %nodes : i32
        %isWhole = arith.andi %isOne, %isNode : i1
        %sum = scf.if %isWhole -> (f32) {
          %s = scf.for %i = %from to %until step %one iter_args(%a = %nothing) -> (f32) {
            %other = tensor.extract %to[%i] : !halves
            %j = arith.index_cast %other : i32 to index
            %its = tensor.extract %v[%j, %f] : !features
            %by = tensor.extract %w[%i] : !halfWeights
            %product = arith.mulf %by, %its : f32
            %b = arith.addf %a, %product : f32
            scf.yield %b : f32
          }
          scf.yield %s : f32
        } else {
          scf.yield %nothing : f32
        }
        linalg.yield %sum : f32
      } -> !runs
      %e1 = tensor.empty() : !features
      %mean = linalg.generic {indexing_maps = [#row, #each], iterator_types = ["parallel", "parallel"]}
          ins(%degree : !degrees) outs(%e1 : !features) {
      ^bb0(%together: f32, %unused: f32):
        %i = linalg.index 0 : index
        %f = linalg.index 1 : index
        %one = arith.constant 1 : index
        %long = arith.constant @run@ : index
        %short = arith.constant @run - 1@ : index
        %nothing = arith.constant 0.0 : f32
        %least = arith.constant 1.0e-30 : f32     // of a node without edges: 0 / 1e-30
        %i1 = arith.addi %i, %one : index
        %first = tensor.extract %o[%i] : !offsets
        %behind = tensor.extract %o[%i1] : !offsets
        %begin0 = arith.index_cast %first : i32 to index
        %end0 = arith.index_cast %behind : i32 to index
        // Whole runs are number %r0 to %r1 - 1; with none of them all edges are in front.
        %up = arith.addi %begin0, %short : index
        %r0 = arith.divui %up, %long : index
        %r1 = arith.divui %end0, %long : index
        %hasRuns = arith.cmpi slt, %r0, %r1 : index
        %edge0 = arith.muli %r0, %long : index
        %edge1 = arith.muli %r1, %long : index
        %front = arith.select %hasRuns, %edge0, %end0 : index
        %back = arith.select %hasRuns, %edge1, %end0 : index
        %sum0 = scf.for %p = %begin0 to %front step %one iter_args(%a = %nothing) -> (f32) {
          %other = tensor.extract %to[%p] : !halves
          %j = arith.index_cast %other : i32 to index
          %its = tensor.extract %v[%j, %f] : !features
          %by = tensor.extract %w[%p] : !halfWeights
          %product = arith.mulf %by, %its : f32
          %b = arith.addf %a, %product : f32
          scf.yield %b : f32
        }
        %sum1 = scf.for %run = %r0 to %r1 step %one iter_args(%a = %sum0) -> (f32) {
          %part = tensor.extract %parts[%run, %f] : !runs
          %b = arith.addf %a, %part : f32
          scf.yield %b : f32
        }
        %sum2 = scf.for %p = %back to %end0 step %one iter_args(%a = %sum1) -> (f32) {
          %other = tensor.extract %to[%p] : !halves
          %j = arith.index_cast %other : i32 to index
          %its = tensor.extract %v[%j, %f] : !features
          %by = tensor.extract %w[%p] : !halfWeights
          %product = arith.mulf %by, %its : f32
          %b = arith.addf %a, %product : f32
          scf.yield %b : f32
        }
        %some = arith.maximumf %together, %least : f32
        %q = arith.divf %sum2, %some : f32
        linalg.yield %q : f32
      } -> !features
      // The sum over edges of w |h[u] - h[v]|^2 is that over nodes of w(v) h[v] (h[v] - m[v]).
      %differences = linalg.generic {indexing_maps = [#each, #each, #row, #once], iterator_types = ["reduction", "reduction"]}
          ins(%v, %mean, %degree : !features, !features, !degrees) outs(%zero : !real) {
      ^bb0(%own: f32, %m: f32, %by: f32, %before: f32):
        %d = arith.subf %own, %m : f32
        %p = arith.mulf %own, %d : f32
        %q = arith.mulf %by, %p : f32
        %s = arith.addf %before, %q : f32
        linalg.yield %s : f32
      } -> !real
      %together = linalg.reduce { arith.addf } ins(%degree : !degrees) outs(%zero : !real) dimensions = [0]
      %few = arith.constant dense<1.0e-30> : !real
      %divisor = arith.maximumf %together, %few : !real
      %twice = arith.addf %differences, %differences : !real
      %energy = arith.divf %twice, %divisor : !real
      // Alike: less than the limit of the energy of the first layer; or there is no energy at all.
      %limit = gpuvm.load @limit : !real
      %none = arith.constant dense<0> : !word
      %isFirst = arith.cmpi eq, %count, %none : !word
      %whole = arith.select %isFirst, %energy, %was : tensor<i1>, !real
      %floor = arith.mulf %limit, %whole : !real
      %isLess = arith.cmpf olt, %energy, %floor : !real
      %isNothing = arith.cmpf ole, %energy, %zero : !real
      %isAlike = arith.ori %isLess, %isNothing : tensor<i1>
      %attention = arith.constant dense<2> : !word
      %status = arith.select %isAlike, %attention, %none : tensor<i1>, !word
      gpuvm.send %mean, %energy : !features, !real status(%status : !word)
    }
    // The monitor: who has said ATTENTION is parked, before the messages of this layer are routed.
    %next, %from, %more, %later, %done = gpuvm.stage @monitor(%m = %means : !gpuvm.message<!three>, %energy = %now : !gpuvm.message<!energies>,
        %old = %awake : !gpuvm.message<!awake>, %was = %begin : !gpuvm.message<!energies>, %count = %k : !gpuvm.message<!word>,
        %before = %since : !gpuvm.message<tensor<3xi32>>) -> (!awake, !energies, !word, tensor<3xi32>, tensor<i1>) {
      %words = gpuvm.metadata status of %m : !three -> tensor<3xi32>
      %ok = arith.constant dense<0> : tensor<3xi32>
      %isOk = arith.cmpi eq, %words, %ok : tensor<3xi32>
      %runs = arith.andi %old, %isOk : !awake
      %row = tensor.expand_shape %energy [[0, 1]] output_shape [1, 3] : !energies into tensor<1x3xf32>
      gpuvm.store %row, @energies[%count] : tensor<1x3xf32>
      %none = arith.constant dense<0> : !word
      %one = arith.constant dense<1> : !word
      %isFirst = arith.cmpi eq, %count, %none : !word
      %e3 = tensor.empty() : !awake
      %first3 = linalg.broadcast ins(%isFirst : tensor<i1>) outs(%e3 : !awake) dimensions = [0]
      %whole = arith.select %first3, %energy, %was : !awake, !energies
      // The layer in which it was parked.
      %e = tensor.empty() : tensor<3xi32>
      %layer = linalg.broadcast ins(%count : !word) outs(%e : tensor<3xi32>) dimensions = [0]
      %stops = arith.xori %old, %runs : !awake
      %when = arith.select %stops, %layer, %before : !awake, tensor<3xi32>
      %false = arith.constant dense<false> : tensor<i1>
      %true = arith.constant dense<true> : tensor<i1>
      %any = linalg.reduce { arith.ori } ins(%runs : !awake) outs(%false : tensor<i1>) dimensions = [0]
      %isOver = arith.xori %any, %true : tensor<i1>
      %step = arith.extui %any : tensor<i1> to !word
      %n = arith.addi %count, %step : !word
      gpuvm.send %runs, %whole, %n, %when, %isOver : !awake, !energies, !word, tensor<3xi32>, tensor<i1>
    }
    %new = gpuvm.stage @route(%v = %h : !gpuvm.message<!features>, %m = %means : !gpuvm.message<!three>,
        %degree = %degrees : !gpuvm.message<tensor<3x@nodes@xf32>>, %runs = %next : !gpuvm.message<!awake>) -> !features {
      %table = gpuvm.load @routing : tensor<4xf32>
      %e = tensor.empty() : !features
      %r = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel"]}
          ins(%v : !features) outs(%e : !features) {
      ^bb0(%own: f32, %unused: f32):
        %i = linalg.index 0 : index
        %f = linalg.index 1 : index
        %t0 = arith.constant 0 : index
        %t1 = arith.constant 1 : index
        %t3 = arith.constant 3 : index
        %zero = arith.constant 0.0 : f32
        %keep = tensor.extract %table[%t3] : tensor<4xf32>
        %mine = arith.mulf %keep, %own : f32
        %sum:2 = scf.for %t = %t0 to %t3 step %t1 iter_args(%a = %mine, %b = %keep) -> (f32, f32) {
          %d = tensor.extract %degree[%t, %i] : tensor<3x@nodes@xf32>
          %isAwake = tensor.extract %runs[%t] : !awake
          %worth = tensor.extract %table[%t] : tensor<4xf32>
          %its = tensor.extract %m[%t, %i, %f] : !three
          %has = arith.cmpf ogt, %d, %zero : f32
          %counts = arith.andi %has, %isAwake : i1
          %by = arith.select %counts, %worth, %zero : f32
          %part = arith.mulf %by, %its : f32
          %a1 = arith.addf %a, %part : f32
          %b1 = arith.addf %b, %by : f32
          scf.yield %a1, %b1 : f32, f32
        }
        %q = arith.divf %sum#0, %sum#1 : f32
        linalg.yield %q : f32
      } -> !features
      gpuvm.send %r : !features
    }
    gpuvm.next %new, %next, %from, %more, %later : !gpuvm.message<!features>, !gpuvm.message<!awake>, !gpuvm.message<!energies>,
        !gpuvm.message<!word>, !gpuvm.message<tensor<3xi32>> until %done : !gpuvm.message<tensor<i1>>
  }

  // 0 OK, 1 ANOMALY: features or edges were left out, 2 ATTENTION: over-smoothed, all types were parked.
  %status = gpuvm.stage @report(%v = %h0 : !gpuvm.message<!features>, %o = %offsets : !gpuvm.message<tensor<3x@nodes + 1@xi32>>,
      %runs = %still : !gpuvm.message<!awake>) -> !word {
    %features = gpuvm.metadata status of %v : !features -> !word
    %edges = gpuvm.metadata status of %o : tensor<3x@nodes + 1@xi32> -> !word
    %s = arith.maxsi %features, %edges : !word
    %false = arith.constant dense<false> : tensor<i1>
    %any = linalg.reduce { arith.ori } ins(%runs : !awake) outs(%false : tensor<i1>) dimensions = [0]
    %attention = arith.constant dense<2> : !word
    %r = arith.select %any, %s, %attention : tensor<i1>, !word
    gpuvm.send %r : !word status(%r : !word)
  }
  gpuvm.return %y, %count, %parked, %status : !gpuvm.message<!features>, !gpuvm.message<!word>, !gpuvm.message<tensor<3xi32>>,
      !gpuvm.message<!word>
}
