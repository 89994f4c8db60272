// A fluid on a torus by the lattice Boltzmann method (D2Q9, BGK), whose rows are
// cut into blocks, one for each rank, written on the whole lattice. A cell has nine
// densities that go nine ways: density 3 i + j goes x by columns and y by rows, where
// x and y are number i and j of 0, 1, -1. In a step all move, rows first, and then
// relax towards the balance that has the same mass and momentum.
//
//   gpuvm-compile lattice.mlir --set ranks=4 --set rows=512 --set width=512 -o lattice.gvplan
//   mpirun -n 4 gpuvm-run lattice.gvplan --input=start=@start.{rank}.npy --output=end=@end.{rank}.npy

gpuvm.parameter @ranks = 1 in 1 to 1024 "blocks of rows"
gpuvm.parameter @rows = 96 in 3 to 65536 "of the lattice, a multiple of the ranks"
gpuvm.parameter @width = 64 in 3 to 65536 "of a row"
gpuvm.parameter @steps = 100 in 1 to 1000000 "in one execution"
gpuvm.parameter @relaxation = 1.2

!cells = tensor<9x@rows@x@width@xf32>
!third = tensor<3x@rows@x@width@xf32>
!row = tensor<3x1x@width@xf32>
!rows = tensor<3x@rows - 1@x@width@xf32>
!column = tensor<3x@rows@x1xf32>
!columns = tensor<3x@rows@x@width - 1@xf32>
!place = tensor<@rows@x@width@xf32>
!ways = tensor<9xf32>
#cell = affine_map<(k, y, x) -> (k, y, x)>
#way = affine_map<(k, y, x) -> (k)>
#place = affine_map<(k, y, x) -> (y, x)>

