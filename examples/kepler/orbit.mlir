// Two bodies around each other, for as many periods as one likes: the vector (x, y)
// from one to the other and its change (u, v), in f64, for eight ellipses of
// eccentricity 0, 0.1, ..., 0.7, which begin where the bodies are closest. Units are
// such that G (m1 + m2) = 1 and the semi-major axis is 1: a period is 2 pi, the
// energy u^2/2 + v^2/2 - 1/r of the relative motion is -1/2.
//
// An execution is 40 periods of 400 steps each. The state is in globals, where the
// next execution finds it: 25 of them are 1,000 periods.
//
//     gpuvm-compile examples/kepler/orbit.mlir -o orbit.gvplan
//     gpuvm-run orbit.gvplan --iterations=25 --warmup=0 --output=energy --output=x --output=y
//
// A step is of fourth order and symplectic (Yoshida, Construction of higher order
// symplectic integrators, Phys. Lett. A 150, 1990): three leapfrogs over w1, w0 and
// w1 of its time, w1 = 1 / (2 - 2^(1/3)) and w0 = 1 - 2 w1.

!orbits = tensor<8xf64>
!sent = !gpuvm.message<!orbits>
#own = affine_map<(orbit) -> (orbit)>

gpuvm.program @orbit() -> (energy: !orbits) {
  // 1 - e, and sqrt((1 + e) / (1 - e)).
  gpuvm.global @x : !orbits = dense<[1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]> : !orbits
  gpuvm.global @y : !orbits = dense<0.0> : !orbits
  gpuvm.global @u : !orbits = dense<0.0> : !orbits
  gpuvm.global @v : !orbits = dense<[1.0, 1.1055415967851334, 1.224744871391589, 1.362770287738494,
      1.5275252316519468, 1.7320508075688772, 2.0, 2.3804761428476167]> : !orbits

  %x, %y, %u, %v = gpuvm.stage @move() -> (!orbits, !orbits, !orbits, !orbits) {
    %x0 = gpuvm.load @x : !orbits
    %y0 = gpuvm.load @y : !orbits
    %u0 = gpuvm.load @u : !orbits
    %v0 = gpuvm.load @v : !orbits
    %init = tensor.empty() : !orbits
    %moved:4 = linalg.generic {
        indexing_maps = [#own, #own, #own, #own, #own, #own, #own, #own], iterator_types = ["parallel"]}
        ins(%x0, %y0, %u0, %v0 : !orbits, !orbits, !orbits, !orbits)
        outs(%init, %init, %init, %init : !orbits, !orbits, !orbits, !orbits) {
    ^bb0(%bx: f64, %by: f64, %bu: f64, %bv: f64, %o0: f64, %o1: f64, %o2: f64, %o3: f64):
      %first = arith.constant 0 : index
      %next = arith.constant 1 : index
      %three = arith.constant 3 : index
      %leapfrogs = arith.constant 48000 : index // 3 x 400 x 40
      %outer = arith.constant 0.02122471293869077 : f64 // w1 2 pi / 400
      %middle = arith.constant -0.026741462609432574 : f64 // w0 2 pi / 400
      %half = arith.constant 0.5 : f64
      %end:4 = scf.for %i = %first to %leapfrogs step %next
          iter_args(%x = %bx, %y = %by, %u = %bu, %v = %bv) -> (f64, f64, f64, f64) {
        %number = arith.remui %i, %three : index
        %isMiddle = arith.cmpi eq, %number, %next : index
        %h = arith.select %isMiddle, %middle, %outer : f64
        %h2 = arith.mulf %h, %half : f64
        // Half a time with the speed as it is,
        %dx = arith.mulf %u, %h2 : f64
        %dy = arith.mulf %v, %h2 : f64
        %mx = arith.addf %x, %dx : f64
        %my = arith.addf %y, %dy : f64
        // the pull -(x, y) / r^3 of that place,
        %xx = arith.mulf %mx, %mx : f64
        %yy = arith.mulf %my, %my : f64
        %rr = arith.addf %xx, %yy : f64
        %r = math.sqrt %rr : f64
        %rrr = arith.mulf %rr, %r : f64
        %pull = arith.divf %h, %rrr : f64
        %du = arith.mulf %mx, %pull : f64
        %dv = arith.mulf %my, %pull : f64
        %nu = arith.subf %u, %du : f64
        %nv = arith.subf %v, %dv : f64
        // and the other half.
        %ex = arith.mulf %nu, %h2 : f64
        %ey = arith.mulf %nv, %h2 : f64
        %nx = arith.addf %mx, %ex : f64
        %ny = arith.addf %my, %ey : f64
        scf.yield %nx, %ny, %nu, %nv : f64, f64, f64, f64
      }
      linalg.yield %end#0, %end#1, %end#2, %end#3 : f64, f64, f64, f64
    } -> (!orbits, !orbits, !orbits, !orbits)
    gpuvm.store %moved#0, @x : !orbits
    gpuvm.store %moved#1, @y : !orbits
    gpuvm.store %moved#2, @u : !orbits
    gpuvm.store %moved#3, @v : !orbits
    gpuvm.send %moved#0, %moved#1, %moved#2, %moved#3 : !orbits, !orbits, !orbits, !orbits
  }

  %energy = gpuvm.stage @measure(
      %px = %x : !sent, %py = %y : !sent,
      %pu = %u : !sent, %pv = %v : !sent) -> !orbits {
    %half = arith.constant dense<0.5> : !orbits
    %uu = arith.mulf %pu, %pu : !orbits
    %vv = arith.mulf %pv, %pv : !orbits
    %speed2 = arith.addf %uu, %vv : !orbits
    %kinetic = arith.mulf %speed2, %half : !orbits
    %xx = arith.mulf %px, %px : !orbits
    %yy = arith.mulf %py, %py : !orbits
    %rr = arith.addf %xx, %yy : !orbits
    %r = math.sqrt %rr : !orbits
    %one = arith.constant dense<1.0> : !orbits
    %potential = arith.divf %one, %r : !orbits
    %sum = arith.subf %kinetic, %potential : !orbits
    gpuvm.send %sum : !orbits
  }
  gpuvm.return %energy : !sent
}
