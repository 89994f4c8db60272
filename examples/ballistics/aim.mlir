// The gunner: 64 shots around what seemed best so far, as many angles (radians above the horizon) and speeds (m/s), normally
// distributed. `round` draws other numbers each time.

!pair = tensor<2xf32>
!shots = tensor<64xf32>
gpuvm.program @aim(%centre: !pair, %width: !pair, %seed: tensor<2xi32>, %round: tensor<i32>) -> (angle: !shots, speed: !shots) {
  %angle, %speed = gpuvm.stage @choose(%c = %centre : !pair, %w = %width : !pair, %s = %seed : tensor<2xi32>, %r = %round : tensor<i32>)
      -> (!shots, !shots) {
    %z = gpuvm.random normal seed(%s : tensor<2xi32>) stream(%r : tensor<i32>) -> tensor<2x64xf32>
    %e = tensor.empty() : tensor<2x64xf32>
    %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>,
                                            affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%c, %w, %z : !pair, !pair, tensor<2x64xf32>) outs(%e : tensor<2x64xf32>) {
    ^bb0(%mean: f32, %spread: f32, %number: f32, %o: f32):
      %off = arith.mulf %spread, %number : f32
      %chosen = arith.addf %mean, %off : f32
      linalg.yield %chosen : f32
    } -> tensor<2x64xf32>
    %angles = tensor.extract_slice %all[0, 0] [1, 64] [1, 1] : tensor<2x64xf32> to !shots
    %speeds = tensor.extract_slice %all[1, 0] [1, 64] [1, 1] : tensor<2x64xf32> to !shots
    // What the gun can do.
    %flat = arith.constant dense<0.05> : !shots
    %steep = arith.constant dense<1.5> : !shots
    %weak = arith.constant dense<5.0> : !shots
    %strong = arith.constant dense<70.0> : !shots
    %a0 = arith.maximumf %angles, %flat : !shots
    %a1 = arith.minimumf %a0, %steep : !shots
    %v0 = arith.maximumf %speeds, %weak : !shots
    %v1 = arith.minimumf %v0, %strong : !shots
    gpuvm.send %a1, %v1 : !shots, !shots
  }
  gpuvm.return %angle, %speed : !gpuvm.message<!shots>, !gpuvm.message<!shots>
}
