// A breadth-first search, one level an execution: what is in the globals goes on from
// one to the next. Execution 0 finds the source, execution k the nodes at distance k.
//
//     gpuvm-run search.gvplan --input=... --iterations=20 --output=counts --output=level=@level.npy
//
// The nodes of the last level are the first @live ones of @frontier. `expand` makes a
// row of each edge that leaves them, a body finds where it leads and `scatter min` keeps
// the least of the nodes that an edge comes from, so parents do not depend on who is
// first. What is new is marked, and kept in the order of its numbers. A node stands in
// the frontier once, so there is room for the edges if there is for those of the graph.

gpuvm.parameter @nodes = 1000
gpuvm.parameter @edges = 3000 "as in csr.mlir"

!nodes = tensor<@nodes@xi32>
!halves = tensor<@2 * edges@xi32>
!offsets = tensor<@nodes + 1@xi32>
!marks = tensor<@nodes@xi1>
!word = tensor<i32>
!live = tensor<?xi32, #gpuvm.bound<@nodes@>> // nodes of the last level
!edges = tensor<?xi32, #gpuvm.bound<@2 * edges@>>  // that leave them
#node = affine_map<(n) -> (n)>
#whole = affine_map<(n) -> ()>

gpuvm.program @search(%source: !word) -> (count: !word) {
  gpuvm.heap @offsets : !offsets
  gpuvm.heap @targets : !halves
  gpuvm.global @level : !nodes = dense<-1> : !nodes
  gpuvm.global @parent : !nodes = dense<-1> : !nodes
  gpuvm.global @frontier : !nodes = dense<0> : !nodes
  gpuvm.global @live : !word = dense<0> : !word
  gpuvm.global @depth : !word = dense<0> : !word
  gpuvm.metric @counts : tensor<64xi32> = dense<0> : tensor<64xi32>

  // The least neighbour of each node in the last level, 2147483647 where there is none.
  %reached = gpuvm.stage @edges() -> !nodes {
    %offsets = gpuvm.load @offsets : !offsets
    %targets = gpuvm.load @targets : !halves
    %frontier = gpuvm.load @frontier : !nodes
    %count = gpuvm.load @live : !word
    %live = gpuvm.bounded %frontier[%count] : !nodes -> !live
    %degrees = linalg.generic {indexing_maps = [#node, #node], iterator_types = ["parallel"]}
        ins(%live : !live) outs(%live : !live) {
    ^bb0(%node: i32, %unused: i32):
      %one = arith.constant 1 : index
      %at = arith.index_cast %node : i32 to index
      %next = arith.addi %at, %one : index
      %begin = tensor.extract %offsets[%at] : !offsets
      %end = tensor.extract %offsets[%next] : !offsets
      %degree = arith.subi %end, %begin : i32
      linalg.yield %degree : i32
    } -> !live
    %allRows, %allOrdinals, %total = gpuvm.expand %degrees : !live -> !halves, !halves
    %rows = gpuvm.bounded %allRows[%total] : !halves -> !edges
    %ordinals = gpuvm.bounded %allOrdinals[%total] : !halves -> !edges
    // Where the edge leads and where it comes from.
    %to, %from = linalg.generic {
        indexing_maps = [#node, #node, #node, #node], iterator_types = ["parallel"]}
        ins(%rows, %ordinals : !edges, !edges) outs(%rows, %rows : !edges, !edges) {
    ^bb0(%row: i32, %ordinal: i32, %o0: i32, %o1: i32):
      %r = arith.index_cast %row : i32 to index
      %node = tensor.extract %frontier[%r] : !nodes
      %at = arith.index_cast %node : i32 to index
      %begin = tensor.extract %offsets[%at] : !offsets
      %edge = arith.addi %begin, %ordinal : i32
      %e = arith.index_cast %edge : i32 to index
      %target = tensor.extract %targets[%e] : !halves
      linalg.yield %target, %node : i32, i32
    } -> (!edges, !edges)
    %none = arith.constant dense<2147483647> : !nodes
    %least = gpuvm.scatter min %from at %to into %none : (!edges, !edges, !nodes) -> !nodes
    gpuvm.send %least : !nodes
  }

  %count = gpuvm.stage @mark(%least = %reached : !gpuvm.message<!nodes>, %start = %source : !word) -> !word {
    %level = gpuvm.load @level : !nodes
    %parent = gpuvm.load @parent : !nodes
    %depth = gpuvm.load @depth : !word
    %marks = tensor.empty() : !marks
    %some = tensor.empty() : !nodes
    %found:4 = linalg.generic {
        indexing_maps = [#node, #node, #node, #whole, #whole, #node, #node, #node, #node],
        iterator_types = ["parallel"]}
        ins(%least, %level, %parent, %depth, %start : !nodes, !nodes, !nodes, !word, !word)
        outs(%marks, %some, %some, %some : !marks, !nodes, !nodes, !nodes) {
    ^bb0(%from: i32, %l: i32, %p: i32, %d: i32, %s: i32, %o0: i1, %o1: i32, %o2: i32, %o3: i32):
      %zero = arith.constant 0 : i32
      %nobody = arith.constant 2147483647 : i32
      %n = linalg.index 0 : index
      %number = arith.index_cast %n : index to i32
      %isUnknown = arith.cmpi slt, %l, %zero : i32
      %isReached = arith.cmpi ne, %from, %nobody : i32
      %isSource = arith.cmpi eq, %number, %s : i32
      %isFirst = arith.cmpi eq, %d, %zero : i32
      %begins = arith.select %isFirst, %isSource, %isReached : i1
      %isNew = arith.andi %isUnknown, %begins : i1
      // The source is its own parent.
      %by = arith.select %isFirst, %number, %from : i32
      %l1 = arith.select %isNew, %d, %l : i32
      %p1 = arith.select %isNew, %by, %p : i32
      linalg.yield %isNew, %l1, %p1, %number : i1, i32, i32, i32
    } -> (!marks, !nodes, !nodes, !nodes)
    %next, %n = gpuvm.compact %found#3 where %found#0 : (!nodes, !marks) -> (!nodes, !word)
    %one = arith.constant dense<1> : !word
    %deeper = arith.addi %depth, %one : !word
    %row = tensor.expand_shape %n [] output_shape [1] : !word into tensor<1xi32>
    gpuvm.store %found#1, @level : !nodes
    gpuvm.store %found#2, @parent : !nodes
    gpuvm.store %next, @frontier : !nodes
    gpuvm.store %n, @live : !word
    gpuvm.store %row, @counts[%depth] : tensor<1xi32>
    gpuvm.store %deeper, @depth : !word
    gpuvm.send %n : !word
  }
  gpuvm.return %count : !gpuvm.message<!word>
}
