// The edges of a graph by the node that they begin at (CSR), from a list of edges in
// any order. An edge leads both ways: edge e is targets [h] for an h from
// offsets [first [e]] to offsets [first [e] + 1] - 1 and once the other way around, so a
// loop counts twice. Targets of a node stand in the order in which its edges do, those
// that begin there first. Nodes without edges have nothing between their offsets.

gpuvm.parameter @nodes = 1000
gpuvm.parameter @edges = 3000

!edges = tensor<@edges@xi32>
!halves = tensor<@2 * edges@xi32>
!offsets = tensor<@nodes + 1@xi32>

gpuvm.program @csr(%first: !edges, %second: !edges) -> (offsets: !offsets, targets: !halves) {
  %offsets, %targets = gpuvm.stage @csr(%a = %first : !edges, %b = %second : !edges) -> (!offsets, !halves) {
    %sources = tensor.concat dim(0) %a, %b : (!edges, !edges) -> !halves
    %ends = tensor.concat dim(0) %b, %a : (!edges, !edges) -> !halves
    %s, %t = gpuvm.sort %sources payloads(%ends) : !halves, !halves
    %nodes = tensor.generate {
    ^bb0(%n: index):
      %number = arith.index_cast %n : index to i32
      tensor.yield %number : i32
    } : !offsets
    %o = gpuvm.search_sorted %s, %nodes : !halves, !offsets -> !offsets
    gpuvm.send %o, %t : !offsets, !halves
  }
  gpuvm.return %offsets, %targets : !gpuvm.message<!offsets>, !gpuvm.message<!halves>
}
