// Conditions of stages: what gpuvm.stage and gpuvm.send reject.

// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

gpuvm.program @condition_is_i1(%x: tensor<8xf32>, %c: tensor<i32>) -> (y: tensor<8xf32>) {
  // expected-error @+1 {{C6: the condition is not a tensor<i1>}}
  %y = gpuvm.stage @s when(%c : tensor<i32>) (%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %r = arith.addf %v, %v : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32> else %v : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @something_else(%x: tensor<8xf32>, %c: tensor<i1>) -> (y: tensor<8xi1>) {
  %y = gpuvm.stage @s when(%c : tensor<i1>) (%v = %x : tensor<8xf32>) -> tensor<8xi1> {
    %r = arith.addf %v, %v : tensor<8xf32>
    %s = arith.cmpf ogt, %r, %v : tensor<8xf32>
    // expected-error @+1 {{C6: what is sent else is not of the types sent}}
    gpuvm.send %s : tensor<8xi1> else %v : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xi1>>
}

// -----

gpuvm.program @made_inside(%x: tensor<8xf32>, %c: tensor<i1>) -> (y: tensor<8xf32>) {
  %y = gpuvm.stage @s when(%c : tensor<i1>) (%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %r = arith.addf %v, %v : tensor<8xf32>
    // expected-error @+1 {{C6: what is sent else is not what the stage was given}}
    gpuvm.send %r : tensor<8xf32> else %r : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @always_runs(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %r = arith.addf %v, %v : tensor<8xf32>
    // expected-error @+1 {{C6: the stage has no condition, and sends nothing else}}
    gpuvm.send %r : tensor<8xf32> else %v : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @one_for_all(%x: tensor<4x8xf32>, %c: tensor<i1>) -> (y: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a condition for each instance, or the word "shared" before it}}
  %y = gpuvm.stage @s instances(4) when(%c : tensor<i1>) (%v = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    gpuvm.send %v : tensor<8xf32> else %v : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4x8xf32>>
}

// -----

gpuvm.program @as_many_conditions(%x: tensor<4x8xf32>, %c: tensor<3xi1>) -> (y: tensor<4x8xf32>) {
  // expected-error @+1 {{C4: operand 1 of type 'tensor<3xi1>' cannot be cut into 4 of 'tensor<i1>'}}
  %y = gpuvm.stage @s instances(4) when(%c : tensor<3xi1>) (%v = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    gpuvm.send %v : tensor<8xf32> else %v : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4x8xf32>>
}

// -----

!rows = tensor<?xf32, #gpuvm.bound<8>>
gpuvm.program @bounded(%x: tensor<8xf32>, %n: tensor<i32>, %c: tensor<i1>) -> (y: !rows) {
  %r = gpuvm.stage @rows(%v = %x : tensor<8xf32>, %k = %n : tensor<i32>) -> !rows {
    %b = gpuvm.bounded %v[%k] : tensor<8xf32> -> !rows
    gpuvm.send %b : !rows
  }
  // expected-error @+1 {{C7: sends rows whose number only the device knows to who runs on another condition}}
  %y = gpuvm.stage @s when(%c : tensor<i1>) (%v = %r : !gpuvm.message<!rows>) -> !rows {
    %s = arith.addf %v, %v : !rows
    gpuvm.send %s : !rows
  }
  gpuvm.return %y : !gpuvm.message<!rows>
}