gpuvm.program @lattice(%start: !cells {gpuvm.sharding = #gpuvm.sharding<1>})
    -> (end: !cells {gpuvm.sharding = #gpuvm.sharding<1>}) ranks(@ranks@) {
  %end = gpuvm.repeat @steps up_to @steps@ (%cells = %start : !cells) {
    %moved = gpuvm.stage @move(%f = %cells : !gpuvm.message<!cells>) -> !cells {
      %level = tensor.extract_slice %f[0, 0, 0] [3, @rows@, @width@] [3, 1, 1] : !cells to !third
      %down = tensor.extract_slice %f[1, 0, 0] [3, @rows@, @width@] [3, 1, 1] : !cells to !third
      %up = tensor.extract_slice %f[2, 0, 0] [3, @rows@, @width@] [3, 1, 1] : !cells to !third
      %bottom = tensor.extract_slice %down[0, @rows - 1@, 0] [3, 1, @width@] [1, 1, 1] : !third to !row
      %not_bottom = tensor.extract_slice %down[0, 0, 0] [3, @rows - 1@, @width@] [1, 1, 1] : !third to !rows
      %top = tensor.extract_slice %up[0, 0, 0] [3, 1, @width@] [1, 1, 1] : !third to !row
      %not_top = tensor.extract_slice %up[0, 1, 0] [3, @rows - 1@, @width@] [1, 1, 1] : !third to !rows
      %downwards = tensor.concat dim(1) %bottom, %not_bottom : (!row, !rows) -> !third
      %upwards = tensor.concat dim(1) %not_top, %top : (!rows, !row) -> !third

      // By rows: density 3 j + i.
      %g = tensor.concat dim(0) %level, %downwards, %upwards : (!third, !third, !third) -> !cells
      %stays = tensor.extract_slice %g[0, 0, 0] [3, @rows@, @width@] [3, 1, 1] : !cells to !third
      %right = tensor.extract_slice %g[1, 0, 0] [3, @rows@, @width@] [3, 1, 1] : !cells to !third
      %left = tensor.extract_slice %g[2, 0, 0] [3, @rows@, @width@] [3, 1, 1] : !cells to !third
      %end = tensor.extract_slice %right[0, 0, @width - 1@] [3, @rows@, 1] [1, 1, 1] : !third to !column
      %not_end = tensor.extract_slice %right[0, 0, 0] [3, @rows@, @width - 1@] [1, 1, 1] : !third to !columns
      %begin = tensor.extract_slice %left[0, 0, 0] [3, @rows@, 1] [1, 1, 1] : !third to !column
      %not_begin = tensor.extract_slice %left[0, 0, 1] [3, @rows@, @width - 1@] [1, 1, 1] : !third to !columns
      %rightwards = tensor.concat dim(2) %end, %not_end : (!column, !columns) -> !third
      %leftwards = tensor.concat dim(2) %not_begin, %begin : (!columns, !column) -> !third
      %all = tensor.concat dim(0) %stays, %rightwards, %leftwards : (!third, !third, !third) -> !cells
      gpuvm.send %all : !cells
    }
    %next = gpuvm.stage @relax(%f = %moved : !gpuvm.message<!cells>) -> !cells {
      %cy = arith.constant dense<[0.0, 1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, -1.0]> : !ways
      %cx = arith.constant dense<[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0]> : !ways
      %weights = arith.constant dense<[0.44444444, 0.11111111, 0.11111111, 0.11111111, 0.02777778, 0.02777778,
                                       0.11111111, 0.02777778, 0.02777778]> : !ways
      %zero = arith.constant dense<0.0> : !place
      %mass, %flow_y, %flow_x = linalg.generic {indexing_maps = [#cell, #way, #way, #place, #place, #place],
                                                iterator_types = ["reduction", "parallel", "parallel"]}
          ins(%f, %cy, %cx : !cells, !ways, !ways) outs(%zero, %zero, %zero : !place, !place, !place) {
      ^bb0(%d: f32, %y: f32, %x: f32, %m: f32, %fy: f32, %fx: f32):
        %dy = arith.mulf %d, %y : f32
        %dx = arith.mulf %d, %x : f32
        %m1 = arith.addf %m, %d : f32
        %fy1 = arith.addf %fy, %dy : f32
        %fx1 = arith.addf %fx, %dx : f32
        linalg.yield %m1, %fy1, %fx1 : f32, f32, f32
      } -> (!place, !place, !place)
      %empty = tensor.empty() : !cells
      %relaxed = linalg.generic {indexing_maps = [#cell, #way, #way, #way, #place, #place, #place, #cell],
                                 iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%f, %weights, %cy, %cx, %mass, %flow_y, %flow_x : !cells, !ways, !ways, !ways, !place, !place, !place)
          outs(%empty : !cells) {
      ^bb0(%d: f32, %w: f32, %y: f32, %x: f32, %m: f32, %fy: f32, %fx: f32, %unused: f32):
        %one = arith.constant 1.0 : f32
        %c15 = arith.constant 1.5 : f32
        %c3 = arith.constant 3.0 : f32
        %half = arith.constant 0.5 : f32
        %rate = arith.constant @relaxation@ : f32
        %vy = arith.divf %fy, %m : f32
        %vx = arith.divf %fx, %m : f32
        %yy = arith.mulf %vy, %vy : f32
        %xx = arith.mulf %vx, %vx : f32
        %speed = arith.addf %yy, %xx : f32
        %square = arith.mulf %speed, %c15 : f32
        %ay = arith.mulf %y, %vy : f32
        %ax = arith.mulf %x, %vx : f32
        %a = arith.addf %ay, %ax : f32
        %along = arith.mulf %a, %c3 : f32
        %twice = arith.mulf %along, %along : f32
        %bent = arith.mulf %twice, %half : f32
        %s1 = arith.addf %one, %along : f32
        %s2 = arith.addf %s1, %bent : f32
        %s3 = arith.subf %s2, %square : f32
        %share = arith.mulf %w, %m : f32
        %balance = arith.mulf %share, %s3 : f32
        %away = arith.subf %balance, %d : f32
        %change = arith.mulf %away, %rate : f32
        %r = arith.addf %d, %change : f32
        linalg.yield %r : f32
      } -> !cells
      gpuvm.send %relaxed : !cells
    }
    gpuvm.next %next : !gpuvm.message<!cells>
  }
  gpuvm.return %end : !gpuvm.message<!cells>
}
