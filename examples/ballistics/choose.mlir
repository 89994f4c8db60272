// Aims a shot: scores the last one by where it landed and with what energy, learns from
// it, and chooses the next of 4,096.
//
//     gpuvm-compile examples/ballistics/choose.mlir -o choose.gvplan
//     gpuvm-run choose.gvplan --input=target=f32=300 --input=state=4xf32=0 --input=memory=2xf32=0
//
// `state` is what shot.mlir sends: where the shot came down (m), its height then, its
// energy (J a kg) and how long it flew (s, 0 if there was none). The model of the shooter
// knows no air: a shot of speed v at angle a comes down at v^2 sin 2a / g. The part of that
// which the last shot came is expected of the next one, too; `memory` is where the
// model had the last one come down, and that part (0 if there was none). Of shots that should hit equally well the one with the least energy is chosen.

!grid = tensor<4096xf32>
#s = affine_map<() -> ()>
#i = affine_map<(i) -> (i)>
#o = affine_map<(i) -> ()>

gpuvm.program @choose(%target: tensor<f32>, %state: tensor<4xf32>, %memory: tensor<2xf32>)
    -> (aim: tensor<2xf32>, score: tensor<f32>, remembered: tensor<2xf32>) {
  // 0 is the best score: metres off, and a hundredth of the energy beside them.
  %score, %part = gpuvm.stage @score(%v = %state : tensor<4xf32>, %t = %target : tensor<f32>, %m = %memory : tensor<2xf32>) -> (tensor<f32>, tensor<f32>) {
    %x = tensor.extract_slice %v[0] [1] [1] : tensor<4xf32> to tensor<f32>
    %energy = tensor.extract_slice %v[2] [1] [1] : tensor<4xf32> to tensor<f32>
    %time = tensor.extract_slice %v[3] [1] [1] : tensor<4xf32> to tensor<f32>
    %old = tensor.extract_slice %m[1] [1] [1] : tensor<2xf32> to tensor<f32>
    %model = tensor.extract_slice %m[0] [1] [1] : tensor<2xf32> to tensor<f32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %hundredth = arith.constant dense<0.01> : tensor<f32>
    %flew = arith.cmpf ogt, %time, %zero : tensor<f32>
    %off = arith.divf %x, %model : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %isNone = arith.cmpf oeq, %old, %zero : tensor<f32>
    %before = arith.select %isNone, %one, %old : tensor<i1>, tensor<f32>
    %new = arith.select %flew, %off, %before : tensor<i1>, tensor<f32>
    %d = arith.subf %x, %t : tensor<f32>
    %miss = math.absf %d : tensor<f32>
    %cost = arith.mulf %energy, %hundredth : tensor<f32>
    %sum = arith.addf %miss, %cost : tensor<f32>
    %less = arith.negf %sum : tensor<f32>
    %r = arith.select %flew, %less, %zero : tensor<i1>, tensor<f32>
    gpuvm.send %r, %new : tensor<f32>, tensor<f32>
  }

  // 4 angles from 42 to 45 degrees, 1,024 speeds from 20 to 120 m/s.
  %angles, %speeds, %ranges, %costs = gpuvm.stage @consider(%b = %part : !gpuvm.message<tensor<f32>>, %t = %target : tensor<f32>)
      -> (!grid, !grid, !grid, !grid) {
    %e = tensor.empty() : !grid
    %r:4 = linalg.generic {indexing_maps = [#o, #o, #i, #i, #i, #i], iterator_types = ["parallel"]}
        ins(%b, %t : tensor<f32>, tensor<f32>) outs(%e, %e, %e, %e : !grid, !grid, !grid, !grid) {
    ^bb0(%off: f32, %goal: f32, %u0: f32, %u1: f32, %u2: f32, %u3: f32):
      %ten = arith.constant 10 : i32
      %low = arith.constant 1023 : i32
      %a0 = arith.constant 0.73303829 : f32
      %da = arith.constant 0.017453293 : f32
      %v0 = arith.constant 20.0 : f32
      %dv = arith.constant 0.09775171 : f32
      %two = arith.constant 2.0 : f32
      %g = arith.constant 9.81 : f32
      %little = arith.constant 1.0e-04 : f32
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %row = arith.shrui %n, %ten : i32
      %column = arith.andi %n, %low : i32
      %rf = arith.sitofp %row : i32 to f32
      %cf = arith.sitofp %column : i32 to f32
      %ra = arith.mulf %rf, %da : f32
      %angle = arith.addf %a0, %ra : f32
      %cv = arith.mulf %cf, %dv : f32
      %speed = arith.addf %v0, %cv : f32
      %double = arith.mulf %angle, %two : f32
      %sine = math.sin %double : f32
      %square = arith.mulf %speed, %speed : f32
      %far = arith.mulf %square, %sine : f32
      %range = arith.divf %far, %g : f32
      %there = arith.mulf %range, %off : f32
      %d = arith.subf %there, %goal : f32
      %miss = math.absf %d : f32
      %price = arith.mulf %square, %little : f32
      %cost = arith.addf %miss, %price : f32
      linalg.yield %angle, %speed, %range, %cost : f32, f32, f32, f32
    } -> (!grid, !grid, !grid, !grid)
    gpuvm.send %r#0, %r#1, %r#2, %r#3 : !grid, !grid, !grid, !grid
  }

  %aim, %known = gpuvm.stage @decide(%a = %angles : !gpuvm.message<!grid>, %v = %speeds : !gpuvm.message<!grid>, %x = %ranges : !gpuvm.message<!grid>,
      %c = %costs : !gpuvm.message<!grid>, %b = %part : !gpuvm.message<tensor<f32>>) -> (tensor<2xf32>, tensor<2xf32>) {
    %least, %best = gpuvm.top_k %c smallest : !grid -> tensor<1xf32>, tensor<1xi32>
    %angle = gpuvm.gather %a[%best] : !grid, tensor<1xi32> -> tensor<1xf32>
    %speed = gpuvm.gather %v[%best] : !grid, tensor<1xi32> -> tensor<1xf32>
    %range = gpuvm.gather %x[%best] : !grid, tensor<1xi32> -> tensor<1xf32>
    %last = tensor.expand_shape %b [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %memory2 = tensor.concat dim(0) %range, %last : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %r = tensor.concat dim(0) %angle, %speed : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    gpuvm.send %r, %memory2 : tensor<2xf32>, tensor<2xf32>
  }
  gpuvm.return %aim, %score, %known : !gpuvm.message<tensor<2xf32>>, !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<2xf32>>
}
