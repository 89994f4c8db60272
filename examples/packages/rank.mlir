// PageRank of a directed graph with weights, from a list of its edges to the ranks in one submit:
//
//     rank[v] = (1 - d)/n + d (sum over edges u -> v of rank[u] w(u, v) / w(u)  +  lost / n),     d = 0.85
//
// where w(u) is what the edges of u weigh together, and `lost` the rank of those that have none (dangling nodes), which goes to all
// alike. It begins with 1/n everywhere, and ends when the ranks of one time and the next differ by less than 1e-10 in all, which the
// device finds; they differ by at most 2 d^(k - 1) the time k, so 150 times (@times) are enough for any graph.
//
//     gpuvm-run rank.gvplan --input=source=@source.npy --input=target=@target.npy --input=weight=@weight.npy --output=rank=@rank.npy
//
// Edges are taken in any order. An edge with an end that is no node, or with a weight that is no positive number, is left out and
// counted in @strays; the message of @sift has the status ANOMALY then. One from -1 to -1 is none: it fills up a list.

gpuvm.parameter @nodes = 1000
gpuvm.parameter @edges = 2500 "or more: lists are filled up"
gpuvm.parameter @times = 150 "at most"

!edges = tensor<@edges@xi32>
!weights = tensor<@edges@xf64>
!keeps = tensor<@edges@xi1>
!ranks = tensor<@nodes@xf64>
!marks = tensor<@nodes@xi1>
!offsets = tensor<@nodes + 1@xi32>
!number = tensor<f64>
!word = tensor<i32>
#own = affine_map<(i) -> (i)>
#same = affine_map<(i) -> ()>

