// Spheres in a box: 100,000 of them, that fall, collide and drag each other by threads.
//
// All have mass 1 and diameter 1. Two that overlap by d push each other apart with 8000 d, less 24 times the speed with
// which they part (a spring and a dashpot), and so does a wall that the rim of a sphere is behind by d. A sphere may have up to two
// partners, which it is bound to at the distance 1.02: threads and rings.
//
// Places q and speeds v are axes by spheres, f32. Time is counted in ticks, 4096 a unit of time.
//
// A frame is a number of grids: spheres are sorted by the cells of side 1.25 that they are in, and whoever overlaps stands
// in one of the 27 cells around, until some sphere may have moved by 0.125. A grid is a number of sub-steps (Verlet):
// spheres drift for half of it, are pushed for all of it, and drift for the other half; then bonds are set right.
//
// A regulator looks at the largest speed and overlap behind each sub-step and says how long the next one is. All
// frames are one submit.

gpuvm.parameter @n = 100000 "spheres"
gpuvm.parameter @cells = 96000 "of the box: 40 x 40 x 60"
gpuvm.parameter @grids = 80 "of a frame, at most"
gpuvm.parameter @frames = 6

!real = tensor<@n@xf32>
!vectors = tensor<3x@n@xf32>
!places = tensor<1x3x@n@xf32>
!film = tensor<@frames + 1@x3x@n@xf32>
!int = tensor<@n@xi32>
!partners = tensor<2x@n@xi32>
!starts = tensor<@cells + 1@xi32>
!axes = tensor<3xf32>
!cells = tensor<3xi32>
!scalar = tensor<f32>
!word = tensor<i32>
!flag = tensor<i1>
!books = tensor<16xf64>
!diary = tensor<4096x16xf64>
!mr = !gpuvm.message<!real>
!mv = !gpuvm.message<!vectors>
!mi = !gpuvm.message<!int>
!ms = !gpuvm.message<!scalar>
!mw = !gpuvm.message<!word>
!mf = !gpuvm.message<!flag>
!md = !gpuvm.message<tensor<f64>>
!m3 = !gpuvm.message<tensor<3xf64>>
#p = affine_map<(p) -> (p)>
#all = affine_map<(k, p) -> (k, p)>
#axis = affine_map<(k, p) -> (k)>
#sphere = affine_map<(k, p) -> (p)>
#one = affine_map<(k, p) -> ()>
#sum = affine_map<(p) -> ()>

