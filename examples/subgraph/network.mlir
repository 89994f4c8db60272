// A graph network of two layers on as many nodes and edges as there are. Each node takes the mean of its own row and
// the rows of the nodes with an edge to it; a layer is a matrix times that. Behind the first one everything below zero is
// zero; the second one makes a number of a row, the score of the node.

gpuvm.parameter @nodes = 1000
gpuvm.parameter @edges = 5000

!nodes = tensor<@nodes@xi32>
!edges = tensor<@edges@xi32>
!table = tensor<@nodes@x8xf32>
!some = tensor<?xi32, #gpuvm.bound<@nodes@>>    // of the nodes there are
!rows = tensor<?x8xf32, #gpuvm.bound<@nodes@>>
!hidden = tensor<?x16xf32, #gpuvm.bound<@nodes@>>
!scores = tensor<?xf32, #gpuvm.bound<@nodes@>>
!ends = tensor<?xi32, #gpuvm.bound<@edges@>>    // of the edges there are
#one = affine_map<(i, j) -> (i)>
#row = affine_map<(i, j) -> (i, j)>

gpuvm.program @network(%nodes: !nodes, %numNodes: tensor<i32>, %from: !edges, %to: !edges, %numEdges: tensor<i32>, %features: !table)
    -> (scores: tensor<@nodes@xf32>) {
  gpuvm.heap @first : tensor<8x16xf32>
  gpuvm.heap @second : tensor<16xf32>

  // Whose rows there are, which edges, and how many edges lead to each node.
  %own, %sources, %targets, %degrees = gpuvm.stage @take(%node = %nodes : !nodes, %n = %numNodes : tensor<i32>, %f = %from : !edges,
      %t = %to : !edges, %m = %numEdges : tensor<i32>, %x = %features : !table) -> (!rows, !ends, !ends, !some) {
    %zeros = arith.constant dense<0> : !nodes
    %ids = gpuvm.bounded %node[%n] : !nodes -> !some
    %s = gpuvm.bounded %f[%m] : !edges -> !ends
    %e = gpuvm.bounded %t[%m] : !edges -> !ends
    %ones = linalg.generic {indexing_maps = [affine_map<(e) -> (e)>], iterator_types = ["parallel"]} outs(%e : !ends) {
    ^bb0(%o: i32):
      %one = arith.constant 1 : i32
      linalg.yield %one : i32
    } -> !ends
    %counts = gpuvm.scatter add %ones at %e into %zeros : (!ends, !ends, !nodes) -> !nodes
    %degree = gpuvm.bounded %counts[%n] : !nodes -> !some
    %r = gpuvm.gather %x[%ids] : !table, !some -> !rows
    gpuvm.send %r, %s, %e, %degree : !rows, !ends, !ends, !some
  }

  %layer = gpuvm.stage @first_layer(%r = %own : !gpuvm.message<!rows>, %s = %sources : !gpuvm.message<!ends>,
      %e = %targets : !gpuvm.message<!ends>, %d = %degrees : !gpuvm.message<!some>) -> !hidden {
    %zeros = arith.constant dense<0.0> : !table
    %none = arith.constant dense<0.0> : tensor<@nodes@x16xf32>
    %weights = gpuvm.load @first : tensor<8x16xf32>
    %sent = gpuvm.gather %r[%s] : !rows, !ends -> tensor<?x8xf32, #gpuvm.bound<@edges@>>
    %sums = gpuvm.scatter add %sent at %e into %zeros : (tensor<?x8xf32, #gpuvm.bound<@edges@>>, !ends, !table) -> !table
    %places = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%d : !some) {
    ^bb0(%o: i32):
      %i = linalg.index 0 : index
      %w = arith.index_cast %i : index to i32
      linalg.yield %w : i32
    } -> !some
    %received = gpuvm.gather %sums[%places] : !table, !some -> !rows
    %mean = linalg.generic {indexing_maps = [#row, #row, #one, #row], iterator_types = ["parallel", "parallel"]}
        ins(%r, %received, %d : !rows, !rows, !some) outs(%r : !rows) {
    ^bb0(%a: f32, %b: f32, %k: i32, %o: f32):
      %one = arith.constant 1 : i32
      %all = arith.addi %k, %one : i32
      %count = arith.sitofp %all : i32 to f32
      %sum = arith.addf %a, %b : f32
      %q = arith.divf %sum, %count : f32
      linalg.yield %q : f32
    } -> !rows
    %empty = gpuvm.gather %none[%places] : tensor<@nodes@x16xf32>, !some -> !hidden
    %product = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                               iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%mean, %weights : !rows, tensor<8x16xf32>) outs(%empty : !hidden) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %next = arith.addf %sum, %p : f32
      linalg.yield %next : f32
    } -> !hidden
    %h = arith.maximumf %product, %empty : !hidden
    gpuvm.send %h : !hidden
  }

  %scores = gpuvm.stage @second_layer(%h = %layer : !gpuvm.message<!hidden>, %s = %sources : !gpuvm.message<!ends>,
      %e = %targets : !gpuvm.message<!ends>, %d = %degrees : !gpuvm.message<!some>) -> tensor<@nodes@xf32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %zeros = arith.constant dense<0.0> : tensor<@nodes@xf32>
    %weights = gpuvm.load @second : tensor<16xf32>
    %places = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%d : !some) {
    ^bb0(%o: i32):
      %i = linalg.index 0 : index
      %w = arith.index_cast %i : index to i32
      linalg.yield %w : i32
    } -> !some
    // The matrix has one column, so it comes first: one number is sent along an edge, not a row.
    %empty = gpuvm.gather %zeros[%places] : tensor<@nodes@xf32>, !some -> !scores
    %own2 = linalg.generic {indexing_maps = [#row, affine_map<(i, j) -> (j)>, #one], iterator_types = ["parallel", "reduction"]}
        ins(%h, %weights : !hidden, tensor<16xf32>) outs(%empty : !scores) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %next = arith.addf %sum, %p : f32
      linalg.yield %next : f32
    } -> !scores
    %sent = gpuvm.gather %own2[%s] : !scores, !ends -> tensor<?xf32, #gpuvm.bound<@edges@>>
    %sums = gpuvm.scatter add %sent at %e into %zeros : (tensor<?xf32, #gpuvm.bound<@edges@>>, !ends, tensor<@nodes@xf32>) -> tensor<@nodes@xf32>
    %received = gpuvm.gather %sums[%places] : tensor<@nodes@xf32>, !some -> !scores
    %mean = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                            iterator_types = ["parallel"]}
        ins(%own2, %received, %d : !scores, !scores, !some) outs(%own2 : !scores) {
    ^bb0(%a: f32, %b: f32, %k: i32, %o: f32):
      %one = arith.constant 1 : i32
      %all = arith.addi %k, %one : i32
      %count = arith.sitofp %all : i32 to f32
      %sum = arith.addf %a, %b : f32
      %q = arith.divf %sum, %count : f32
      linalg.yield %q : f32
    } -> !scores
    %all = gpuvm.filled %mean with %zero : !scores, tensor<f32> -> tensor<@nodes@xf32>
    gpuvm.send %all : tensor<@nodes@xf32>
  }
  gpuvm.return %scores : !gpuvm.message<tensor<@nodes@xf32>>
}
