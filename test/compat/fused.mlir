gpuvm.program @fused(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  %m0 = gpuvm.stage @s0(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m1 = gpuvm.stage @s1(%v = %m0 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m2 = gpuvm.stage @s2(%v = %m1 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m3 = gpuvm.stage @s3(%v = %m2 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m4 = gpuvm.stage @s4(%v = %m3 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m5 = gpuvm.stage @s5(%v = %m4 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m6 = gpuvm.stage @s6(%v = %m5 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m7 = gpuvm.stage @s7(%v = %m6 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m8 = gpuvm.stage @s8(%v = %m7 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m9 = gpuvm.stage @s9(%v = %m8 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %m9 : !gpuvm.message<tensor<4xf32>>
}
