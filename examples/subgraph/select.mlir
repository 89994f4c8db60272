// The nodes of a table that a query keeps, and the edges between them.
//
//     SELECT node FROM nodes WHERE section = wanted AND size >= least
//     SELECT source, target FROM edges JOIN kept AS s ON source = s.node JOIN kept AS t ON target = t.node
//
// Nodes that are kept are numbered from 0 on, in their order; edges name those numbers. How many there are, only the
// device knows.

gpuvm.parameter @nodes = 1000
gpuvm.parameter @edges = 5000

!nodes = tensor<@nodes@xi32>
!edges = tensor<@edges@xi32>
gpuvm.program @select(%section: !nodes, %size: !nodes, %source: !edges, %target: !edges, %wanted: tensor<i32>, %least: tensor<i32>)
    -> (nodes: !nodes, numNodes: tensor<i32>, from: !edges, to: !edges, numEdges: tensor<i32>) {
  %kept, %count, %number = gpuvm.stage @filter(%s = %section : !nodes, %z = %size : !nodes, %w = %wanted : tensor<i32>, %l = %least : tensor<i32>)
      -> (!nodes, tensor<i32>, !nodes) {
    %e = tensor.empty() : !nodes
    %none = arith.constant dense<-1> : !nodes
    %one = arith.constant dense<1> : !nodes
    %sections = linalg.broadcast ins(%w : tensor<i32>) outs(%e : !nodes) dimensions = [0]
    %sizes = linalg.broadcast ins(%l : tensor<i32>) outs(%e : !nodes) dimensions = [0]
    %isIn = arith.cmpi eq, %s, %sections : !nodes
    %isLarge = arith.cmpi sge, %z, %sizes : !nodes
    %keep = arith.andi %isIn, %isLarge : tensor<@nodes@xi1>
    %node = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : !nodes) {
    ^bb0(%o: i32):
      %i = linalg.index 0 : index
      %r = arith.index_cast %i : index to i32
      linalg.yield %r : i32
    } -> !nodes
    %ids, %n = gpuvm.compact %node where %keep : (!nodes, tensor<@nodes@xi1>) -> (!nodes, tensor<i32>)
    %ones = arith.extui %keep : tensor<@nodes@xi1> to !nodes
    %sums = gpuvm.scan %ones dimension 0 : (!nodes) -> !nodes {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      gpuvm.yield %c : i32
    }
    %before = arith.subi %sums, %one : !nodes
    %numbers = arith.select %keep, %before, %none : tensor<@nodes@xi1>, !nodes
    gpuvm.send %ids, %n, %numbers : !nodes, tensor<i32>, !nodes
  }
  %from, %to, %edges = gpuvm.stage @join(%f = %source : !edges, %t = %target : !edges, %number1 = %number : !gpuvm.message<!nodes>)
      -> (!edges, !edges, tensor<i32>) {
    %zero = arith.constant dense<0> : !edges
    %a = gpuvm.gather %number1[%f] : !nodes, !edges -> !edges
    %b = gpuvm.gather %number1[%t] : !nodes, !edges -> !edges
    %hasSource = arith.cmpi sge, %a, %zero : !edges
    %hasTarget = arith.cmpi sge, %b, %zero : !edges
    %keep = arith.andi %hasSource, %hasTarget : tensor<@edges@xi1>
    %x, %y, %m = gpuvm.compact %a, %b where %keep : (!edges, !edges, tensor<@edges@xi1>) -> (!edges, !edges, tensor<i32>)
    gpuvm.send %x, %y, %m : !edges, !edges, tensor<i32>
  }
  gpuvm.return %kept, %count, %from, %to, %edges : !gpuvm.message<!nodes>, !gpuvm.message<tensor<i32>>, !gpuvm.message<!edges>,
      !gpuvm.message<!edges>, !gpuvm.message<tensor<i32>>
}
