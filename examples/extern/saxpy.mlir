// A kernel of one's own, saxpy.comp, in the middle of a chain. Compile it first,
// into the folder of this file:
//
//   glslangValidator -V --target-env vulkan1.1 -Ikernels \
//       -o examples/extern/saxpy.spv examples/extern/saxpy.comp

!v = tensor<1000xf32>

gpuvm.program @saxpy(%x: !v, %b: !v) -> (y: !v, sum: tensor<f32>) {
  gpuvm.extern_kernel @saxpy "saxpy.spv" (!v, !v) -> !v local_size [64, 1, 1] groups [16, 1, 1]

  %shifted = gpuvm.stage @shift(%v = %x : !v) -> !v {
    %one = arith.constant dense<1.0> : !v
    %r = arith.addf %v, %one : !v
    gpuvm.send %r : !v
  }
  %scaled = gpuvm.stage @scale(%v = %shifted : !gpuvm.message<!v>, %w = %b : !v) -> !v {
    %r = gpuvm.invoke @saxpy(%v, %w) : (!v, !v) -> !v
    gpuvm.send %r : !v
  }
  %sum = gpuvm.stage @total(%v = %scaled : !gpuvm.message<!v>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%v : !v) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %scaled, %sum : !gpuvm.message<!v>, !gpuvm.message<tensor<f32>>
}
