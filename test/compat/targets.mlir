// Launches for kinds of devices, with workgroups and scratch memory of their own: as gpuvm-choose-launches leaves them,
// changed by hand.

#map = affine_map<(d0) -> (d0)>
gpuvm.program @targets(%x: tensor<4096xi32>) -> (y: tensor<4096xi32>) attributes {stages = ["double"]} {
  %y = flow.dispatch @double map ["double"] (%x) attributes {launches = [
      #gpuvm.launch<device = cpu, form = plain, groups = 3, lanes = 256, vector = 4, unroll = 1>,
      #gpuvm.launch<device = gpu, form = plain, groups = 2, lanes = 256, vector = 2, unroll = 4>,
      #gpuvm.launch<device = any, form = plain, groups = 4, lanes = 256, vector = 4, unroll = 4>]} {
  ^bb0(%in: tensor<4096xi32>):
    %init = tensor.empty() : tensor<4096xi32>
    %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%in : tensor<4096xi32>) outs(%init : tensor<4096xi32>) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %a : i32
      linalg.yield %s : i32
    } -> tensor<4096xi32>
    gpuvm.yield %r : tensor<4096xi32>
  } : (tensor<4096xi32>) -> tensor<4096xi32>
  gpuvm.return %y : tensor<4096xi32>
}
