// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

gpuvm.program @rank(%q: tensor<2x8xf32>, %k: tensor<1x4x8xf32>) -> (o: tensor<2x8xf32>) {
  %m = gpuvm.stage @s(%a = %q : tensor<2x8xf32>, %b = %k : tensor<1x4x8xf32>) -> tensor<2x8xf32> {
    // expected-error@+1 {{C1: 'tensor<2x8xf32>' does not have three dimensions}}
    %r = gpuvm.attention %a, %b, %b scale 1.0 : tensor<2x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32> -> tensor<2x8xf32>
    gpuvm.send %r : tensor<2x8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2x8xf32>>
}

// -----

gpuvm.program @groups(%q: tensor<3x1x8xf32>, %k: tensor<2x4x8xf32>) -> (o: tensor<3x1x8xf32>) {
  %m = gpuvm.stage @s(%a = %q : tensor<3x1x8xf32>, %b = %k : tensor<2x4x8xf32>) -> tensor<3x1x8xf32> {
    // expected-error@+1 {{C1: 2 heads of keys do not divide 3 heads of queries}}
    %r = gpuvm.attention %a, %b, %b scale 1.0 : tensor<3x1x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32> -> tensor<3x1x8xf32>
    gpuvm.send %r : tensor<3x1x8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3x1x8xf32>>
}

// -----

gpuvm.program @type(%q: tensor<1x1x8xf64>, %k: tensor<1x4x8xf64>) -> (o: tensor<1x1x8xf64>) {
  %m = gpuvm.stage @s(%a = %q : tensor<1x1x8xf64>, %b = %k : tensor<1x4x8xf64>) -> tensor<1x1x8xf64> {
    // expected-error@+1 {{C2: elements are f16 or f32, not 'f64'}}
    %r = gpuvm.attention %a, %b, %b scale 1.0 : tensor<1x1x8xf64>, tensor<1x4x8xf64>, tensor<1x4x8xf64> -> tensor<1x1x8xf64>
    gpuvm.send %r : tensor<1x1x8xf64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x1x8xf64>>
}

// -----

gpuvm.program @count(%q: tensor<1x1x8xf32>, %k: tensor<1x4x8xf32>, %n: tensor<2xi32>) -> (o: tensor<1x1x8xf32>) {
  %m = gpuvm.stage @s(%a = %q : tensor<1x1x8xf32>, %b = %k : tensor<1x4x8xf32>, %c = %n : tensor<2xi32>) -> tensor<1x1x8xf32> {
    // expected-error@+1 {{C3: the number of keys is a tensor<i32>, or one for each of as many that divide}}
    %r = gpuvm.attention %a, %b, %b keys(%c) scale 1.0 : tensor<1x1x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<2xi32> -> tensor<1x1x8xf32>
    gpuvm.send %r : tensor<1x1x8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x1x8xf32>>
}

// -----

gpuvm.program @window(%q: tensor<1x1x8xf32>, %k: tensor<1x4x8xf32>) -> (o: tensor<1x1x8xf32>) {
  %m = gpuvm.stage @s(%a = %q : tensor<1x1x8xf32>, %b = %k : tensor<1x4x8xf32>) -> tensor<1x1x8xf32> {
    // expected-error@+1 {{C4: a window is positive and causal}}
    %r = gpuvm.attention %a, %b, %b scale 1.0 window 4 : tensor<1x1x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32> -> tensor<1x1x8xf32>
    gpuvm.send %r : tensor<1x1x8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x1x8xf32>>
}

// -----

gpuvm.program @size(%q: tensor<1x1x600xf32>, %k: tensor<1x4x600xf32>) -> (o: tensor<1x1x600xf32>) {
  %m = gpuvm.stage @s(%a = %q : tensor<1x1x600xf32>, %b = %k : tensor<1x4x600xf32>) -> tensor<1x1x600xf32> {
    // expected-error@+1 {{C5: rows have more than 512 elements}}
    %r = gpuvm.attention %a, %b, %b scale 1.0 : tensor<1x1x600xf32>, tensor<1x4x600xf32>, tensor<1x4x600xf32> -> tensor<1x1x600xf32>
    gpuvm.send %r : tensor<1x1x600xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x1x600xf32>>
}

// -----

gpuvm.program @first(%q: tensor<1x1x8xf32>, %k: tensor<1x4x8xf32>, %n: tensor<i64>) -> (o: tensor<1x1x8xf32>) {
  %m = gpuvm.stage @s(%a = %q : tensor<1x1x8xf32>, %b = %k : tensor<1x4x8xf32>, %c = %n : tensor<i64>) -> tensor<1x1x8xf32> {
    // expected-error@+1 {{C3: the first position is a tensor<i32>, or one for each of as many that divide 1 heads of keys, not 'tensor<i64>'}}
    %r = gpuvm.attention %a, %b, %b first(%c : tensor<i64>) scale 1.0 : tensor<1x1x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32> -> tensor<1x1x8xf32>
    gpuvm.send %r : tensor<1x1x8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x1x8xf32>>
}

// -----

gpuvm.program @cap(%q: tensor<1x1x8xf32>, %k: tensor<1x4x8xf32>) -> (o: tensor<1x1x8xf32>) {
  %m = gpuvm.stage @s(%a = %q : tensor<1x1x8xf32>, %b = %k : tensor<1x4x8xf32>) -> tensor<1x1x8xf32> {
    // expected-error@+1 {{C6: a cap is positive and finite, not 0.000000e+00}}
    %r = gpuvm.attention %a, %b, %b scale 1.0 cap 0.0 : tensor<1x1x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32> -> tensor<1x1x8xf32>
    gpuvm.send %r : tensor<1x1x8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x1x8xf32>>
}
