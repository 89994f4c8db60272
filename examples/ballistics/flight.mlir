// The shots: each is an instance, which flies with drag and wind until it meets the ground. A shot that leaves the field, does
// not come down in 40 s, or is no number has the status ANOMALY; the others come with where they met the ground (m) and
// with which energy (J/kg, above the height 0).

!shots = tensor<64xf32>
!field = tensor<256xf32>   // The height of the ground, every metre.
#none = affine_map<() -> ()>
gpuvm.program @flight(%angle: !shots, %speed: !shots, %wind: tensor<f32>, %ground: !field) -> (x: !shots, energy: !shots, status: tensor<64xi32>) {
  %x, %y, %u, %v = gpuvm.stage @fly instances(64) (%a = %angle : !shots, %s = %speed : !shots, %w = shared %wind : tensor<f32>,
                                                   %height = shared %ground : !field)
      -> (!shots, !shots, !shots, !shots) {
    %e = tensor.empty() : tensor<f32>
    %i = tensor.empty() : tensor<i32>
    %end:5 = linalg.generic {indexing_maps = [#none, #none, #none, #none, #none, #none, #none, #none], iterator_types = []}
        ins(%a, %s, %w : tensor<f32>, tensor<f32>, tensor<f32>) outs(%e, %e, %e, %e, %i : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) {
    ^bb0(%a0: f32, %s0: f32, %air: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: i32):
      %zero = arith.constant 0.0 : f32
      %far = arith.constant 256.0 : f32
      %dt = arith.constant 0.01 : f32
      %g = arith.constant 9.81 : f32
      %drag = arith.constant 0.002 : f32
      %begin = arith.constant 2.0 : f32
      %two = arith.constant 2 : index
      %last = arith.constant 255 : i32
      %first = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %most = arith.constant 4000 : i32
      %h0 = tensor.extract %height[%two] : !field
      %y0 = arith.addf %h0, %begin : f32
      %cos = math.cos %a0 : f32
      %sin = math.sin %a0 : f32
      %u0 = arith.mulf %s0, %cos : f32
      %v0 = arith.mulf %s0, %sin : f32
      %r:5 = scf.while (%px = %begin, %py = %y0, %pu = %u0, %pv = %v0, %n = %first) : (f32, f32, f32, f32, i32) -> (f32, f32, f32, f32, i32) {
        %isLeft = arith.cmpf oge, %px, %zero : f32
        %isRight = arith.cmpf olt, %px, %far : f32
        %isInside = arith.andi %isLeft, %isRight : i1
        %some = arith.select %isInside, %px, %zero : f32
        %cell = arith.fptosi %some : f32 to i32
        %column = arith.minsi %cell, %last : i32
        %row = arith.index_cast %column : i32 to index
        %h = tensor.extract %height[%row] : !field
        %isAbove = arith.cmpf oge, %py, %h : f32
        %hasTime = arith.cmpi slt, %n, %most : i32
        %go0 = arith.andi %isInside, %isAbove : i1
        %go = arith.andi %go0, %hasTime : i1
        scf.condition(%go) %px, %py, %pu, %pv, %n : f32, f32, f32, f32, i32
      } do {
      ^bb0(%qx: f32, %qy: f32, %qu: f32, %qv: f32, %n: i32):
        // Drag is against the motion through the air, by its square.
        %ru = arith.subf %qu, %air : f32
        %uu = arith.mulf %ru, %ru : f32
        %vv = arith.mulf %qv, %qv : f32
        %ss = arith.addf %uu, %vv : f32
        %speed0 = math.sqrt %ss : f32
        %k = arith.mulf %drag, %speed0 : f32
        %du = arith.mulf %k, %ru : f32
        %dv0 = arith.mulf %k, %qv : f32
        %dv = arith.addf %dv0, %g : f32
        %cu = arith.mulf %du, %dt : f32
        %cv = arith.mulf %dv, %dt : f32
        %nu = arith.subf %qu, %cu : f32
        %nv = arith.subf %qv, %cv : f32
        %wx = arith.mulf %nu, %dt : f32
        %wy = arith.mulf %nv, %dt : f32
        %nx = arith.addf %qx, %wx : f32
        %ny = arith.addf %qy, %wy : f32
        %more = arith.addi %n, %one : i32
        scf.yield %nx, %ny, %nu, %nv, %more : f32, f32, f32, f32, i32
      }
      // Over the field, and in time: so it met the ground.
      %isLeft1 = arith.cmpf oge, %r#0, %zero : f32
      %isRight1 = arith.cmpf olt, %r#0, %far : f32
      %isInTime = arith.cmpi slt, %r#4, %most : i32
      %good0 = arith.andi %isLeft1, %isRight1 : i1
      %good = arith.andi %good0, %isInTime : i1
      %word = arith.select %good, %first, %one : i32
      linalg.yield %r#0, %r#1, %r#2, %r#3, %word : f32, f32, f32, f32, i32
    } -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>)
    gpuvm.send %end#0, %end#1, %end#2, %end#3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32> status(%end#4 : tensor<i32>)
  }
  %energy, %status = gpuvm.stage @weigh(%px = %x : !gpuvm.message<!shots>, %py = %y : !gpuvm.message<!shots>, %pu = %u : !gpuvm.message<!shots>,
                                        %pv = %v : !gpuvm.message<!shots>) -> (!shots, tensor<64xi32>) {
    %words = gpuvm.metadata status of %px : !shots -> tensor<64xi32>
    %half = arith.constant dense<0.5> : !shots
    %g = arith.constant dense<9.81> : !shots
    %uu = arith.mulf %pu, %pu : !shots
    %vv = arith.mulf %pv, %pv : !shots
    %both = arith.addf %uu, %vv : !shots
    %kinetic = arith.mulf %both, %half : !shots
    %potential = arith.mulf %py, %g : !shots
    %all = arith.addf %kinetic, %potential : !shots
    gpuvm.send %all, %words : !shots, tensor<64xi32>
  }
  gpuvm.return %x, %energy, %status : !gpuvm.message<!shots>, !gpuvm.message<!shots>, !gpuvm.message<tensor<64xi32>>
}
