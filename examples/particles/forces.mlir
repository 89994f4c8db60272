// Forces of short range between particles in a box of side 8 whose opposite faces are
// one: a particle at distance r < 1 pushes with (1 - r^2)^2 times the vector to it, and
// none other does.
//
// The box has 8x8x8 cells of side 1, so whoever is near stands in one of the 27 cells
// around. Particles are sorted by their cells, and a search says where each cell begins
// among them. A body then goes over the 27 cells of a particle, and over the particles of
// each; neighbours in the box are neighbours in memory. In the end forces go back to where
// the particles came from.
//
// Positions are f32 from 0 to less than 8.

gpuvm.parameter @n = 2000 in 1 to 100000000 "particles"

!real = tensor<@n@xf32>
!int = tensor<@n@xi32>
!starts = tensor<513xi32>
!reals = !gpuvm.message<!real>
!ints = !gpuvm.message<!int>
#row = affine_map<(p) -> (p)>

gpuvm.program @forces(%x: !real, %y: !real, %z: !real) -> (fx: !real, fy: !real, fz: !real) {
  // Particles in the order of their cells, where each came from, and where cells begin.
  %sorted:5 = gpuvm.stage @cells(%x_ = %x : !real, %y_ = %y : !real, %z_ = %z : !real)
      -> (!real, !real, !real, !int, !starts) {
    %some = tensor.empty() : !int
    %cells = linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%x_, %y_, %z_ : !real, !real, !real) outs(%some : !int) {
    ^bb0(%a: f32, %b: f32, %c: f32, %unused: i32):
      %side = arith.constant 8 : i32
      %i = arith.fptosi %a : f32 to i32
      %j = arith.fptosi %b : f32 to i32
      %k = arith.fptosi %c : f32 to i32
      %planes = arith.muli %k, %side : i32
      %rows = arith.addi %planes, %j : i32
      %cells = arith.muli %rows, %side : i32
      %cell = arith.addi %cells, %i : i32
      linalg.yield %cell : i32
    } -> !int
    %s:5 = gpuvm.sort %cells payloads(%x_, %y_, %z_) numbers : !int, !real, !real, !real
    %numbers = tensor.generate {
    ^bb0(%n: index):
      %number = arith.index_cast %n : index to i32
      tensor.yield %number : i32
    } : !starts
    %starts = gpuvm.search_sorted %s#0, %numbers : !int, !starts -> !starts
    gpuvm.send %s#1, %s#2, %s#3, %s#4, %starts : !real, !real, !real, !int, !starts
  }

  %f:3 = gpuvm.stage @around(%x_ = %sorted#0 : !reals, %y_ = %sorted#1 : !reals, %z_ = %sorted#2 : !reals,
                             %from = %sorted#3 : !ints, %starts = %sorted#4 : !gpuvm.message<!starts>)
      -> (!real, !real, !real) {
    %some = tensor.empty() : !real
    %sums:3 = linalg.generic {
        indexing_maps = [#row, #row, #row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%x_, %y_, %z_ : !real, !real, !real) outs(%some, %some, %some : !real, !real, !real) {
    ^bb0(%xi: f32, %yi: f32, %zi: f32, %o0: f32, %o1: f32, %o2: f32):
      %none = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %side = arith.constant 8.0 : f32
      %eighth = arith.constant 0.125 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %ci = arith.fptosi %xi : f32 to i32
      %cj = arith.fptosi %yi : f32 to i32
      %ck = arith.fptosi %zi : f32 to i32
      %i = arith.index_cast %ci : i32 to index
      %j = arith.index_cast %cj : i32 to index
      %k = arith.index_cast %ck : i32 to index
      // Seven further is one back, modulo 8.
      %i7 = arith.addi %i, %c7 : index
      %j7 = arith.addi %j, %c7 : index
      %k7 = arith.addi %k, %c7 : index
      %f:3 = scf.for %dk = %c0 to %c3 step %c1 iter_args(%kx = %none, %ky = %none, %kz = %none) -> (f32, f32, f32) {
        %kk = arith.addi %k7, %dk : index
        %plane = arith.remui %kk, %c8 : index
        %planes = arith.muli %plane, %c8 : index
        %fk:3 = scf.for %dj = %c0 to %c3 step %c1 iter_args(%jx = %kx, %jy = %ky, %jz = %kz) -> (f32, f32, f32) {
          %jj = arith.addi %j7, %dj : index
          %line = arith.remui %jj, %c8 : index
          %lines = arith.addi %planes, %line : index
          %cells = arith.muli %lines, %c8 : index
          %fj:3 = scf.for %di = %c0 to %c3 step %c1 iter_args(%ix = %jx, %iy = %jy, %iz = %jz) -> (f32, f32, f32) {
            %ii = arith.addi %i7, %di : index
            %inLine = arith.remui %ii, %c8 : index
            %cell = arith.addi %cells, %inLine : index
            %next = arith.addi %cell, %c1 : index
            %first = tensor.extract %starts[%cell] : !starts
            %behind = tensor.extract %starts[%next] : !starts
            %begin = arith.index_cast %first : i32 to index
            %end = arith.index_cast %behind : i32 to index
            %fi:3 = scf.for %p = %begin to %end step %c1 iter_args(%sx = %ix, %sy = %iy, %sz = %iz) -> (f32, f32, f32) {
              %xj = tensor.extract %x_[%p] : !real
              %yj = tensor.extract %y_[%p] : !real
              %zj = tensor.extract %z_[%p] : !real
              // The nearest of its images.
              %ax = arith.subf %xj, %xi : f32
              %ay = arith.subf %yj, %yi : f32
              %az = arith.subf %zj, %zi : f32
              %bx = arith.mulf %ax, %eighth : f32
              %by = arith.mulf %ay, %eighth : f32
              %bz = arith.mulf %az, %eighth : f32
              %rx = math.roundeven %bx : f32
              %ry = math.roundeven %by : f32
              %rz = math.roundeven %bz : f32
              %wx = arith.mulf %rx, %side : f32
              %wy = arith.mulf %ry, %side : f32
              %wz = arith.mulf %rz, %side : f32
              %dx = arith.subf %ax, %wx : f32
              %dy = arith.subf %ay, %wy : f32
              %dz = arith.subf %az, %wz : f32
              %xx = arith.mulf %dx, %dx : f32
              %yy = arith.mulf %dy, %dy : f32
              %zz = arith.mulf %dz, %dz : f32
              %xy = arith.addf %xx, %yy : f32
              %square = arith.addf %xy, %zz : f32
              // Zero from distance 1 on; a particle does nothing to itself.
              %rest = arith.subf %one, %square : f32
              %near = arith.maximumf %rest, %none : f32
              %push = arith.mulf %near, %near : f32
              %px = arith.mulf %push, %dx : f32
              %py = arith.mulf %push, %dy : f32
              %pz = arith.mulf %push, %dz : f32
              %tx = arith.subf %sx, %px : f32
              %ty = arith.subf %sy, %py : f32
              %tz = arith.subf %sz, %pz : f32
              scf.yield %tx, %ty, %tz : f32, f32, f32
            }
            scf.yield %fi#0, %fi#1, %fi#2 : f32, f32, f32
          }
          scf.yield %fj#0, %fj#1, %fj#2 : f32, f32, f32
        }
        scf.yield %fk#0, %fk#1, %fk#2 : f32, f32, f32
      }
      linalg.yield %f#0, %f#1, %f#2 : f32, f32, f32
    } -> (!real, !real, !real)
    %zero = arith.constant dense<0.0> : !real
    %back:3 = gpuvm.scatter last, last, last %sums#0, %sums#1, %sums#2 at %from into %zero, %zero, %zero
        : (!real, !real, !real, !int, !real, !real, !real) -> (!real, !real, !real)
    gpuvm.send %back#0, %back#1, %back#2 : !real, !real, !real
  }
  gpuvm.return %f#0, %f#1, %f#2 : !reals, !reals, !reals
}
