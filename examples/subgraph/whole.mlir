// A query, a graph network and a table, in one submit: the query selects nodes and the edges between them, the network
// scores exactly these, the best go into a table. The three are programs of their own.
//
//     gpuvm-compile whole.mlir --link=select.mlir --link=network.mlir --link=best.mlir -o whole.gvplan

gpuvm.parameter @nodes = 1000
gpuvm.parameter @edges = 5000

!nodes = tensor<@nodes@xi32>
!edges = tensor<@edges@xi32>
!table = tensor<@nodes@x8xf32>
gpuvm.program @whole(%section: !nodes, %size: !nodes, %source: !edges, %target: !edges, %features: !table, %wanted: tensor<i32>, %least: tensor<i32>)
    -> (node: tensor<10xi32>, score: tensor<10xf32>, rows: tensor<i32>, numNodes: tensor<i32>, numEdges: tensor<i32>) {
  %nodes, %numNodes, %from, %to, %numEdges = gpuvm.call @select as @query (%section, %size, %source, %target, %wanted, %least)
      : (!nodes, !nodes, !edges, !edges, tensor<i32>, tensor<i32>)
      -> (!gpuvm.message<!nodes>, !gpuvm.message<tensor<i32>>, !gpuvm.message<!edges>, !gpuvm.message<!edges>, !gpuvm.message<tensor<i32>>)
  %scores = gpuvm.call @network as @network (%nodes, %numNodes, %from, %to, %numEdges, %features)
      : (!gpuvm.message<!nodes>, !gpuvm.message<tensor<i32>>, !gpuvm.message<!edges>, !gpuvm.message<!edges>, !gpuvm.message<tensor<i32>>, !table)
      -> !gpuvm.message<tensor<@nodes@xf32>>
  %node, %score, %rows = gpuvm.call @best as @table (%nodes, %numNodes, %scores)
      : (!gpuvm.message<!nodes>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<@nodes@xf32>>)
      -> (!gpuvm.message<tensor<10xi32>>, !gpuvm.message<tensor<10xf32>>, !gpuvm.message<tensor<i32>>)
  gpuvm.return %node, %score, %rows, %numNodes, %numEdges : !gpuvm.message<tensor<10xi32>>, !gpuvm.message<tensor<10xf32>>,
      !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}
