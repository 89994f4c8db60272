// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

//===-- Types --------------------------------------------------------------===//

gpuvm.program @bad() {
  // expected-error @below {{there is no codec "q9_k" (there are bf16, bits, }}
  gpuvm.heap @w : !gpuvm.packed<q9_k, 256xf32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "bits" decodes to more than one type; write which, as in 1000xi32}}
  gpuvm.heap @w : !gpuvm.packed<bits<5>, 1000>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "q4_k" has blocks of 256 elements, of which the last dimension (128) is no multiple}}
  gpuvm.heap @w : !gpuvm.packed<q4_k, 256x128>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "q4_0" takes no parameters}}
  gpuvm.heap @w : !gpuvm.packed<q4_0<4>, 32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "q8_0" decodes to f32, f16 or bf16}}
  gpuvm.heap @w : !gpuvm.packed<q8_0, 32xi8>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "f16" takes no parameters}}
  gpuvm.heap @w : !gpuvm.packed<f16<1>, 32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "f16" decodes to f32 or f16}}
  gpuvm.heap @w : !gpuvm.packed<f16, 32xf64>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "bf16" takes no parameters}}
  gpuvm.heap @w : !gpuvm.packed<bf16<1>, 32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "bf16" decodes to f32 or bf16}}
  gpuvm.heap @w : !gpuvm.packed<bf16, 32xf16>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "bits" takes one parameter, the width of a field from 1 to 64 bits}}
  gpuvm.heap @w : !gpuvm.packed<bits, 32xi32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "bits" takes one parameter, the width of a field from 1 to 64 bits}}
  gpuvm.heap @w : !gpuvm.packed<bits<65>, 32xi64>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "bits" decodes to integers}}
  gpuvm.heap @w : !gpuvm.packed<bits<5>, 32xf32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "signed_bits" has fields of 9 bits, which an element of 8 bits does not hold}}
  gpuvm.heap @w : !gpuvm.packed<signed_bits<9>, 32xi8>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "delta" takes one parameter, the width of a difference from 1 to 32 bits}}
  gpuvm.heap @w : !gpuvm.packed<delta<33>, 32xi64>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "delta" decodes to integers of 8 bits or more}}
  gpuvm.heap @w : !gpuvm.packed<delta<3>, 32xf32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "dictionary" takes two parameters, the width of a code from 1 to 32 bits and the number of entries}}
  gpuvm.heap @w : !gpuvm.packed<dictionary<3>, 32xi32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "dictionary" decodes to elements of 8 bits or more}}
  gpuvm.heap @w : !gpuvm.packed<dictionary<3, 4>, 32xi1>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "run_length" takes one parameter, the number of runs, of which there are no more than elements}}
  gpuvm.heap @w : !gpuvm.packed<run_length<33>, 32xi32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{codec "run_length" decodes to elements of 8 bits or more}}
  gpuvm.heap @w : !gpuvm.packed<run_length<3>, 32xi1>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{a packed tensor takes at most 2147483647 bytes, not 4294967296}}
  gpuvm.heap @w : !gpuvm.packed<bits<64>, 536870912xi64>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{a packed tensor has the shape and the elements of a tensor of the machine and at least one dimension}}
  gpuvm.heap @w : !gpuvm.packed<f16, 65536x65536>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{a packed tensor has the shape and the elements of a tensor of the machine and at least one dimension}}
  gpuvm.heap @w : !gpuvm.packed<f16, 8xi7>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{"f99" is neither a size nor the type of an element}}
  gpuvm.heap @w : !gpuvm.packed<f16, 8xf99>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{"8yf32" is neither a size nor the type of an element}}
  gpuvm.heap @w : !gpuvm.packed<f16, 8yf32>
  gpuvm.return
}

// -----

gpuvm.program @bad() {
  // expected-error @below {{"-8" is neither a size nor the type of an element}}
  gpuvm.heap @w : !gpuvm.packed<f16, -8x32>
  gpuvm.return
}

// -----

// The lexer takes 0x32 for a number in hexadecimal, 50.
gpuvm.program @bad() {
  // expected-error @below {{a packed tensor has the shape and the elements of a tensor of the machine and at least one dimension}}
  gpuvm.heap @w : !gpuvm.packed<f16, 0x32>
  gpuvm.return
}

// -----

//===-- Symbols ------------------------------------------------------------===//

gpuvm.program @initial() {
  // expected-error @below {{C1: the initial value has type 'tensor<33xi8>', the symbol 'tensor<34xi8>'}}
  gpuvm.heap @w : !gpuvm.packed<q8_0, 32> = dense<0> : tensor<33xi8>
  gpuvm.return
}

// -----

gpuvm.program @metric() {
  // expected-error @below {{failed to satisfy constraint}}
  gpuvm.metric @w : !gpuvm.packed<q8_0, 32>
  gpuvm.return
}

// -----

gpuvm.program @other() {
  gpuvm.heap @w : !gpuvm.packed<q8_0, 32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: symbol @w has type '!gpuvm.packed<q8_0, 32>', not '!gpuvm.packed<q4_0, 32>'}}
    %p = gpuvm.load @w : !gpuvm.packed<q4_0, 32>
  }
  gpuvm.return
}

// -----

gpuvm.program @slice() {
  gpuvm.heap @w : !gpuvm.packed<q8_0, 64x32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: the packed symbol @w has no slices}}
    %p = gpuvm.load @w[0] : !gpuvm.packed<q8_0, 32x32>
  }
  gpuvm.return
}

// -----

// expected-error @below {{C0: '!gpuvm.packed<q8_0, 32>' is no statically shaped tensor}}
gpuvm.program @output(%p: !gpuvm.packed<q8_0, 32>) -> (p: !gpuvm.packed<q8_0, 32>) {
  gpuvm.return
}

// -----

//===-- gpuvm.decode -------------------------------------------------------===//

gpuvm.program @decode_c1_missing(%b: tensor<34xi8>) {
  gpuvm.stage @s(%in = %b : tensor<34xi8>) {
    // expected-error @below {{C1: a tensor of bytes is decoded `as` a packed type}}
    %w = gpuvm.decode %in : tensor<34xi8> -> tensor<32xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @decode_c2_other_bytes(%p: !gpuvm.packed<q4_0, 32>) {
  gpuvm.stage @s(%in = %p : !gpuvm.packed<q4_0, 32>) {
    // expected-error @below {{C2: '!gpuvm.packed<q8_0, 32>' takes 34 bytes, the operand is a '!gpuvm.packed<q4_0, 32>' of 18}}
    %w = gpuvm.decode %in as !gpuvm.packed<q8_0, 32> : !gpuvm.packed<q4_0, 32> -> tensor<32xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @decode_c2(%b: tensor<35xi8>) {
  gpuvm.stage @s(%in = %b : tensor<35xi8>) {
    // expected-error @below {{C2: '!gpuvm.packed<q8_0, 32>' takes 34 bytes, the operand is a 'tensor<35xi8>' of 35}}
    %w = gpuvm.decode %in as !gpuvm.packed<q8_0, 32> : tensor<35xi8> -> tensor<32xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @decode_c3(%p: !gpuvm.packed<q8_0, 32>) {
  gpuvm.stage @s(%in = %p : !gpuvm.packed<q8_0, 32>) {
    // expected-error @below {{C3: '!gpuvm.packed<q8_0, 32>' decodes to 'tensor<32xf32>', not 'tensor<32xf16>'}}
    %w = gpuvm.decode %in : !gpuvm.packed<q8_0, 32> -> tensor<32xf16>
  }
  gpuvm.return
}
