// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

gpuvm.program @count(%u: tensor<5xi32>, %p: tensor<5xi32>, %i: tensor<3xi32>) -> (a: tensor<3xi32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xi32>, %p_ = %p : tensor<5xi32>, %i_ = %i : tensor<3xi32>) -> tensor<3xi32> {
    // expected-error @+1 {{C1: there are 1 updates, 1 initial values, 2 rules and 1 results}}
    %r = gpuvm.scatter add, min %u_ at %p_ into %i_ : (tensor<5xi32>, tensor<5xi32>, tensor<3xi32>) -> tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}

// -----

gpuvm.program @positions(%u: tensor<5xi32>, %p: tensor<5xi64>, %i: tensor<3xi32>) -> (a: tensor<3xi32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xi32>, %p_ = %p : tensor<5xi64>, %i_ = %i : tensor<3xi32>) -> tensor<3xi32> {
    // expected-error @+1 {{C2: positions are of 'i64', not of i32}}
    %r = gpuvm.scatter add %u_ at %p_ into %i_ : (tensor<5xi32>, tensor<5xi64>, tensor<3xi32>) -> tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}

// -----

gpuvm.program @rows(%u: tensor<5x2xi32>, %p: tensor<5xi32>, %i: tensor<3xi32>) -> (a: tensor<3xi32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5x2xi32>, %p_ = %p : tensor<5xi32>, %i_ = %i : tensor<3xi32>) -> tensor<3xi32> {
    // expected-error @+1 {{C3: updates 0 are 'tensor<5x2xi32>', not 'tensor<5xi32>'}}
    %r = gpuvm.scatter add %u_ at %p_ into %i_ : (tensor<5x2xi32>, tensor<5xi32>, tensor<3xi32>) -> tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}

// -----

gpuvm.program @bits(%u: tensor<5xf32>, %p: tensor<5xi32>, %i: tensor<3xf32>) -> (a: tensor<3xf32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xf32>, %p_ = %p : tensor<5xi32>, %i_ = %i : tensor<3xf32>) -> tensor<3xf32> {
    // expected-error @+1 {{C4: there is no xor of 'f32'}}
    %r = gpuvm.scatter xor %u_ at %p_ into %i_ : (tensor<5xf32>, tensor<5xi32>, tensor<3xf32>) -> tensor<3xf32>
    gpuvm.send %r : tensor<3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xf32>>
}

// -----

gpuvm.program @rule(%u: tensor<5xf32>, %p: tensor<5xi32>, %i: tensor<3xf32>) -> (a: tensor<3xf32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xf32>, %p_ = %p : tensor<5xi32>, %i_ = %i : tensor<3xf32>) -> tensor<3xf32> {
    // expected-error @+1 {{there is no rule "first"}}
    %r = gpuvm.scatter first %u_ at %p_ into %i_ : (tensor<5xf32>, tensor<5xi32>, tensor<3xf32>) -> tensor<3xf32>
    gpuvm.send %r : tensor<3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xf32>>
}

// -----

gpuvm.program @offsets(%u: tensor<5xf32>, %p: tensor<1xi32>, %i: tensor<f32>) -> (a: tensor<1xf32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xf32>, %p_ = %p : tensor<1xi32>, %i_ = %i : tensor<f32>) -> tensor<1xf32> {
    // expected-error @+1 {{C2: 'tensor<1xi32>' are no offsets of segments}}
    %r = gpuvm.segment_reduce %u_ by %p_ from %i_ : (tensor<5xf32>, tensor<1xi32>, tensor<f32>) -> tensor<1xf32> {
    ^bb0(%a: f32, %b: f32):
      gpuvm.yield %a : f32
    }
    gpuvm.send %r : tensor<1xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1xf32>>
}

// -----

gpuvm.program @segments(%u: tensor<5xf32>, %p: tensor<3xi32>, %i: tensor<f32>) -> (a: tensor<3xf32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xf32>, %p_ = %p : tensor<3xi32>, %i_ = %i : tensor<f32>) -> tensor<3xf32> {
    // expected-error @+1 {{C3: segments of 'tensor<5xf32>' have the result 'tensor<2xf32>', not 'tensor<3xf32>'}}
    %r = gpuvm.segment_reduce %u_ by %p_ from %i_ : (tensor<5xf32>, tensor<3xi32>, tensor<f32>) -> tensor<3xf32> {
    ^bb0(%a: f32, %b: f32):
      gpuvm.yield %a : f32
    }
    gpuvm.send %r : tensor<3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xf32>>
}

// -----

gpuvm.program @region(%u: tensor<5xf32>, %p: tensor<3xi32>, %i: tensor<f32>) -> (a: tensor<2xf32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xf32>, %p_ = %p : tensor<3xi32>, %i_ = %i : tensor<f32>) -> tensor<2xf32> {
    // expected-error @+1 {{C4: the region is not given two elements}}
    %r = gpuvm.segment_reduce %u_ by %p_ from %i_ : (tensor<5xf32>, tensor<3xi32>, tensor<f32>) -> tensor<2xf32> {
    ^bb0(%a: f32):
      gpuvm.yield %a : f32
    }
    gpuvm.send %r : tensor<2xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2xf32>>
}

// -----

gpuvm.program @counts(%u: tensor<5xf32>) -> (a: tensor<3xi32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xf32>) -> tensor<3xi32> {
    // expected-error @+1 {{C1: 'tensor<5xf32>' are no counts}}
    %r, %o, %n = gpuvm.expand %u_ : tensor<5xf32> -> tensor<3xi32>, tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}

// -----

gpuvm.program @keys(%u: tensor<5xf32>) -> (a: tensor<5xi32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xf32>) -> tensor<5xi32> {
    // expected-error @+1 {{C1: keys are not of integers, one dimension and one shape}}
    %r, %o, %n = gpuvm.distinct %u_ : tensor<5xf32> -> tensor<5xi32>, tensor<5xi32>
    gpuvm.send %r : tensor<5xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<5xi32>>
}

// -----

gpuvm.program @columns(%u: tensor<5xi32>, %t: tensor<4xi64>) -> (a: tensor<5xi32>) {
  %m = gpuvm.stage @s(%u_ = %u : tensor<5xi32>, %t_ = %t : tensor<4xi64>) -> tensor<5xi32> {
    // expected-error @+1 {{C1: keys and table are not as many columns of the same integers}}
    %r, %c, %o = gpuvm.match %u_ in %t_ : (tensor<5xi32>), (tensor<4xi64>) -> tensor<5xi32>, tensor<5xi32>, tensor<4xi32>
    gpuvm.send %r : tensor<5xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<5xi32>>
}

// -----

gpuvm.program @pairs(%r: tensor<5xi64>) -> (a: tensor<2x3xi32>) {
  %m = gpuvm.stage @s(%r_ = %r : tensor<5xi64>) -> tensor<2x3xi32> {
    // expected-error @+1 {{C1: 'tensor<5xi64>' has no numbers of rows in i32}}
    %c = gpuvm.histogram2d %r_, %r_ : tensor<5xi64> -> tensor<2x3xi32>
    gpuvm.send %c : tensor<2x3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2x3xi32>>
}

// -----

gpuvm.program @table(%r: tensor<5xi32>) -> (a: tensor<6xi32>) {
  %m = gpuvm.stage @s(%r_ = %r : tensor<5xi32>) -> tensor<6xi32> {
    // expected-error @+1 {{C2: 'tensor<6xi32>' has no count for each pair}}
    %c = gpuvm.histogram2d %r_, %r_ : tensor<5xi32> -> tensor<6xi32>
    gpuvm.send %c : tensor<6xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<6xi32>>
}
