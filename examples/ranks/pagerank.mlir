// PageRank of a graph whose vertices are in blocks, one for each rank. A rank
// has the edges that end in its block; in each iteration it gathers from all
// ranks what their vertices give to each of their neighbours.
//
//   gpuvm-compile pagerank.mlir --set ranks=4 --set vertices=65536 --set edges=524288 -o pagerank.gvplan
//   mpirun -n 4 gpuvm-run pagerank.gvplan --input=source=@source.{rank}.npy --input=offsets=@offsets.{rank}.npy
//       --input=degree=@degree.npy[{rank}/{ranks}] --output=rank=@rank.{rank}.npy

gpuvm.parameter @vertices = 1024 in 1 to 1073741824 "of all ranks"
gpuvm.parameter @edges = 8192 in 1 to 1073741824 "of one rank, or more: the list is filled up"
gpuvm.parameter @ranks = 2 in 1 to 64
gpuvm.parameter @iterations = 20 in 1 to 1000000
gpuvm.parameter @own = @vertices / ranks@
gpuvm.parameter @even = @1.0 / vertices@
gpuvm.parameter @rest = @0.15 / vertices@

!all = tensor<@vertices@xf32>
!block = tensor<@own@xf32>
!degrees = tensor<@own@xi32>
!edges = tensor<@edges@xi32>
!offsets = tensor<@own + 1@xi32>
!real = tensor<f32>
#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>

// `source` is where the edges begin, by the vertices of the block where they
// end: those of vertex v are offsets[v] to offsets[v + 1] - 1. `degree` is how
// many edges begin in each vertex of the block.
gpuvm.program @pagerank(%source: !edges, %offsets: !offsets, %degree: !degrees) -> (rank: !block) ranks(@ranks@) {
  %start = gpuvm.stage @start() -> !block {
    %v = arith.constant dense<@even@> : !block
    gpuvm.send %v : !block
  }
  %last = gpuvm.repeat @iteration up_to @iterations@ (%r = %start : !gpuvm.message<!block>) {
    %share, %lost = gpuvm.stage @share(%v = %r : !gpuvm.message<!block>, %d = %degree : !degrees) -> (!block, !real) {
      %empty = tensor.empty() : !block
      %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%v, %d : !block, !degrees) outs(%empty : !block) {
      ^bb0(%rank: f32, %edges: i32, %o: f32):
        %c1 = arith.constant 1 : i32
        %least = arith.maxsi %edges, %c1 : i32
        %n = arith.sitofp %least : i32 to f32
        %each = arith.divf %rank, %n : f32
        linalg.yield %each : f32
      } -> !block
      // What ends nowhere is spread over all vertices.
      %zero = arith.constant dense<0.0> : !real
      %l = linalg.generic {indexing_maps = [#id, #id, #one], iterator_types = ["reduction"]}
          ins(%v, %d : !block, !degrees) outs(%zero : !real) {
      ^bb0(%rank: f32, %edges: i32, %before: f32):
        %c0 = arith.constant 0 : i32
        %none = arith.constant 0.0 : f32
        %dangles = arith.cmpi eq, %edges, %c0 : i32
        %part = arith.select %dangles, %rank, %none : f32
        %sum = arith.addf %before, %part : f32
        linalg.yield %sum : f32
      } -> !real
      gpuvm.send %s, %l : !block, !real
    }
    %shares = gpuvm.all_gather %share axis(0) : !gpuvm.message<!block> -> !all
    %loss = gpuvm.all_reduce %lost add : !gpuvm.message<!real>
    %next = gpuvm.stage @sum(%all = %shares : !all, %l = %loss : !real, %from = %source : !edges, %o = %offsets : !offsets) -> !block {
      %empty = tensor.empty() : tensor<@edges@xf32>
      %given = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%from : !edges) outs(%empty : tensor<@edges@xf32>) {
      ^bb0(%v: i32, %u: f32):
        %at = arith.index_cast %v : i32 to index
        %g = tensor.extract %all[%at] : !all
        linalg.yield %g : f32
      } -> tensor<@edges@xf32>
      %zero = arith.constant dense<0.0> : !real
      %arrived = gpuvm.segment_reduce %given by %o from %zero : (tensor<@edges@xf32>, !offsets, !real) -> !block {
      ^bb0(%before: f32, %g: f32):
        %s = arith.addf %before, %g : f32
        gpuvm.yield %s : f32
      }
      %new = tensor.empty() : !block
      %r2 = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]}
          ins(%arrived, %l : !block, !real) outs(%new : !block) {
      ^bb0(%sum: f32, %lost1: f32, %u: f32):
        %even = arith.constant @even@ : f32
        %spread = arith.mulf %lost1, %even : f32
        %came = arith.addf %sum, %spread : f32
        %damping = arith.constant 0.85 : f32
        %most = arith.mulf %came, %damping : f32
        %rest = arith.constant @rest@ : f32
        %v = arith.addf %most, %rest : f32
        linalg.yield %v : f32
      } -> !block
      gpuvm.send %r2 : !block
    }
    gpuvm.next %next : !gpuvm.message<!block>
  }
  gpuvm.return %last : !gpuvm.message<!block>
}
