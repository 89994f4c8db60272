// Sums over the edges of a graph, with the rows of edges 0-1, none, 2-4 and 5: a sparse matrix times a vector and a matrix,
// and attention. Each element is made where it is combined; what it needs of its column is read from a table.

// DEFINE: %{program} =
// DEFINE: %{inputs} = --input=a=6xf32=1,2,3,4,5,6 --input=c=6xi32=0,3,1,2,0,3 --input=o=5xi32=0,2,2,5,6
// DEFINE: %{check} = FileCheck %s --check-prefix=%{program}
// DEFINE: %{test} = gpuvm-compile %s --program=%{program} -o %t.gvplan && \
// DEFINE:           gpuvm-run %t.gvplan --validate %{inputs} | %{check} && \
// DEFINE:           gpuvm-interpret %s --program=%{program} %{inputs} | %{check}

// REDEFINE: %{program} = products
// RUN: %{test}
// REDEFINE: %{program} = attention
// REDEFINE: %{inputs} = --input=a=6xf32=2,2,5,5,-1000,-3 --input=c=6xi32=0,3,1,2,0,3 --input=o=5xi32=0,2,2,5,6
// RUN: %{test}

!edges = tensor<6xf32>
!columns = tensor<6xi32>
!offsets = tensor<5xi32>
!nodes = tensor<4xf32>
!wide = tensor<4x2xf32>
!reals = !gpuvm.message<!nodes>
#edge = affine_map<(e) -> (e)>
#both = affine_map<(e, f) -> (e, f)>
#row = affine_map<(e, f) -> (e)>

// products:      y: 4xf32=2001 0 435 6000
// products-NEXT: z: 4x2xf32=
// products-SAME: [2001 -2001][0 0][435 -435][6000 -6000]
gpuvm.program @products(%a: !edges, %c: !columns, %o: !offsets) -> (y: !nodes, z: !wide) {
  gpuvm.heap @x : !nodes = dense<[1.0, 10.0, 100.0, 1000.0]> : !nodes
  gpuvm.heap @b : !wide = dense<[[1.0, -1.0], [10.0, -10.0], [100.0, -100.0], [1000.0, -1000.0]]> : !wide
  %m:2 = gpuvm.stage @s(%a_ = %a : !edges, %c_ = %c : !columns, %o_ = %o : !offsets) -> (!nodes, !wide) {
    %x = gpuvm.load @x : !nodes
    %b = gpuvm.load @b : !wide
    %zero = arith.constant dense<0.0> : tensor<f32>
    %some = tensor.empty() : !edges
    %p = linalg.generic {indexing_maps = [#edge, #edge, #edge], iterator_types = ["parallel"]}
        ins(%a_, %c_ : !edges, !columns) outs(%some : !edges) {
    ^bb0(%factor: f32, %column: i32, %unused: f32):
      %r = arith.index_cast %column : i32 to index
      %other = tensor.extract %x[%r] : !nodes
      %product = arith.mulf %factor, %other : f32
      linalg.yield %product : f32
    } -> !edges
    %y = gpuvm.segment_reduce %p by %o_ from %zero : (!edges, !offsets, tensor<f32>) -> !nodes {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      gpuvm.yield %s : f32
    }
    %twice = tensor.empty() : tensor<6x2xf32>
    %q = linalg.generic {indexing_maps = [#row, #row, #both], iterator_types = ["parallel", "parallel"]}
        ins(%a_, %c_ : !edges, !columns) outs(%twice : tensor<6x2xf32>) {
    ^bb0(%factor: f32, %column: i32, %unused: f32):
      %f = linalg.index 1 : index
      %r = arith.index_cast %column : i32 to index
      %other = tensor.extract %b[%r, %f] : !wide
      %product = arith.mulf %factor, %other : f32
      linalg.yield %product : f32
    } -> tensor<6x2xf32>
    %z = gpuvm.segment_reduce %q by %o_ from %zero : (tensor<6x2xf32>, !offsets, tensor<f32>) -> !wide {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      gpuvm.yield %s : f32
    }
    gpuvm.send %y, %z : !nodes, !wide
  }
  gpuvm.return %m#0, %m#1 : !reals, !gpuvm.message<!wide>
}

// The mean of the neighbours' x, weighted by the softmax of the edges' scores: the mean of the first two, of none, of 10
// and 100 with next to nothing of 1, and of the last one.
// attention:      y: 4xf32=500.5 0 55 1000
// attention-NEXT: most: 4xf32=2 -inf 5 -3
gpuvm.program @attention(%a: !edges, %c: !columns, %o: !offsets) -> (y: !nodes, most: !nodes) {
  gpuvm.heap @x : !nodes = dense<[1.0, 10.0, 100.0, 1000.0]> : !nodes
  %m:2 = gpuvm.stage @s(%a_ = %a : !edges, %c_ = %c : !columns, %o_ = %o : !offsets) -> (!nodes, !nodes) {
    %x = gpuvm.load @x : !nodes
    %least = arith.constant dense<0xFF800000> : tensor<f32>
    %most = gpuvm.segment_reduce %a_ by %o_ from %least : (!edges, !offsets, tensor<f32>) -> !nodes {
    ^bb0(%before: f32, %next: f32):
      %s = arith.maxnumf %before, %next : f32
      gpuvm.yield %s : f32
    }
    // The row of an edge: how many rows begin no later than it, less one.
    %numbers = tensor.generate {
    ^bb0(%e: index):
      %number = arith.index_cast %e : index to i32
      tensor.yield %number : i32
    } : !columns
    %rows = gpuvm.search_sorted %o_, %numbers right : !offsets, !columns -> !columns
    %some = tensor.empty() : !edges
    %weights, %products = linalg.generic {
        indexing_maps = [#edge, #edge, #edge, #edge, #edge], iterator_types = ["parallel"]}
        ins(%a_, %c_, %rows : !edges, !columns, !columns) outs(%some, %some : !edges, !edges) {
    ^bb0(%score: f32, %column: i32, %behind: i32, %o0: f32, %o1: f32):
      %one = arith.constant 1 : i32
      %row = arith.subi %behind, %one : i32
      %i = arith.index_cast %row : i32 to index
      %j = arith.index_cast %column : i32 to index
      %top = tensor.extract %most[%i] : !nodes
      %other = tensor.extract %x[%j] : !nodes
      %below = arith.subf %score, %top : f32
      %weight = math.exp %below : f32
      %product = arith.mulf %weight, %other : f32
      linalg.yield %weight, %product : f32, f32
    } -> (!edges, !edges)
    %zero = arith.constant dense<0.0> : tensor<f32>
    %sums:2 = gpuvm.segment_reduce %weights, %products by %o_ from %zero, %zero
        : (!edges, !edges, !offsets, tensor<f32>, tensor<f32>) -> (!nodes, !nodes) {
    ^bb0(%w0: f32, %p0: f32, %w1: f32, %p1: f32):
      %w = arith.addf %w0, %w1 : f32
      %p = arith.addf %p0, %p1 : f32
      gpuvm.yield %w, %p : f32, f32
    }
    // A sum of weights is 1 or more, or 0 where there is no edge.
    %ones = arith.constant dense<1.0> : !nodes
    %all = arith.maximumf %sums#0, %ones : !nodes
    %y = arith.divf %sums#1, %all : !nodes
    gpuvm.send %y, %most : !nodes, !nodes
  }
  gpuvm.return %m#0, %m#1 : !reals, !reals
}
