// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

//===-- kernels ------------------------------------------------------------===//

gpuvm.program @kernel_c4(%x: tensor<4xf32>) {
  // expected-error @below {{C4: a chain yields a value that no step holds}}
  %y = flow.dispatch @k chain ["s"] (%x) {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @hold_c1(%x: tensor<4xf32>) {
  %y = flow.dispatch @k chain ["s"] (%x) {
  ^bb0(%in: tensor<4xf32>):
    // expected-error @below {{all of {values, held} have same type}}
    %h = "flow.hold"(%in) : (tensor<4xf32>) -> tensor<4xi32>
    gpuvm.yield %h : tensor<4xi32>
  } : (tensor<4xf32>) -> tensor<4xi32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c1(%x: tensor<4xf32>) {
  // expected-error @below {{C1: the block arguments are not the operands}}
  %y = flow.dispatch @k map ["s"] (%x) {
  ^bb0(%in: tensor<8xf32>):
    gpuvm.yield %in : tensor<8xf32>
  } : (tensor<4xf32>) -> tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c2(%x: tensor<4xf32>) {
  // expected-error @below {{C2: the body does not yield the results}}
  %y = flow.dispatch @k map ["s"] (%x) {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c3_length(%x: tensor<4xf32>) {
  // expected-error @below {{C3: a window of 15 bytes does not hold 'tensor<4xf32>'}}
  %y = flow.dispatch @k map ["s"] (%x) attributes {input_windows = [#gpuvm.window<registers, 0, 15>]} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c3_count(%x: tensor<4xf32>) {
  // expected-error @below {{C3: there are 0 windows for 1 tensors}}
  %y = flow.dispatch @k map ["s"] (%x) attributes {output_windows = []} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @ties_c5_count(%x: tensor<4xf32>) {
  // expected-error @below {{C5: ties 2 results, and has 1}}
  %y = flow.dispatch @k map ["s"] (%x) attributes {ties = array<i64: 0, -1>} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @ties_c5_operand(%x: tensor<4xf32>) {
  // expected-error @below {{C5: operand 7 is not there, or is tied twice}}
  %y = flow.dispatch @k map ["s"] (%x) attributes {ties = array<i64: 7>} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @ties_c5_type(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @below {{C5: ties 'tensor<4xf32>' to 'tensor<i1>'}}
  %y = flow.dispatch @k map ["s"] (%x, %c) attributes {ties = array<i64: 1>} {
  ^bb0(%in: tensor<4xf32>, %goes: tensor<i1>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c6_alone(%x: tensor<4xf32>) {
  // expected-error @below {{C6: says where its workgroups are counted, or how many they are at most, but not both}}
  %y = flow.dispatch @k map ["s"] (%x) attributes {most_groups = 1 : i64} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c6_window(%x: tensor<4xf32>) {
  // expected-error @below {{C6: counts its workgroups in #gpuvm.window<registers, 0, 12>, not in 12 bytes of Control}}
  %y = flow.dispatch @k map ["s"] (%x)
      attributes {groups_window = #gpuvm.window<registers, 0, 12>, most_groups = 1 : i64} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c6_row(%x: tensor<4xf32>, %n: tensor<2x3xi32>) {
  // expected-error @below {{C6: there are no three words in row 2 of 'tensor<2x3xi32>'}}
  %y = flow.dispatch @k map ["s"] (%x) groups(%n[2] of 4 : tensor<2x3xi32>) {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @place_c1_maker(%x: tensor<4xf32>) {
  gpuvm.register @r : tensor<4xf32>
  // expected-error @below {{C1: places what no dispatch computes}}
  flow.place %x in @r : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @place_c1_type(%x: tensor<4xf32>) {
  gpuvm.register @r : tensor<8xf32>
  %y = flow.dispatch @k map ["s"] (%x) {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{C2: symbol @r has type 'tensor<8xf32>', not 'tensor<4xf32>'}}
  flow.place %y in @r : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @copy_c1(%x: tensor<4xf32>) {
  // expected-error @below {{C1: a window of 8 bytes does not hold 'tensor<4xf32>'}}
  %y = flow.copy %x ["s"] {input_windows = [#gpuvm.window<registers, 0, 8>]} : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @expose_c1(%x: tensor<4xf32>) {
  // expected-error @below {{C1: there is no register -1 of instance 0 (both count from 0)}}
  flow.expose %x as -1 of 0 : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c7(%x: tensor<4xf32>) {
  // expected-error @below {{C7: has no launch for any device as the last one}}
  %y = flow.dispatch @k map ["s"] (%x)
      attributes {launches = [#gpuvm.launch<device = cpu, form = plain, groups = 1, lanes = 256, vector = 1, unroll = 1>]} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c8(%x: tensor<4xf32>) {
  // expected-error @below {{C8: a map computes 'tensor<2xf32>' and 'tensor<4xf32>'}}
  %y:2 = flow.dispatch @k map ["s"] (%x) {
  ^bb0(%in: tensor<4xf32>):
    %e = tensor.empty() : tensor<2xf32>
    gpuvm.yield %in, %e : tensor<4xf32>, tensor<2xf32>
  } : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  gpuvm.return
}

// -----

gpuvm.program @otherwise_c9_predicate(%x: tensor<4xf32>) {
  // expected-error @below {{C9: always runs, and says what it is otherwise}}
  %y = flow.dispatch @k map ["s"] (%x) attributes {otherwise = array<i64: 0>} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @otherwise_c9_count(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @below {{C9: says what 2 results are otherwise, and has 1}}
  %y = flow.dispatch @k map ["s"] (%x) if(%c) attributes {otherwise = array<i64: 0, 0>} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @otherwise_c9_operand(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @below {{C9: has no operand 1}}
  %y = flow.dispatch @k map ["s"] (%x) if(%c) attributes {otherwise = array<i64: 1>} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @otherwise_c9_type(%x: tensor<4xf32>, %c: tensor<i1>, %z: tensor<2xf32>) {
  // expected-error @below {{C9: 'tensor<4xf32>' is otherwise 'tensor<2xf32>'}}
  %y = flow.dispatch @k map ["s"] (%x, %z) unless(%c) attributes {otherwise = array<i64: 1>} {
  ^bb0(%in: tensor<4xf32>, %other: tensor<2xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  gpuvm.return
}
