// A shot through air that moves: where it comes down, and with what energy.
//
//     gpuvm-compile examples/ballistics/shot.mlir -o shot.gvplan
//     gpuvm-run shot.gvplan --input=aim=2xf32=0.8,70 --input=wind=f32=-8
//
// `aim` is an angle and a speed (m/s), `wind` the air's speed along the way. Drag is
// 0.002 |v| v a kg, v being the speed relative to the air. Steps are those of the
// midpoint rule, 5 ms each, 20,000 at most, and the last one ends on the ground. An
// aim that is no number, or points down, does not fly: its time is 0, and the
// status of the message 1, ANOMALY.

#s = affine_map<() -> ()>

gpuvm.program @shot(%aim: tensor<2xf32>, %wind: tensor<f32>) -> (state: tensor<4xf32>, energy: tensor<f32>) {
  %state = gpuvm.stage @fly(%a = %aim : tensor<2xf32>, %w = %wind : tensor<f32>) -> tensor<4xf32> {
    %angle = tensor.extract_slice %a[0] [1] [1] : tensor<2xf32> to tensor<f32>
    %speed = tensor.extract_slice %a[1] [1] [1] : tensor<2xf32> to tensor<f32>
    %e = tensor.empty() : tensor<f32>
    %r:4 = linalg.generic {indexing_maps = [#s, #s, #s, #s, #s, #s, #s], iterator_types = []}
        ins(%angle, %speed, %w : tensor<f32>, tensor<f32>, tensor<f32>) outs(%e, %e, %e, %e : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    ^bb0(%at: f32, %v: f32, %air: f32, %u0: f32, %u1: f32, %u2: f32, %u3: f32):
      %zero = arith.constant 0.0 : f32
      %half = arith.constant 0.5 : f32
      %dt = arith.constant 0.005 : f32
      %dt2 = arith.constant 0.0025 : f32
      %drag = arith.constant -0.002 : f32
      %down = arith.constant -9.81 : f32
      %none = arith.constant 0 : i32
      %single = arith.constant 1 : i32
      %most = arith.constant 20000 : i32
      %cos = math.cos %at : f32
      %sin = math.sin %at : f32
      %vx0 = arith.mulf %v, %cos : f32
      %vy0 = arith.mulf %v, %sin : f32
      %rises = arith.cmpf ogt, %vy0, %zero : f32
      %end:7 = scf.while (%flies = %rises, %x = %zero, %y = %zero, %vx = %vx0, %vy = %vy0, %t = %zero, %n = %none)
          : (i1, f32, f32, f32, f32, f32, i32) -> (f32, f32, f32, f32, f32, i32, i1) {
        %some = arith.cmpi slt, %n, %most : i32
        %goes = arith.andi %flies, %some : i1
        scf.condition(%goes) %x, %y, %vx, %vy, %t, %n, %flies : f32, f32, f32, f32, f32, i32, i1
      } do {
      ^bb0(%x: f32, %y: f32, %vx: f32, %vy: f32, %t: f32, %n: i32, %flies: i1):
        %rx = arith.subf %vx, %air : f32
        %rx2 = arith.mulf %rx, %rx : f32
        %ry2 = arith.mulf %vy, %vy : f32
        %r2 = arith.addf %rx2, %ry2 : f32
        %r = math.sqrt %r2 : f32
        %k = arith.mulf %drag, %r : f32
        %ax = arith.mulf %k, %rx : f32
        %fy = arith.mulf %k, %vy : f32
        %ay = arith.addf %fy, %down : f32
        %hx = arith.mulf %ax, %dt2 : f32
        %hy = arith.mulf %ay, %dt2 : f32
        %mx = arith.addf %vx, %hx : f32
        %my = arith.addf %vy, %hy : f32
        %sx = arith.subf %mx, %air : f32
        %sx2 = arith.mulf %sx, %sx : f32
        %sy2 = arith.mulf %my, %my : f32
        %s2 = arith.addf %sx2, %sy2 : f32
        %s = math.sqrt %s2 : f32
        %l = arith.mulf %drag, %s : f32
        %bx = arith.mulf %l, %sx : f32
        %gy = arith.mulf %l, %my : f32
        %by = arith.addf %gy, %down : f32
        %dy = arith.mulf %my, %dt : f32
        %y1 = arith.addf %y, %dy : f32
        // What of the step lies above the ground.
        %lands = arith.cmpf olt, %y1, %zero : f32
        %height = arith.negf %y : f32
        %part = arith.divf %height, %dy : f32
        %full = arith.constant 1.0 : f32
        %share = arith.select %lands, %part, %full : f32
        %step = arith.mulf %dt, %share : f32
        %cx = arith.mulf %mx, %step : f32
        %cy = arith.mulf %my, %step : f32
        %ex = arith.mulf %bx, %step : f32
        %ey = arith.mulf %by, %step : f32
        %nx = arith.addf %x, %cx : f32
        %ny = arith.addf %y, %cy : f32
        %nvx = arith.addf %vx, %ex : f32
        %nvy = arith.addf %vy, %ey : f32
        %nt = arith.addf %t, %step : f32
        %more = arith.addi %n, %single : i32
        %true = arith.constant true
        %on = arith.xori %lands, %true : i1
        scf.yield %on, %nx, %ny, %nvx, %nvy, %nt, %more : i1, f32, f32, f32, f32, f32, i32
      }
      %vx2 = arith.mulf %end#2, %end#2 : f32
      %vy2 = arith.mulf %end#3, %end#3 : f32
      %v2 = arith.addf %vx2, %vy2 : f32
      %energy0 = arith.mulf %half, %v2 : f32
      %energy = arith.select %rises, %energy0, %zero : f32
      linalg.yield %end#0, %end#1, %energy, %end#4 : f32, f32, f32, f32
    } -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
    %x = tensor.expand_shape %r#0 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %y = tensor.expand_shape %r#1 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %k = tensor.expand_shape %r#2 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %t = tensor.expand_shape %r#3 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %all = tensor.concat dim(0) %x, %y, %k, %t : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %ok = arith.constant dense<0> : tensor<i32>
    %anomaly = arith.constant dense<1> : tensor<i32>
    %flew = arith.cmpf ogt, %r#3, %zero : tensor<f32>
    %status = arith.select %flew, %ok, %anomaly : tensor<i1>, tensor<i32>
    gpuvm.send %all : tensor<4xf32> status(%status : tensor<i32>)
  }
  %energy = gpuvm.stage @weigh(%s = %state : !gpuvm.message<tensor<4xf32>>) -> tensor<f32> {
    %k = tensor.extract_slice %s[2] [1] [1] : tensor<4xf32> to tensor<f32>
    gpuvm.send %k : tensor<f32>
  }
  gpuvm.return %state, %energy : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<f32>>
}
