// RUN: gpuvm-opt %s --gpuvm-link --split-input-file --verify-diagnostics

gpuvm.program @c1(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  // expected-error @below {{C1: there is no program @other; it stands in the same file, or in one that --link names}}
  %y = gpuvm.call @other as @o (%x) : (tensor<4xf32>) -> !gpuvm.message<tensor<4xf32>>
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// -----

gpuvm.program @other(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  gpuvm.return %x : tensor<4xf32>
}
gpuvm.program @c2_count(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  // expected-error @below {{C2: program @other has 1 inputs, the call 2}}
  %y = gpuvm.call @other as @o (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> !gpuvm.message<tensor<4xf32>>
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// -----

gpuvm.program @other(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  gpuvm.return %x : tensor<4xf32>
}
gpuvm.program @c2_input(%x: tensor<8xf32>) -> (y: tensor<4xf32>) {
  // expected-error @below {{C2: input 0 of program @other is 'tensor<4xf32>', not 'tensor<8xf32>'}}
  %y = gpuvm.call @other as @o (%x) : (tensor<8xf32>) -> !gpuvm.message<tensor<4xf32>>
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// -----

gpuvm.program @other(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  gpuvm.return %x : tensor<4xf32>
}
gpuvm.program @c2_output(%x: tensor<4xf32>) -> (y: tensor<4xi32>) {
  // expected-error @below {{C2: output 0 of program @other is 'tensor<4xf32>', not 'tensor<4xi32>'}}
  %y = gpuvm.call @other as @o (%x) : (tensor<4xf32>) -> !gpuvm.message<tensor<4xi32>>
  gpuvm.return %y : !gpuvm.message<tensor<4xi32>>
}

// -----

gpuvm.program @a(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  %y = gpuvm.call @b as @o (%x) : (tensor<4xf32>) -> !gpuvm.message<tensor<4xf32>>
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}
gpuvm.program @b(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  // expected-error @below {{C3: program @a would be a part of itself}}
  %y = gpuvm.call @a as @o (%x) : (tensor<4xf32>) -> !gpuvm.message<tensor<4xf32>>
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// -----

// What was not seen before: an input is no message, and has no status.
gpuvm.program @same(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  gpuvm.return %x : tensor<4xf32>
}
gpuvm.program @metadata(%x: tensor<4xf32>) -> (y: tensor<f32>) {
  %m = gpuvm.call @same as @o (%x) : (tensor<4xf32>) -> !gpuvm.message<tensor<4xf32>>
  %y = gpuvm.stage @s(%v = %m : !gpuvm.message<tensor<4xf32>>) -> tensor<f32> {
    // expected-error @below {{C1: the operand is not a message the stage receives}}
    %n = gpuvm.metadata norm of %v : tensor<4xf32> -> tensor<f32>
    gpuvm.send %n : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}

// -----

gpuvm.program @names(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  %r = gpuvm.repeat @loop up_to 2 (%v = %x : tensor<4xf32>) {
    %s = gpuvm.stage @o(%w = %v : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
      gpuvm.send %w : tensor<4xf32>
    }
    gpuvm.next %s : !gpuvm.message<tensor<4xf32>>
  }
  // expected-error @below {{C4: another one is named "o"}}
  %y = gpuvm.call @other as @o (%r) : (!gpuvm.message<tensor<4xf32>>) -> !gpuvm.message<tensor<4xf32>>
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// -----

gpuvm.program @recursion(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  func.func private @a(%v: tensor<4xf32>) -> tensor<4xf32> {
    %r = func.call @b(%v) : (tensor<4xf32>) -> tensor<4xf32>
    func.return %r : tensor<4xf32>
  }
  func.func private @b(%v: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{function @a would be a part of itself}}
    %r = func.call @a(%v) : (tensor<4xf32>) -> tensor<4xf32>
    func.return %r : tensor<4xf32>
  }
  %y = gpuvm.stage @s(%w = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = func.call @a(%w) : (tensor<4xf32>) -> tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// -----

gpuvm.program @external(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
  %y = gpuvm.stage @s(%w = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{function @elsewhere has no body}}
    %r = func.call @elsewhere(%w) : (tensor<4xf32>) -> tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// -----

gpuvm.program @stages(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  func.func private @program(%v: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expects to be in a program, a repeat or a loop}}
    gpuvm.stage @inner() {
      gpuvm.send
    }
    func.return %v : tensor<4xf32>
  }
  %y = gpuvm.stage @s(%w = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = func.call @program(%w) : (tensor<4xf32>) -> tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// -----

gpuvm.program private @whole(%x: tensor<4xf32> {gpuvm.sharding = #gpuvm.sharding<0>}) ranks(2) {
  gpuvm.return
}
gpuvm.program @p(%x: tensor<4xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.call' op C6: program @whole has shardings, the program that calls it has none}}
  gpuvm.call @whole as @part (%x) : (tensor<4xf32>) -> ()
  gpuvm.return
}
