// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

gpuvm.program @rank(%x: tensor<2xf32>) {
  gpuvm.stage @s(%a = %x : tensor<2xf32>) {
    // expected-error@+1 {{C1: 'tensor<2xf32>' does not end with the dimension of complex numbers and that of their two parts}}
    %r = gpuvm.fft %a : tensor<2xf32> -> tensor<2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @parts(%x: tensor<4x3xf32>) {
  gpuvm.stage @s(%a = %x : tensor<4x3xf32>) {
    // expected-error@+1 {{C1: 'tensor<4x3xf32>' does not end with}}
    %r = gpuvm.fft %a : tensor<4x3xf32> -> tensor<4x3xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @elements(%x: tensor<4x2xf16>) {
  gpuvm.stage @s(%a = %x : tensor<4x2xf16>) {
    // expected-error@+1 {{C1: elements are f32 or f64, not 'f16'}}
    %r = gpuvm.fft %a : tensor<4x2xf16> -> tensor<4x2xf16>
  }
  gpuvm.return
}

// -----

gpuvm.program @dimension(%x: tensor<4x2xf32>) {
  gpuvm.stage @s(%a = %x : tensor<4x2xf32>) {
    // expected-error@+1 {{C2: 'tensor<4x2xf32>' has no dimension 1 of complex numbers}}
    %r = gpuvm.fft %a dimension 1 : tensor<4x2xf32> -> tensor<4x2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @place(%x: tensor<3x4x2xf32>) {
  gpuvm.stage @s(%a = %x : tensor<3x4x2xf32>) {
    // expected-error@+1 {{C2: 'tensor<3x4x2xf32>' has no dimension -1 of complex numbers}}
    %r = gpuvm.fft %a to -1 : tensor<3x4x2xf32> -> tensor<3x4x2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @result(%x: tensor<3x4x2xf32>) {
  gpuvm.stage @s(%a = %x : tensor<3x4x2xf32>) {
    // expected-error@+1 {{C3: the result is a 'tensor<4x3x2xf32>', not 'tensor<3x4x2xf32>'}}
    %r = gpuvm.fft %a dimension 1 to 0 : tensor<3x4x2xf32> -> tensor<3x4x2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @table(%x: tensor<64x2xf32>) {
  gpuvm.stage @s(%a = %x : tensor<64x2xf32>) {
    %w = arith.constant dense<1.0> : tensor<64x2xf32>
    // expected-error@+1 {{C4: the table of twiddle factors is a 'tensor<56x2xf32>', not 'tensor<64x2xf32>'}}
    %r = gpuvm.fft %a twiddles(%w) : tensor<64x2xf32>, tensor<64x2xf32> -> tensor<64x2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @length(%x: tensor<17x2xf32>) {
  gpuvm.stage @s(%a = %x : tensor<17x2xf32>) {
    %w = arith.constant dense<1.0> : tensor<17x2xf32>
    // expected-error@+1 {{C4: one workgroup cannot transform 17 elements}}
    %r = gpuvm.fft %a twiddles(%w) : tensor<17x2xf32>, tensor<17x2xf32> -> tensor<17x2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @convolve(%x: tensor<17x2xi32>) {
  gpuvm.stage @s(%a = %x : tensor<17x2xi32>) {
    // expected-error@+1 {{C1: elements are f32 or f64, not 'i32'}}
    %r = gpuvm.convolve %a, %a : tensor<17x2xi32>
  }
  gpuvm.return
}

// -----

gpuvm.program @convolve_table(%x: tensor<64x2xf32>) {
  gpuvm.stage @s(%a = %x : tensor<64x2xf32>) {
    %w = arith.constant dense<1.0> : tensor<1x2xf32>
    // expected-error@+1 {{C2: the table of twiddle factors is a 'tensor<56x2xf32>', not 'tensor<1x2xf32>'}}
    %r = gpuvm.convolve %a, %a twiddles(%w) : tensor<64x2xf32>, tensor<1x2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @spectrum(%x: tensor<10xf32>) {
  gpuvm.stage @s(%a = %x : tensor<10xf32>) {
    // expected-error@+1 {{C2: 'tensor<5x2xf32>' is not the spectrum of 'tensor<10xf32>'}}
    %r = gpuvm.rfft %a : tensor<10xf32> -> tensor<5x2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @spectrum_of_integers(%x: tensor<10xi32>) {
  gpuvm.stage @s(%a = %x : tensor<10xi32>) {
    // expected-error@+1 {{C1: elements are f32 or f64, not 'i32'}}
    %r = gpuvm.rfft %a : tensor<10xi32> -> tensor<6x2xi32>
  }
  gpuvm.return
}

// -----

gpuvm.program @scalar(%x: tensor<f32>) {
  gpuvm.stage @s(%a = %x : tensor<f32>) {
    // expected-error@+1 {{C2: 'tensor<1x2xf32>' is not the spectrum of 'tensor<f32>'}}
    %r = gpuvm.rfft %a : tensor<f32> -> tensor<1x2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @signal(%x: tensor<6x2xf32>) {
  gpuvm.stage @s(%a = %x : tensor<6x2xf32>) {
    // expected-error@+1 {{C2: 'tensor<6x2xf32>' is not the spectrum of 'tensor<12xf32>'}}
    %r = gpuvm.irfft %a : tensor<6x2xf32> -> tensor<12xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @signal_of_pairs(%x: tensor<6x3xf32>) {
  gpuvm.stage @s(%a = %x : tensor<6x3xf32>) {
    // expected-error@+1 {{C1: 'tensor<6x3xf32>' does not end with}}
    %r = gpuvm.irfft %a : tensor<6x3xf32> -> tensor<10xf32>
  }
  gpuvm.return
}