gpuvm.program @box(%start: !vectors, %speed: !vectors, %partners: !partners, %size: !axes, %counts: !cells, %gravity: !axes, %frame: !word)
    -> (film: !film, speeds: !vectors, diary: !diary, written: !word, state: !word) {
  gpuvm.global @q : !vectors
  gpuvm.global @v : !vectors
  gpuvm.global @film : !film
  // What the books say behind each sub-step (run.py names the columns).
  gpuvm.global @diary : !diary
  gpuvm.metric @books : !books
  gpuvm.metric @written : !word
  gpuvm.metric @grids : !word
  gpuvm.metric @condition : !word
  // How many ticks a sub-step takes: the regulator writes it, the next sub-step applies it.
  gpuvm.control @ticks : !word
  gpuvm.control @least : !word = dense<1> : !word
  gpuvm.control @most : !word = dense<32> : !word

  // The cell of a place along an axis of so many cells.
  func.func private @cell(%place: f32, %cells: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %unit = arith.constant 1 : i32
    %per = arith.constant 0.8 : f32 // 1 / 1.25
    %scaled = arith.mulf %place, %per : f32
    %i = arith.fptosi %scaled : f32 to i32
    %last = arith.subi %cells, %unit : i32
    %below = arith.minsi %i, %last : i32
    %inside = arith.maxsi %below, %zero : i32
    func.return %inside : i32
  }
  func.func private @dot(%ax: f32, %ay: f32, %az: f32, %bx: f32, %by: f32, %bz: f32) -> f32 {
    %xx = arith.mulf %ax, %bx : f32
    %yy = arith.mulf %ay, %by : f32
    %zz = arith.mulf %az, %bz : f32
    %xy = arith.addf %xx, %yy : f32
    %r = arith.addf %xy, %zz : f32
    func.return %r : f32
  }

  %origin = arith.constant dense<0> : !word
  %atRest = arith.constant dense<0.0> : !scalar

  gpuvm.stage @place(%q_ = %start : !vectors, %v_ = %speed : !vectors) {
    gpuvm.store %q_, @q : !vectors
    gpuvm.store %v_, @v : !vectors
    %first = arith.constant dense<0> : !word
    %picture = tensor.expand_shape %q_ [[0, 1], [2]] output_shape [1, 3, @n@] : !vectors into !places
    gpuvm.store %picture, @film[%first] : !places
    %empty = arith.constant dense<0.0> : !books
    gpuvm.store %empty, @books : !books
    gpuvm.store %first, @written : !word
    gpuvm.store %first, @grids : !word
    gpuvm.store %first, @condition : !word
    %long = arith.constant dense<16> : !word
    gpuvm.store %long, @ticks : !word
  }

  %last = gpuvm.repeat @frames up_to @frames@ (%frameNumber = %origin : !word) {
    %t_end = gpuvm.repeat @build up_to @grids@ (%t0 = %origin : !word) {
      // Spheres by their cells; those outside of the box, and those that are nowhere, are in the next one.
      %order, %begins = gpuvm.stage @grid(%n_ = %counts : !cells) -> (!int, !starts) {
        %q_ = gpuvm.load @q : !vectors
        %e = tensor.empty() : !int
        %cells = linalg.generic {indexing_maps = [#p], iterator_types = ["parallel"]} outs(%e : !int) {
        ^bb0(%o: i32):
          %p = linalg.index 0 : index
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %nx = tensor.extract %n_[%c0] : !cells
          %ny = tensor.extract %n_[%c1] : !cells
          %nz = tensor.extract %n_[%c2] : !cells
          %x = tensor.extract %q_[%c0, %p] : !vectors
          %y = tensor.extract %q_[%c1, %p] : !vectors
          %z = tensor.extract %q_[%c2, %p] : !vectors
          %i = func.call @cell(%x, %nx) : (f32, i32) -> i32
          %j = func.call @cell(%y, %ny) : (f32, i32) -> i32
          %k = func.call @cell(%z, %nz) : (f32, i32) -> i32
          %plane = arith.muli %k, %ny : i32
          %row = arith.addi %plane, %j : i32
          %line = arith.muli %row, %nx : i32
          %cell = arith.addi %line, %i : i32
          linalg.yield %cell : i32
        } -> !int
        %sorted, %from = gpuvm.sort %cells numbers : !int
        %numbers = tensor.generate {
        ^bb0(%i: index):
          %id = arith.index_cast %i : index to i32
          tensor.yield %id : i32
        } : !starts
        %starts = gpuvm.search_sorted %sorted, %numbers : !int, !starts -> !starts
        %so_far = gpuvm.load @grids : !word
        %unit = arith.constant dense<1> : !word
        %more = arith.addi %so_far, %unit : !word
        gpuvm.store %more, @grids : !word
        gpuvm.send %from, %starts : !int, !starts
      }

      %t_now, %moved_now = gpuvm.repeat @substeps up_to 3 (%time = %t0 : !mw, %moved = %atRest : !scalar) {
        %length, %step = gpuvm.stage @clock(%now = %time : !mw, %end = %frame : !word) -> (!word, !scalar) {
          %ticks = gpuvm.load @ticks : !word
          %left = arith.subi %end, %now : !word
          %m = arith.minsi %ticks, %left : !word
          %f = arith.sitofp %m : !word to !scalar
          %tick = arith.constant dense<0.000244140625> : !scalar // 1 / 4096
          %r = arith.mulf %f, %tick : !scalar
          gpuvm.send %m, %r : !word, !scalar
        }
        %centre = gpuvm.stage @drift(%h_ = %step : !ms) -> !vectors {
          %q_ = gpuvm.load @q : !vectors
          %v_ = gpuvm.load @v : !vectors
          %e = tensor.empty() : !vectors
          %r = linalg.generic {indexing_maps = [#all, #all, #one, #all], iterator_types = ["parallel", "parallel"]}
              ins(%q_, %v_, %h_ : !vectors, !vectors, !scalar) outs(%e : !vectors) {
          ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
            %c = arith.constant 0.5 : f32
            %d2 = arith.mulf %d, %c : f32
            %way = arith.mulf %b, %d2 : f32
            %new = arith.addf %a, %way : f32
            linalg.yield %new : f32
          } -> !vectors
          gpuvm.send %r : !vectors
        }
        // What the spheres around do to each: force, elastic energy, power that becomes heat, largest overlap. A pair gives half
        // of its energy and heat to each.
        %pushX, %pushY, %pushZ, %elastic, %power, %overlaps = gpuvm.stage @collide
            (%q_ = %centre : !mv, %order_ = %order : !mi, %starts_ = %begins : !gpuvm.message<!starts>, %n_ = %counts : !cells, %h_ = %step : !ms)
            -> (!real, !real, !real, !real, !real, !real) {
          %v_ = gpuvm.load @v : !vectors
          %e = tensor.empty() : !real
          %f:6 = linalg.generic {indexing_maps = [#sum, #p, #p, #p, #p, #p, #p], iterator_types = ["parallel"]}
              ins(%h_ : !scalar) outs(%e, %e, %e, %e, %e, %e : !real, !real, !real, !real, !real, !real) {
          ^bb0(%t: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32):
            %p = linalg.index 0 : index
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %c2 = arith.constant 2 : index
            %c3 = arith.constant 3 : index
            %c9 = arith.constant 9 : index
            %zero = arith.constant 0 : i32
            %unit = arith.constant 1 : i32
            %none = arith.constant 0.0 : f32
            %one = arith.constant 1.0 : f32
            %stiffness = arith.constant 8000.0 : f32
            %quarter = arith.constant 2000.0 : f32
            %damping = arith.constant 24.0 : f32
            %halfDamping = arith.constant 12.0 : f32
            %nx = tensor.extract %n_[%c0] : !cells
            %ny = tensor.extract %n_[%c1] : !cells
            %nz = tensor.extract %n_[%c2] : !cells
            %x = tensor.extract %q_[%c0, %p] : !vectors
            %y = tensor.extract %q_[%c1, %p] : !vectors
            %z = tensor.extract %q_[%c2, %p] : !vectors
            %u = tensor.extract %v_[%c0, %p] : !vectors
            %v = tensor.extract %v_[%c1, %p] : !vectors
            %w = tensor.extract %v_[%c2, %p] : !vectors
            %i = func.call @cell(%x, %nx) : (f32, i32) -> i32
            %j = func.call @cell(%y, %ny) : (f32, i32) -> i32
            %k = func.call @cell(%z, %nz) : (f32, i32) -> i32
            %lx = arith.subi %nx, %unit : i32
            %ly = arith.subi %ny, %unit : i32
            %lz = arith.subi %nz, %unit : i32
            %left = arith.subi %i, %unit : i32
            %right = arith.addi %i, %unit : i32
            %west = arith.maxsi %left, %zero : i32
            %east = arith.minsi %right, %lx : i32
            // Nine rows of three cells each, which are side by side among the sorted spheres.
            %sum:6 = scf.for %r = %c0 to %c9 step %c1
                iter_args(%ax = %none, %ay = %none, %az = %none, %ae = %none, %ap = %none, %ao = %none) -> (f32, f32, f32, f32, f32, f32) {
              %rj = arith.remui %r, %c3 : index
              %rk = arith.divui %r, %c3 : index
              %dj = arith.index_cast %rj : index to i32
              %dk = arith.index_cast %rk : index to i32
              %j1 = arith.addi %j, %dj : i32
              %k1 = arith.addi %k, %dk : i32
              %jj = arith.subi %j1, %unit : i32
              %kk = arith.subi %k1, %unit : i32
              %jn = arith.minsi %jj, %ly : i32
              %kn = arith.minsi %kk, %lz : i32
              %jc = arith.maxsi %jn, %zero : i32
              %kc = arith.maxsi %kn, %zero : i32
              %inRow = arith.cmpi eq, %jc, %jj : i32
              %inPlane = arith.cmpi eq, %kc, %kk : i32
              %isInside = arith.andi %inRow, %inPlane : i1
              %plane = arith.muli %kc, %ny : i32
              %row = arith.addi %plane, %jc : i32
              %line = arith.muli %row, %nx : i32
              %low = arith.addi %line, %west : i32
              %high = arith.addi %line, %east : i32
              %behind = arith.addi %high, %unit : i32
              %lowCell = arith.index_cast %low : i32 to index
              %highCell = arith.index_cast %behind : i32 to index
              %first = tensor.extract %starts_[%lowCell] : !starts
              %after = tensor.extract %starts_[%highCell] : !starts
              %end = arith.select %isInside, %after, %first : i32
              %from = arith.index_cast %first : i32 to index
              %to = arith.index_cast %end : i32 to index
              %s:6 = scf.for %c = %from to %to step %c1
                  iter_args(%bx = %ax, %by = %ay, %bz = %az, %be = %ae, %bp = %ap, %bo = %ao) -> (f32, f32, f32, f32, f32, f32) {
                %other = tensor.extract %order_[%c] : !int
                %m = arith.index_cast %other : i32 to index
                %xj = tensor.extract %q_[%c0, %m] : !vectors
                %yj = tensor.extract %q_[%c1, %m] : !vectors
                %zj = tensor.extract %q_[%c2, %m] : !vectors
                %dx = arith.subf %x, %xj : f32
                %dy = arith.subf %y, %yj : f32
                %dz = arith.subf %z, %zj : f32
                %rr = func.call @dot(%dx, %dy, %dz, %dx, %dy, %dz) : (f32, f32, f32, f32, f32, f32) -> f32
                // Not itself, nor one in the same place, which has no direction.
                %isApart = arith.cmpf ogt, %rr, %none : f32
                %isNear = arith.cmpf olt, %rr, %one : f32
                %touches = arith.andi %isApart, %isNear : i1
                %a:6 = scf.if %touches -> (f32, f32, f32, f32, f32, f32) {
                  %uj = tensor.extract %v_[%c0, %m] : !vectors
                  %vj = tensor.extract %v_[%c1, %m] : !vectors
                  %wj = tensor.extract %v_[%c2, %m] : !vectors
                  %du = arith.subf %u, %uj : f32
                  %dv = arith.subf %v, %vj : f32
                  %dw = arith.subf %w, %wj : f32
                  %d = math.sqrt %rr : f32
                  %overlap = arith.subf %one, %d : f32
                  %uvw = func.call @dot(%du, %dv, %dw, %dx, %dy, %dz) : (f32, f32, f32, f32, f32, f32) -> f32
                  %parting = arith.divf %uvw, %d : f32
                  %push = arith.mulf %stiffness, %overlap : f32
                  %drag = arith.mulf %damping, %parting : f32
                  %force = arith.subf %push, %drag : f32
                  %g = arith.divf %force, %d : f32
                  %gx = arith.mulf %g, %dx : f32
                  %gy = arith.mulf %g, %dy : f32
                  %gz = arith.mulf %g, %dz : f32
                  %square = arith.mulf %overlap, %overlap : f32
                  %stored = arith.mulf %quarter, %square : f32
                  %lost = arith.mulf %halfDamping, %parting : f32
                  // By the middle of the sub-step the pair parts faster by what it pushes.
                  %faster = arith.mulf %force, %t : f32
                  %mean = arith.addf %parting, %faster : f32
                  %loss = arith.mulf %lost, %mean : f32
                  %nx1 = arith.addf %bx, %gx : f32
                  %ny1 = arith.addf %by, %gy : f32
                  %nz1 = arith.addf %bz, %gz : f32
                  %ne = arith.addf %be, %stored : f32
                  %np = arith.addf %bp, %loss : f32
                  %no = arith.maximumf %bo, %overlap : f32
                  scf.yield %nx1, %ny1, %nz1, %ne, %np, %no : f32, f32, f32, f32, f32, f32
                } else {
                  scf.yield %bx, %by, %bz, %be, %bp, %bo : f32, f32, f32, f32, f32, f32
                }
                scf.yield %a#0, %a#1, %a#2, %a#3, %a#4, %a#5 : f32, f32, f32, f32, f32, f32
              }
              scf.yield %s#0, %s#1, %s#2, %s#3, %s#4, %s#5 : f32, f32, f32, f32, f32, f32
            }
            linalg.yield %sum#0, %sum#1, %sum#2, %sum#3, %sum#4, %sum#5 : f32, f32, f32, f32, f32, f32
          } -> (!real, !real, !real, !real, !real, !real)
          gpuvm.send %f#0, %f#1, %f#2, %f#3, %f#4, %f#5 : !real, !real, !real, !real, !real, !real
        }
        // What walls do: force, elastic energy and power along each axis.
        %wall, %wallElastic, %wallPower = gpuvm.stage @walls(%q_ = %centre : !mv, %l_ = %size : !axes, %h_ = %step : !ms)
            -> (!vectors, !vectors, !vectors) {
          %v_ = gpuvm.load @v : !vectors
          %e = tensor.empty() : !vectors
          %r:3 = linalg.generic {indexing_maps = [#all, #all, #axis, #one, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
              ins(%q_, %v_, %l_, %h_ : !vectors, !vectors, !axes, !scalar) outs(%e, %e, %e : !vectors, !vectors, !vectors) {
          ^bb0(%a: f32, %b: f32, %l: f32, %t: f32, %o0: f32, %o1: f32, %o2: f32):
            %none = arith.constant 0.0 : f32
            %half = arith.constant 0.5 : f32
            %stiffness = arith.constant 8000.0 : f32
            %damping = arith.constant 24.0 : f32
            %low = arith.subf %half, %a : f32
            %inner = arith.subf %l, %half : f32
            %high = arith.subf %a, %inner : f32
            %isLow = arith.cmpf ogt, %low, %none : f32
            %isHigh = arith.cmpf ogt, %high, %none : f32
            %l0 = arith.select %isLow, %low, %none : f32
            %h0 = arith.select %isHigh, %high, %none : f32
            %inward = arith.subf %l0, %h0 : f32
            %push = arith.mulf %stiffness, %inward : f32
            %touches = arith.ori %isLow, %isHigh : i1
            %b0 = arith.select %touches, %b, %none : f32
            %drag = arith.mulf %damping, %b0 : f32
            %force = arith.subf %push, %drag : f32
            %work = arith.mulf %push, %inward : f32
            %stored = arith.mulf %work, %half : f32
            %t2 = arith.mulf %t, %half : f32
            %faster = arith.mulf %force, %t2 : f32
            %mean = arith.addf %b0, %faster : f32
            %warmth = arith.mulf %drag, %mean : f32
            linalg.yield %force, %stored, %warmth : f32, f32, f32
          } -> (!vectors, !vectors, !vectors)
          gpuvm.send %r#0, %r#1, %r#2 : !vectors, !vectors, !vectors
        }
        // Pushes, and drifts for the other half. Kinetic energy is that of the middle, where the forces are.
        %q1, %v1, %kinetic, %height = gpuvm.stage @push
            (%q_ = %centre : !mv, %fx_ = %pushX : !mr, %fy_ = %pushY : !mr, %fz_ = %pushZ : !mr, %w_ = %wall : !mv, %g_ = %gravity : !axes, %h_ = %step : !ms)
            -> (!vectors, !vectors, tensor<f64>, tensor<f64>) {
          %v_ = gpuvm.load @v : !vectors
          %x1 = tensor.expand_shape %fx_ [[0, 1]] output_shape [1, @n@] : !real into tensor<1x@n@xf32>
          %y1 = tensor.expand_shape %fy_ [[0, 1]] output_shape [1, @n@] : !real into tensor<1x@n@xf32>
          %z1 = tensor.expand_shape %fz_ [[0, 1]] output_shape [1, @n@] : !real into tensor<1x@n@xf32>
          %f = tensor.concat dim(0) %x1, %y1, %z1 : (tensor<1x@n@xf32>, tensor<1x@n@xf32>, tensor<1x@n@xf32>) -> !vectors
          %e = tensor.empty() : !vectors
          %r:2 = linalg.generic {indexing_maps = [#all, #all, #all, #all, #axis, #one, #all, #all], iterator_types = ["parallel", "parallel"]}
              ins(%q_, %v_, %f, %w_, %g_, %h_ : !vectors, !vectors, !vectors, !vectors, !axes, !scalar) outs(%e, %e : !vectors, !vectors) {
          ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %g: f32, %t: f32, %o0: f32, %o1: f32):
            %half2 = arith.constant 0.5 : f32
            %contact = arith.addf %c, %d : f32
            %total = arith.addf %contact, %g : f32
            %change = arith.mulf %total, %t : f32
            %new = arith.addf %b, %change : f32
            %t2 = arith.mulf %t, %half2 : f32
            %way = arith.mulf %new, %t2 : f32
            %place = arith.addf %a, %way : f32
            linalg.yield %place, %new : f32, f32
          } -> (!vectors, !vectors)
          %zero = arith.constant dense<0.0> : tensor<f64>
          %energies:2 = linalg.generic {indexing_maps = [#all, #all, #all, #axis, #one, #one], iterator_types = ["reduction", "reduction"]}
              ins(%q_, %v_, %r#1, %g_ : !vectors, !vectors, !vectors, !axes) outs(%zero, %zero : tensor<f64>, tensor<f64>) {
          ^bb0(%a: f32, %b: f32, %c: f32, %g: f32, %s0: f64, %s1: f64):
            %half2 = arith.constant 0.5 : f64
            %place = arith.extf %a : f32 to f64
            %old = arith.extf %b : f32 to f64
            %new = arith.extf %c : f32 to f64
            %pull = arith.extf %g : f32 to f64
            %both = arith.addf %old, %new : f64
            %mean = arith.mulf %both, %half2 : f64
            %square = arith.mulf %mean, %mean : f64
            %energy = arith.mulf %square, %half2 : f64
            %high = arith.mulf %pull, %place : f64
            %k = arith.addf %s0, %energy : f64
            %up = arith.negf %high : f64
            %h2 = arith.addf %s1, %up : f64
            linalg.yield %k, %h2 : f64, f64
          } -> (tensor<f64>, tensor<f64>)
          gpuvm.send %r#0, %r#1, %energies#0, %energies#1 : !vectors, !vectors, tensor<f64>, tensor<f64>
        }
        // Sets bonds right, all at once: each end goes a third of what is missing, which settles in a few times for threads as for
        // rings. Partners that are nowhere do nothing.
        %q2, %v2, %times = gpuvm.repeat @bonds up_to 3 (%qa = %q1 : !mv, %va = %v1 : !mv, %round = %origin : !word) {
          %goX, %goY, %goZ = gpuvm.stage @stretch(%q_ = %qa : !mv, %partners_ = %partners : !partners) -> (!real, !real, !real) {
            %e = tensor.empty() : !real
            %d:3 = linalg.generic {indexing_maps = [#p, #p, #p], iterator_types = ["parallel"]} outs(%e, %e, %e : !real, !real, !real) {
            ^bb0(%o0: f32, %o1: f32, %o2: f32):
              %p = linalg.index 0 : index
              %c0 = arith.constant 0 : index
              %c1 = arith.constant 1 : index
              %c2 = arith.constant 2 : index
              %zero = arith.constant 0 : i32
              %none = arith.constant 0.0 : f32
              %rest = arith.constant 1.02 : f32
              %third = arith.constant 0.333333343 : f32
              %x = tensor.extract %q_[%c0, %p] : !vectors
              %y = tensor.extract %q_[%c1, %p] : !vectors
              %z = tensor.extract %q_[%c2, %p] : !vectors
              %sum:3 = scf.for %b = %c0 to %c2 step %c1 iter_args(%sx = %none, %sy = %none, %sz = %none) -> (f32, f32, f32) {
                %who = tensor.extract %partners_[%b, %p] : !partners
                %isBond = arith.cmpi sge, %who, %zero : i32
                %t:3 = scf.if %isBond -> (f32, f32, f32) {
                  %m = arith.index_cast %who : i32 to index
                  %xj = tensor.extract %q_[%c0, %m] : !vectors
                  %yj = tensor.extract %q_[%c1, %m] : !vectors
                  %zj = tensor.extract %q_[%c2, %m] : !vectors
                  %dx = arith.subf %xj, %x : f32
                  %dy = arith.subf %yj, %y : f32
                  %dz = arith.subf %zj, %z : f32
                  %rr = func.call @dot(%dx, %dy, %dz, %dx, %dy, %dz) : (f32, f32, f32, f32, f32, f32) -> f32
                  %isApart = arith.cmpf ogt, %rr, %none : f32
                  %one = arith.constant 1.0 : f32
                  %safe = arith.select %isApart, %rr, %one : f32
                  %d = math.sqrt %safe : f32
                  %far = arith.subf %d, %rest : f32
                  %part = arith.mulf %far, %third : f32
                  %ratio = arith.divf %part, %d : f32
                  %f = arith.select %isApart, %ratio, %none : f32
                  %px = arith.mulf %f, %dx : f32
                  %py = arith.mulf %f, %dy : f32
                  %pz = arith.mulf %f, %dz : f32
                  // 0 times what is no number is none.
                  %gx = arith.select %isApart, %px, %none : f32
                  %gy = arith.select %isApart, %py, %none : f32
                  %gz = arith.select %isApart, %pz, %none : f32
                  %tx = arith.addf %sx, %gx : f32
                  %ty = arith.addf %sy, %gy : f32
                  %tz = arith.addf %sz, %gz : f32
                  scf.yield %tx, %ty, %tz : f32, f32, f32
                } else {
                  scf.yield %sx, %sy, %sz : f32, f32, f32
                }
                scf.yield %t#0, %t#1, %t#2 : f32, f32, f32
              }
              linalg.yield %sum#0, %sum#1, %sum#2 : f32, f32, f32
            } -> (!real, !real, !real)
            gpuvm.send %d#0, %d#1, %d#2 : !real, !real, !real
          }
          %qb, %vb, %again = gpuvm.stage @correct
              (%q_ = %qa : !mv, %v_ = %va : !mv, %dx_ = %goX : !mr, %dy_ = %goY : !mr, %dz_ = %goZ : !mr, %h_ = %step : !ms, %n_ = %round : !mw)
              -> (!vectors, !vectors, !word) {
            %x1 = tensor.expand_shape %dx_ [[0, 1]] output_shape [1, @n@] : !real into tensor<1x@n@xf32>
            %y1 = tensor.expand_shape %dy_ [[0, 1]] output_shape [1, @n@] : !real into tensor<1x@n@xf32>
            %z1 = tensor.expand_shape %dz_ [[0, 1]] output_shape [1, @n@] : !real into tensor<1x@n@xf32>
            %d = tensor.concat dim(0) %x1, %y1, %z1 : (tensor<1x@n@xf32>, tensor<1x@n@xf32>, tensor<1x@n@xf32>) -> !vectors
            %e = tensor.empty() : !vectors
            %r:2 = linalg.generic {indexing_maps = [#all, #all, #all, #one, #all, #all], iterator_types = ["parallel", "parallel"]}
                ins(%q_, %v_, %d, %h_ : !vectors, !vectors, !vectors, !scalar) outs(%e, %e : !vectors, !vectors) {
            ^bb0(%a: f32, %b: f32, %c: f32, %t: f32, %o0: f32, %o1: f32):
              %place = arith.addf %a, %c : f32
              %change = arith.divf %c, %t : f32
              %new = arith.addf %b, %change : f32
              linalg.yield %place, %new : f32, f32
            } -> (!vectors, !vectors)
            %unit = arith.constant dense<1> : !word
            %m = arith.addi %n_, %unit : !word
            gpuvm.send %r#0, %r#1, %m : !vectors, !vectors, !word
          }
          gpuvm.next %qb, %vb, %again : !mv, !mv, !mw
        }
        %fastness = gpuvm.stage @settle(%q_ = %q2 : !mv, %v_ = %v2 : !mv) -> !real {
          gpuvm.store %q_, @q : !vectors
          gpuvm.store %v_, @v : !vectors
          %u = tensor.extract_slice %v_[0, 0] [1, @n@] [1, 1] : !vectors to !real
          %v = tensor.extract_slice %v_[1, 0] [1, @n@] [1, 1] : !vectors to !real
          %w = tensor.extract_slice %v_[2, 0] [1, @n@] [1, 1] : !vectors to !real
          %uu = arith.mulf %u, %u : !real
          %vv = arith.mulf %v, %v : !real
          %ww = arith.mulf %w, %w : !real
          %uv = arith.addf %uu, %vv : !real
          %rr = arith.addf %uv, %ww : !real
          %r = math.sqrt %rr : !real
          gpuvm.send %r : !real
        }
        // Books: what bonds did to kinetic energy and height, momentum, and the impulse of walls.
        %bondWork, %momentum, %impulse, %stored, %heat = gpuvm.stage @account
            (%qa = %q1 : !mv, %va = %v1 : !mv, %qb = %q2 : !mv, %vb = %v2 : !mv, %w_ = %wall : !mv, %we_ = %wallElastic : !mv,
             %wp_ = %wallPower : !mv, %e_ = %elastic : !mr, %p_ = %power : !mr, %g_ = %gravity : !axes, %h_ = %step : !ms)
            -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>) {
          %zero = arith.constant dense<0.0> : tensor<f64>
          %zeros = arith.constant dense<0.0> : tensor<3xf64>
          %long = arith.extf %h_ : !scalar to tensor<f64>
          %work = linalg.generic {indexing_maps = [#all, #all, #all, #all, #axis, #one], iterator_types = ["reduction", "reduction"]}
              ins(%qa, %va, %qb, %vb, %g_ : !vectors, !vectors, !vectors, !vectors, !axes) outs(%zero : tensor<f64>) {
          ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %g: f32, %s: f64):
            %half2 = arith.constant 0.5 : f64
            %place = arith.extf %a : f32 to f64
            %old = arith.extf %b : f32 to f64
            %after = arith.extf %c : f32 to f64
            %new = arith.extf %d : f32 to f64
            %pull = arith.extf %g : f32 to f64
            %oo = arith.mulf %old, %old : f64
            %nn = arith.mulf %new, %new : f64
            %more = arith.subf %nn, %oo : f64
            %kinetic2 = arith.mulf %more, %half2 : f64
            %way = arith.subf %after, %place : f64
            %fall = arith.mulf %pull, %way : f64
            %gain = arith.subf %kinetic2, %fall : f64
            %r = arith.addf %s, %gain : f64
            linalg.yield %r : f64
          } -> tensor<f64>
          %sums:2 = linalg.generic {indexing_maps = [#all, #all, #axis, #axis], iterator_types = ["parallel", "reduction"]}
              ins(%vb, %w_ : !vectors, !vectors) outs(%zeros, %zeros : tensor<3xf64>, tensor<3xf64>) {
          ^bb0(%a: f32, %b: f32, %s0: f64, %s1: f64):
            %speed2 = arith.extf %a : f32 to f64
            %force = arith.extf %b : f32 to f64
            %r0 = arith.addf %s0, %speed2 : f64
            %r1 = arith.addf %s1, %force : f64
            linalg.yield %r0, %r1 : f64, f64
          } -> (tensor<3xf64>, tensor<3xf64>)
          %e3 = tensor.empty() : tensor<3xf64>
          %long3 = linalg.broadcast ins(%long : tensor<f64>) outs(%e3 : tensor<3xf64>) dimensions = [0]
          %push = arith.mulf %sums#1, %long3 : tensor<3xf64>
          %pairs:2 = linalg.generic {indexing_maps = [#p, #p, #sum, #sum], iterator_types = ["reduction"]}
              ins(%e_, %p_ : !real, !real) outs(%zero, %zero : tensor<f64>, tensor<f64>) {
          ^bb0(%a: f32, %b: f32, %s0: f64, %s1: f64):
            %a2 = arith.extf %a : f32 to f64
            %b2 = arith.extf %b : f32 to f64
            %r0 = arith.addf %s0, %a2 : f64
            %r1 = arith.addf %s1, %b2 : f64
            linalg.yield %r0, %r1 : f64, f64
          } -> (tensor<f64>, tensor<f64>)
          %walls:2 = linalg.generic {indexing_maps = [#all, #all, #one, #one], iterator_types = ["reduction", "reduction"]}
              ins(%we_, %wp_ : !vectors, !vectors) outs(%pairs#0, %pairs#1 : tensor<f64>, tensor<f64>) {
          ^bb0(%a: f32, %b: f32, %s0: f64, %s1: f64):
            %a2 = arith.extf %a : f32 to f64
            %b2 = arith.extf %b : f32 to f64
            %r0 = arith.addf %s0, %a2 : f64
            %r1 = arith.addf %s1, %b2 : f64
            linalg.yield %r0, %r1 : f64, f64
          } -> (tensor<f64>, tensor<f64>)
          %loss = arith.mulf %walls#1, %long : tensor<f64>
          gpuvm.send %work, %sums#0, %push, %walls#0, %loss : tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>
        }
        // What was worst: the largest overlap of spheres, and how many are nowhere, or as fast as no number says.
        %deepest, %lost = gpuvm.stage @inspect(%o_ = %overlaps : !mr, %s_ = %fastness : !mr, %q_ = %q2 : !mv) -> (!scalar, !word) {
          %zero = arith.constant dense<0.0> : !scalar
          %nobody = arith.constant dense<0> : !word
          %deep = linalg.reduce { arith.maximumf } ins(%o_ : !real) outs(%zero : !scalar) dimensions = [0]
          %x = tensor.extract_slice %q_[0, 0] [1, @n@] [1, 1] : !vectors to !real
          %y = tensor.extract_slice %q_[1, 0] [1, @n@] [1, 1] : !vectors to !real
          %z = tensor.extract_slice %q_[2, 0] [1, @n@] [1, 1] : !vectors to !real
          %xy = arith.addf %x, %y : !real
          %xyz = arith.addf %xy, %z : !real
          %all = arith.addf %xyz, %s_ : !real
          // Infinity less itself is no number either.
          %nothing = arith.subf %all, %all : !real
          %isLost = arith.cmpf uno, %nothing, %nothing : !real
          %ones = arith.extui %isLost : tensor<@n@xi1> to !int
          %count = linalg.reduce { arith.addi } ins(%ones : !int) outs(%nobody : !word) dimensions = [0]
          gpuvm.send %deep, %count : !scalar, !word
        }
        // Half as long if a sphere moves or overlaps too much; twice as long if all is calm, where that ends with the frame.
        %t2, %moved2, %isOver, %fastest = gpuvm.stage @regulate
            (%s_ = %fastness : !mr, %deep = %deepest : !ms, %none_ = %lost : !mw, %h_ = %step : !ms, %n_ = %length : !mw, %t_ = %time : !mw, %so_far = %moved : !ms,
             %end = %frame : !word) -> (!word, !scalar, !flag, !scalar) {
          %zero = arith.constant dense<0> : !word
          %unit = arith.constant dense<1> : !word
          %fast = gpuvm.metadata max_abs of %s_ : !real -> !scalar
          %way = arith.mulf %fast, %h_ : !scalar
          %farLimit = arith.constant dense<0.075> : !scalar
          %deepLimit = arith.constant dense<0.3> : !scalar
          %nearLimit = arith.constant dense<0.03> : !scalar
          %softLimit = arith.constant dense<0.15> : !scalar
          %isFar = arith.cmpf ogt, %way, %farLimit : !scalar
          %isDeep = arith.cmpf ogt, %deep, %deepLimit : !scalar
          %isSlow = arith.cmpf olt, %way, %nearLimit : !scalar
          %isSoft = arith.cmpf olt, %deep, %softLimit : !scalar
          %isWild = arith.ori %isFar, %isDeep : !flag
          %isCalm = arith.andi %isSlow, %isSoft : !flag
          %ticks = gpuvm.load @ticks : !word
          %least = gpuvm.load @least : !word
          %most = gpuvm.load @most : !word
          %now = arith.addi %t_, %n_ : !word
          %halfTicks = arith.shrsi %ticks, %unit : !word
          %shorter = arith.maxsi %halfTicks, %least : !word
          %twice = arith.shli %ticks, %unit : !word
          %longer = arith.minsi %twice, %most : !word
          %rest = arith.remsi %now, %longer : !word
          %fits = arith.cmpi eq, %rest, %zero : !word
          %canGrow = arith.andi %isCalm, %fits : !flag
          %a = arith.select %canGrow, %longer, %ticks : !flag, !word
          %b = arith.select %isWild, %shorter, %a : !flag, !word
          gpuvm.store %b, @ticks : !word

          %moved3 = arith.addf %so_far, %way : !scalar
          // The grid is good as long as no sphere can have moved by more than half of what cells are wider than a sphere.
          %room = arith.constant dense<0.125> : !scalar
          %then = arith.addf %moved3, %way : !scalar
          %isOld = arith.cmpf ogt, %then, %room : !scalar
          %isEnd = arith.cmpi sge, %now, %end : !word
          %isBad = arith.cmpi sgt, %none_, %zero : !word
          %x = arith.ori %isOld, %isEnd : !flag
          %y = arith.ori %x, %isBad : !flag
          // Status: 1 ANOMALY, a sphere is nowhere; 2 ATTENTION, one may have met another that the grid did not show.
          %ok = arith.constant dense<0> : !word
          %attention = arith.constant dense<2> : !word
          %isLate = arith.cmpf ogt, %moved3, %room : !scalar
          %s0 = arith.select %isLate, %attention, %ok : !flag, !word
          %status = arith.select %isBad, %unit, %s0 : !flag, !word
          %before = gpuvm.load @condition : !word
          %isFine = arith.cmpi eq, %status, %ok : !word
          %condition = arith.select %isFine, %before, %status : !flag, !word
          gpuvm.store %condition, @condition : !word
          gpuvm.send %now, %moved3, %y, %fast : !word, !scalar, !flag, !scalar status(%status : !word)
        }
        gpuvm.stage @record(%n_ = %length : !mw, %k_ = %kinetic : !md, %z_ = %height : !md, %e_ = %stored : !md, %heat_ = %heat : !md, %work_ = %bondWork : !md,
                            %p_ = %momentum : !m3, %i_ = %impulse : !m3, %o_ = %deepest : !ms, %s_ = %fastest : !ms, %l_ = %lost : !mw) {
          %ticks = arith.sitofp %n_ : !word to tensor<f64>
          %lost2 = arith.sitofp %l_ : !word to tensor<f64>
          %deep = arith.extf %o_ : !scalar to tensor<f64>
          %fast = arith.extf %s_ : !scalar to tensor<f64>
          %zero = arith.constant dense<0.0> : tensor<f64>
          %c0 = tensor.expand_shape %ticks [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %c1 = tensor.expand_shape %k_ [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %c2 = tensor.expand_shape %z_ [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %c3 = tensor.expand_shape %e_ [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %c4 = tensor.expand_shape %heat_ [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %c5 = tensor.expand_shape %work_ [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %c12 = tensor.expand_shape %deep [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %c13 = tensor.expand_shape %fast [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %c14 = tensor.expand_shape %lost2 [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %c15 = tensor.expand_shape %zero [] output_shape [1] : tensor<f64> into tensor<1xf64>
          %now = tensor.concat dim(0) %c0, %c1, %c2, %c3, %c4, %c5, %p_, %i_, %c12, %c13, %c14, %c15
              : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<3xf64>, tensor<3xf64>,
                 tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> !books
          // Heat, the work of bonds and impulses add up; the others are what they are now.
          %adds = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]> : !books
          %old = gpuvm.load @books : !books
          %kept = arith.mulf %old, %adds : !books
          %books = arith.addf %now, %kept : !books
          gpuvm.store %books, @books : !books
          %place = gpuvm.load @written : !word
          %row = tensor.expand_shape %books [[0, 1]] output_shape [1, 16] : !books into tensor<1x16xf64>
          gpuvm.store %row, @diary[%place] : tensor<1x16xf64>
          %unit = arith.constant dense<1> : !word
          %next = arith.addi %place, %unit : !word
          gpuvm.store %next, @written : !word
        }
        gpuvm.next %t2, %moved2 : !mw, !ms until %isOver : !mf
      }
      %isShot = gpuvm.stage @look(%t_ = %t_now : !mw, %end = %frame : !word) -> !flag {
        %condition = gpuvm.load @condition : !word
        %anomaly = arith.constant dense<1> : !word
        %isBad = arith.cmpi eq, %condition, %anomaly : !word
        %isEnd = arith.cmpi sge, %t_, %end : !word
        %r = arith.ori %isBad, %isEnd : !flag
        gpuvm.send %r : !flag
      }
      gpuvm.next %t_now : !mw until %isShot : !mf
    }
    %next, %isBroken = gpuvm.stage @shoot(%n_ = %frameNumber : !mw) -> (!word, !flag) {
      %unit = arith.constant dense<1> : !word
      %m = arith.addi %n_, %unit : !word
      %q_ = gpuvm.load @q : !vectors
      %picture = tensor.expand_shape %q_ [[0, 1], [2]] output_shape [1, 3, @n@] : !vectors into !places
      gpuvm.store %picture, @film[%m] : !places
      %condition = gpuvm.load @condition : !word
      %isBad = arith.cmpi eq, %condition, %unit : !word
      gpuvm.send %m, %isBad : !word, !flag
    }
    gpuvm.next %next : !mw until %isBroken : !mf
  }
  %f, %v_end, %d, %w, %c = gpuvm.stage @report() -> (!film, !vectors, !diary, !word, !word) {
    %a = gpuvm.load @film : !film
    %b = gpuvm.load @v : !vectors
    %d_ = gpuvm.load @diary : !diary
    %w_ = gpuvm.load @written : !word
    %c_ = gpuvm.load @condition : !word
    gpuvm.send %a, %b, %d_, %w_, %c_ : !film, !vectors, !diary, !word, !word
  }
  gpuvm.return %f, %v_end, %d, %w, %c : !gpuvm.message<!film>, !mv, !gpuvm.message<!diary>, !mw, !mw
}
