// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

gpuvm.program @random_c1_seed(%s: tensor<i32>) {
  gpuvm.stage @s(%k = %s : tensor<i32>) {
    // expected-error @below {{C1: a seed is a tensor<2xi32>, not 'tensor<i32>'}}
    %r = gpuvm.random bits seed(%k : tensor<i32>) -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @random_c1_stream(%s: tensor<2xi32>, %t: tensor<2xi64>) {
  gpuvm.stage @s(%k = %s : tensor<2xi32>, %n = %t : tensor<2xi64>) {
    // expected-error @below {{C1: a stream is a tensor<i32> or a tensor<2xi32>, not 'tensor<2xi64>'}}
    %r = gpuvm.random bits seed(%k : tensor<2xi32>) stream(%n : tensor<2xi64>) -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @random_c2(%s: tensor<2xi32>) {
  gpuvm.stage @s(%k = %s : tensor<2xi32>) {
    // expected-error @below {{C2: there are no numbers "normal" of type 'f64'}}
    %r = gpuvm.random normal seed(%k : tensor<2xi32>) -> tensor<8xf64>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @random_c3_neither(%s: tensor<2xi32>) {
  gpuvm.stage @s(%k = %s : tensor<2xi32>) {
    // expected-error @below {{C3: "below", and nothing else, has either a bound or a limit}}
    %r = gpuvm.random below seed(%k : tensor<2xi32>) -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @random_c3_other(%s: tensor<2xi32>) {
  gpuvm.stage @s(%k = %s : tensor<2xi32>) {
    // expected-error @below {{C3: "below", and nothing else, has either a bound or a limit}}
    %r = gpuvm.random bits(6) seed(%k : tensor<2xi32>) -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @random_c3_bound(%s: tensor<2xi32>) {
  gpuvm.stage @s(%k = %s : tensor<2xi32>) {
    // expected-error @below {{C3: the bound 2147483648 is no positive number of type 'i32'}}
    %r = gpuvm.random below(2147483648) seed(%k : tensor<2xi32>) -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @random_c3_limit(%s: tensor<2xi32>, %n: tensor<i64>) {
  gpuvm.stage @s(%k = %s : tensor<2xi32>, %m = %n : tensor<i64>) {
    // expected-error @below {{C3: the limit is a tensor<'i32'>, not 'tensor<i64>'}}
    %r = gpuvm.random below limit(%m : tensor<i64>) seed(%k : tensor<2xi32>) -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}
