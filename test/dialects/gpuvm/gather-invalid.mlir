// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

gpuvm.program @gather_c1_rows(%x: tensor<4x8xf32>, %n: tensor<3xi64>) {
  gpuvm.stage @s(%a = %x : tensor<4x8xf32>, %b = %n : tensor<3xi64>) {
    // expected-error @below {{C1: 'tensor<3xi64>' does not hold numbers of rows of 'tensor<4x8xf32>'}}
    %r = gpuvm.gather %a[%b] : tensor<4x8xf32>, tensor<3xi64> -> tensor<3x8xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @gather_c1_source(%x: tensor<f32>, %n: tensor<3xi32>) {
  gpuvm.stage @s(%a = %x : tensor<f32>, %b = %n : tensor<3xi32>) {
    // expected-error @below {{C1: 'tensor<3xi32>' does not hold numbers of rows of 'tensor<f32>'}}
    %r = gpuvm.gather %a[%b] : tensor<f32>, tensor<3xi32> -> tensor<3xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @gather_c2(%x: tensor<4x8xf32>, %n: tensor<2x3xi32>) {
  gpuvm.stage @s(%a = %x : tensor<4x8xf32>, %b = %n : tensor<2x3xi32>) {
    // expected-error @below {{C2: the rows picked make 'tensor<2x3x8xf32>', not 'tensor<6x8xf32>'}}
    %r = gpuvm.gather %a[%b] : tensor<4x8xf32>, tensor<2x3xi32> -> tensor<6x8xf32>
    gpuvm.send
  }
  gpuvm.return
}