gpuvm.program @rank(%source: !edges, %target: !edges, %weight: tensor<@edges@xf32>)
    -> (rank: !ranks, times: !word, change: !number, status: !word, first: tensor<20xi32>) {
  gpuvm.metric @strays : !word
  gpuvm.metric @changes : tensor<@times@xf64> = dense<0.0> : tensor<@times@xf64>  // each time: how far ranks moved in all,
  gpuvm.metric @largest : tensor<@times@xf32> = dense<0.0> : tensor<@times@xf32>  // and how far the rank moved that moved most

  // Edges that are none lead to the node behind the last one and weigh nothing.
  %to, %from, %worth = gpuvm.stage @sift(%s = %source : !edges, %t = %target : !edges, %w = %weight : tensor<@edges@xf32>)
      -> (!edges, !edges, !weights) {
    %e0 = tensor.empty() : !edges
    %e1 = tensor.empty() : !weights
    %e2 = tensor.empty() : !keeps
    %kept:4 = linalg.generic {indexing_maps = [#own, #own, #own, #own, #own, #own, #own], iterator_types = ["parallel"]}
        ins(%s, %t, %w : !edges, !edges, tensor<@edges@xf32>) outs(%e0, %e0, %e1, %e2 : !edges, !edges, !weights, !keeps) {
    ^bb0(%begin: i32, %end: i32, %heavy: f32, %o0: i32, %o1: i32, %o2: f64, %o3: i1):
      %none = arith.constant 0 : i32
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
      %isFilled = arith.cmpi ne, %both, %filling : i32
      %zero = arith.constant 0 : i1
      %one = arith.constant 1 : i1
      %isNone = arith.xori %isEdge, %one : i1
      %isStray = arith.andi %isNone, %isFilled : i1
      %k = arith.select %isEdge, %end, %nodes : i32
      %b = arith.select %isEdge, %begin, %none : i32
      %finite = arith.select %isEdge, %heavy, %nothing : f32
      %v = arith.extf %finite : f32 to f64
      linalg.yield %k, %b, %v, %isStray : i32, i32, f64, i1
    } -> (!edges, !edges, !weights, !keeps)
    %counts = arith.extui %kept#3 : !keeps to !edges
    %zero = arith.constant dense<0> : !word
    %strays = linalg.reduce { arith.addi } ins(%counts : !edges) outs(%zero : !word) dimensions = [0]
    gpuvm.store %strays, @strays : !word
    %one = arith.constant dense<1> : !word
    %anomaly = arith.minsi %strays, %one : !word
    gpuvm.send %kept#0, %kept#1, %kept#2 : !edges, !edges, !weights status(%anomaly : !word)
  }

  // What the edges of a node weigh together, and the edges by the node that they lead to (CSR).
  %offsets, %sources, %shares, %ends = gpuvm.stage @rows
      (%t = %to : !gpuvm.message<!edges>, %s = %from : !gpuvm.message<!edges>, %w = %worth : !gpuvm.message<!weights>)
      -> (!offsets, !edges, !weights, !marks) {
    %none = arith.constant dense<0.0> : !ranks
    %together = gpuvm.scatter add %w at %s into %none : (!weights, !edges, !ranks) -> !ranks
    %isEnd = arith.cmpf oeq, %together, %none : !ranks
    %sorted, %by, %heavy = gpuvm.sort %t payloads(%s, %w) : !edges, !edges, !weights
    %numbers = tensor.generate {
    ^bb0(%n: index):
      %number = arith.index_cast %n : index to i32
      tensor.yield %number : i32
    } : !offsets
    %first = gpuvm.search_sorted %sorted, %numbers : !edges, !offsets -> !offsets
    %e = tensor.empty() : !weights
    %share = linalg.generic {indexing_maps = [#own, #own, #own], iterator_types = ["parallel"]}
        ins(%by, %heavy : !edges, !weights) outs(%e : !weights) {
    ^bb0(%node: i32, %own: f64, %o: f64):
      %u = arith.index_cast %node : i32 to index
      %all = tensor.extract %together[%u] : !ranks
      %least = arith.constant 1.0e-300 : f64   // of a node without edges: 0 / 1e-300
      %some = arith.maximumf %all, %least : f64
      %part = arith.divf %own, %some : f64
      linalg.yield %part : f64
    } -> !weights
    gpuvm.send %first, %by, %share, %isEnd : !offsets, !edges, !weights, !marks
  }

  %start = gpuvm.stage @start() -> !ranks {
    %one = arith.constant dense<1.0> : !ranks
    %n = arith.constant dense<@1.0 * nodes@> : !ranks
    %r = arith.divf %one, %n : !ranks
    gpuvm.send %r : !ranks
  }

  %never = arith.constant dense<0> : !word
  %far = arith.constant dense<2.0> : !number
  %rank, %times, %change = gpuvm.repeat @iterate up_to @times@
      (%r = %start : !gpuvm.message<!ranks>, %k = %never : !word, %c = %far : !number) {
    %new = gpuvm.stage @follow(%old = %r : !gpuvm.message<!ranks>, %o = %offsets : !gpuvm.message<!offsets>,
        %s = %sources : !gpuvm.message<!edges>, %part = %shares : !gpuvm.message<!weights>, %isEnd = %ends : !gpuvm.message<!marks>)
        -> !ranks {
      %zero = arith.constant dense<0.0> : !number
      %none = arith.constant dense<0.0> : !ranks
      %stuck = arith.select %isEnd, %old, %none : !marks, !ranks
      %lost = linalg.reduce { arith.addf } ins(%stuck : !ranks) outs(%zero : !number) dimensions = [0]
      %e = tensor.empty() : !weights
      %moved = linalg.generic {indexing_maps = [#own, #own, #own], iterator_types = ["parallel"]}
          ins(%s, %part : !edges, !weights) outs(%e : !weights) {
      ^bb0(%node: i32, %share: f64, %unused: f64):
        %u = arith.index_cast %node : i32 to index
        %its = tensor.extract %old[%u] : !ranks
        %product = arith.mulf %its, %share : f64
        linalg.yield %product : f64
      } -> !weights
      %flow = gpuvm.segment_reduce %moved by %o from %zero : (!weights, !offsets, !number) -> !ranks {
      ^bb0(%before: f64, %next: f64):
        %sum = arith.addf %before, %next : f64
        gpuvm.yield %sum : f64
      }
      %all = linalg.generic {indexing_maps = [#own, #same, #own], iterator_types = ["parallel"]}
          ins(%flow, %lost : !ranks, !number) outs(%none : !ranks) {
      ^bb0(%in: f64, %l: f64, %unused: f64):
        %n = arith.constant @1.0 * nodes@ : f64
        %damping = arith.constant 0.85 : f64
        %one = arith.constant 1.0 : f64
        %rest = arith.subf %one, %damping : f64
        %base = arith.divf %rest, %n : f64
        %everywhere = arith.divf %l, %n : f64
        %arrives = arith.addf %in, %everywhere : f64
        %damped = arith.mulf %damping, %arrives : f64
        %sum = arith.addf %base, %damped : f64
        linalg.yield %sum : f64
      } -> !ranks
      gpuvm.send %all : !ranks
    }
    // How far each rank moved: the norm and the largest of this message say how far it is from the end.
    %moves = gpuvm.stage @compare(%now = %new : !gpuvm.message<!ranks>, %old = %r : !gpuvm.message<!ranks>) -> !ranks {
      %d = arith.subf %now, %old : !ranks
      %a = math.absf %d : !ranks
      gpuvm.send %a : !ranks
    }
    %by, %more, %done = gpuvm.stage @judge(%m = %moves : !gpuvm.message<!ranks>, %count = %k : !gpuvm.message<!word>)
        -> (!number, !word, tensor<i1>) {
      %zero = arith.constant dense<0.0> : !number
      %one = arith.constant dense<1> : !word
      %tolerance = arith.constant dense<1.0e-10> : !number
      %total = linalg.reduce { arith.addf } ins(%m : !ranks) outs(%zero : !number) dimensions = [0]
      %most = gpuvm.metadata max_abs of %m : !ranks -> tensor<f32>
      %row = tensor.expand_shape %total [] output_shape [1] : !number into tensor<1xf64>
      %top = tensor.expand_shape %most [] output_shape [1] : tensor<f32> into tensor<1xf32>
      gpuvm.store %row, @changes[%count] : tensor<1xf64>
      gpuvm.store %top, @largest[%count] : tensor<1xf32>
      %next = arith.addi %count, %one : !word
      %isOver = arith.cmpf olt, %total, %tolerance : !number
      gpuvm.send %total, %next, %isOver : !number, !word, tensor<i1>
    }
    gpuvm.next %new, %more, %by : !gpuvm.message<!ranks>, !gpuvm.message<!word>, !gpuvm.message<!number>
        until %done : !gpuvm.message<tensor<i1>>
  }

  // 0 OK, 1 ANOMALY: edges were left out, 2 ATTENTION: ranks still moved.
  %status, %first = gpuvm.stage @report(%t = %to : !gpuvm.message<!edges>, %c = %change : !gpuvm.message<!number>,
      %r = %rank : !gpuvm.message<!ranks>) -> (!word, tensor<20xi32>) {
    %sifted = gpuvm.metadata status of %t : !edges -> !word
    %tolerance = arith.constant dense<1.0e-10> : !number
    %attention = arith.constant dense<2> : !word
    %isOver = arith.cmpf olt, %c, %tolerance : !number
    %s = arith.select %isOver, %sifted, %attention : tensor<i1>, !word
    %highest, %numbers = gpuvm.top_k %r : !ranks -> tensor<20xf64>, tensor<20xi32>
    gpuvm.send %s, %numbers : !word, tensor<20xi32> status(%s : !word)
  }
  gpuvm.return %rank, %times, %change, %status, %first : !gpuvm.message<!ranks>, !gpuvm.message<!word>, !gpuvm.message<!number>,
      !gpuvm.message<!word>, !gpuvm.message<tensor<20xi32>>
}
