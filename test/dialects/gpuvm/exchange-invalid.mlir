// Each constraint of exchanges between ranks, broken.

// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'gpuvm.program' op C6: there cannot be 0 ranks (1 to 1024)}}
gpuvm.program @none() ranks(0) {
  gpuvm.return
}

// -----

// expected-error@+1 {{'gpuvm.program' op C6: there cannot be 1025 ranks (1 to 1024)}}
gpuvm.program @many() ranks(1025) {
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<4xf32>) {
  // expected-error@+1 {{'gpuvm.all_reduce' op C0: exchanges with other ranks in a program that does not say how many there are: write `ranks(n)` after its outputs}}
  %y = gpuvm.all_reduce %x add : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<?xf32, #gpuvm.bound<8>>) ranks(2) {
  // expected-error@+1 {{'gpuvm.all_gather' op C0: 'tensor<?xf32, #gpuvm.bound<8>>' is no static tensor with elements}}
  %y = gpuvm.all_gather %x axis(0) : tensor<?xf32, #gpuvm.bound<8>> -> tensor<16xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<4xf32>) ranks(2) {
  gpuvm.stage @work(%v = %x : tensor<4xf32>) {
    // expected-error@+1 {{'gpuvm.all_reduce' op expects to be in a program, a repeat or a loop}}
    %y = gpuvm.all_reduce %v add : tensor<4xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<4xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.all_gather' op C1: there is no axis 1 of 'tensor<4xf32>'}}
  %y = gpuvm.all_gather %x axis(1) : tensor<4xf32> -> tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<4xf32>) ranks(3) {
  // expected-error@+1 {{'gpuvm.all_gather' op C1: the result for 3 ranks is 'tensor<12xf32>', not 'tensor<8xf32>'}}
  %y = gpuvm.all_gather %x axis(0) : tensor<4xf32> -> tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<4xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.all_reduce' op C1: there is no xor of 'f32' of several ranks}}
  %y = gpuvm.all_reduce %x xor : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<4xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.all_reduce' op C1: there is no last of 'f32' of several ranks}}
  %y = gpuvm.all_reduce %x last : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<7x2xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.reduce_scatter' op C2: axis 0 of 'tensor<7x2xf32>' has length 7, which is no multiple of the 2 ranks}}
  %y = gpuvm.reduce_scatter %x add axis(0) : tensor<7x2xf32> -> tensor<3x2xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8x3xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.all_to_all' op C1: axis 1 of 'tensor<8x3xf32>' has length 3, which is no multiple of the 2 ranks}}
  %y = gpuvm.all_to_all %x split(1) concat(0) : tensor<8x3xf32> -> tensor<16x1xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8x4xf32>, %n: tensor<2xi32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.all_to_all' op C2: counts rows, and has the axes 1 and 0, not 0 and 0}}
  %y, %c = gpuvm.all_to_all %x split(1) concat(0) counts(%n : tensor<2xi32>) : tensor<8x4xf32> -> tensor<16x2xf32>, tensor<2xi32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8x4xf32>, %n: tensor<4xi32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.all_to_all' op C2: counts of 2 ranks are 'tensor<2xi32>', not 'tensor<4xi32>'}}
  %y, %c = gpuvm.all_to_all %x split(0) concat(0) counts(%n : tensor<4xi32>) : tensor<8x4xf32> -> tensor<8x4xf32>, tensor<2xi32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8x4xf32>, %n: tensor<2xi32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.all_to_all' op C2: says how many rows are sent or how many came, but not both}}
  %y = gpuvm.all_to_all %x split(0) concat(0) counts(%n : tensor<2xi32>) : tensor<8x4xf32> -> tensor<8x4xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.shift' op C1: shifts by 0 ranks, which is the operand}}
  %y = gpuvm.shift %x offset(0) : tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.shift' op C1: shifts by 2147483648 ranks (at most 2147483647)}}
  %y = gpuvm.shift %x offset(2147483648) rotate : tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<2x8xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.update_halo' op C2: a halo of 3 and 0 rows around 2: each may have 0 to 2, one of them at least 1}}
  %y = gpuvm.update_halo %x axis(0) halo(3, 0) : tensor<2x8xf32> -> tensor<5x8xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<2x8xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.update_halo' op C1: the result for 2 ranks is 'tensor<2x10xf32>', not 'tensor<4x8xf32>'}}
  %y = gpuvm.update_halo %x axis(1) halo(1, 1) : tensor<2x8xf32> -> tensor<4x8xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8xf32>) {
  // expected-error@+1 {{'flow.exchange' op C3: stands in a program that does not say how many ranks there are}}
  %y = flow.exchange [#gpuvm.transfer<kind = shift, offset = 1>] (%x) : (tensor<8xf32>) -> tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8xf32>) ranks(2) {
  // expected-error@+1 {{'flow.exchange' op C1: there are 2 transfers, 1 operands and 1 results}}
  %y = flow.exchange [#gpuvm.transfer<kind = all_gather>, #gpuvm.transfer<kind = all_gather>] (%x) : (tensor<8xf32>) -> tensor<16xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8xf32>) ranks(2) {
  // expected-error@+1 {{'flow.exchange' op C1: #gpuvm.transfer<kind = all_gather> of 'tensor<8xf32>' with 2 ranks does not give 'tensor<8xf32>'}}
  %y = flow.exchange [#gpuvm.transfer<kind = all_gather>] (%x) : (tensor<8xf32>) -> tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<7xf32>) ranks(2) {
  // expected-error@+1 {{'flow.exchange' op C1: 'tensor<7xf32>' is not cut into 2 blocks}}
  %y = flow.exchange [#gpuvm.transfer<kind = all_to_all>] (%x) : (tensor<7xf32>) -> tensor<7xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8xf32>, %n: tensor<3xi32>) ranks(2) {
  // expected-error@+1 {{'flow.exchange' op C1: counts of 2 ranks are not 'tensor<2xi32>'}}
  %y, %c = flow.exchange [#gpuvm.transfer<kind = all_to_all, counted = true>] (%x, %n) : (tensor<8xf32>, tensor<3xi32>) -> (tensor<8xf32>, tensor<3xi32>)
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8xf32>) ranks(2) {
  // expected-error@+1 {{'flow.exchange' op C4: there is no #gpuvm.transfer<kind = all_gather, offset = 1>}}
  %y = flow.exchange [#gpuvm.transfer<kind = all_gather, offset = 1>] (%x) : (tensor<8xf32>) -> tensor<16xf32>
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<8xf32>) ranks(2) {
  // expected-error@+1 {{'flow.exchange' op C2:}}
  %y = flow.exchange [#gpuvm.transfer<kind = shift, offset = 1>] (%x) {input_windows = [#gpuvm.window<registers, 0, 16>]} : (tensor<8xf32>) -> tensor<8xf32>
  gpuvm.return
}

// -----

// expected-error@+1 {{'gpuvm.program' op C7: input "x" has a sharding in a program that does not say how many ranks there are: write `ranks(n)` after its outputs}}
gpuvm.program @p(%x: tensor<4xf32> {gpuvm.sharding = #gpuvm.sharding<0>}) {
  gpuvm.return
}

// -----

// expected-error@+1 {{'gpuvm.program' op C7: input "x" is cut along axis 1, which 'tensor<4xf32>' does not have}}
gpuvm.program @p(%x: tensor<4xf32> {gpuvm.sharding = #gpuvm.sharding<1>}) ranks(2) {
  gpuvm.return
}

// -----

// expected-error@+1 {{'gpuvm.program' op C7: output "y" is cut along axis 1, whose length 7 is no multiple of the 3 ranks}}
gpuvm.program @p(%x: tensor<6x7xf32> {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<6x7xf32> {gpuvm.sharding = #gpuvm.sharding<1>}) ranks(3) {
  gpuvm.return %x : tensor<6x7xf32>
}

// -----

// expected-error@+1 {{'gpuvm.program' op C7: input "x" has a sharding, and 'tensor<?xf32, #gpuvm.bound<8>>' is no static tensor with elements}}
gpuvm.program @p(%x: tensor<?xf32, #gpuvm.bound<8>> {gpuvm.sharding = #gpuvm.sharding<0>}) ranks(2) {
  gpuvm.return
}

// -----

gpuvm.program @p(%x: tensor<4xf32> {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<4xf32>) ranks(2) {
  // expected-error@+1 {{'gpuvm.all_reduce' op C8: stands in a program with shardings, which is written on whole tensors: its exchanges are the compiler's; without shardings, a program is that of one rank}}
  %y = gpuvm.all_reduce %x add : tensor<4xf32>
  gpuvm.return %y : tensor<4xf32>
}

// -----

// expected-error@+1 {{an input or an output has no attribute but `gpuvm.sharding = #gpuvm.sharding<axis>`}}
gpuvm.program @p(%x: tensor<4xf32> {gpuvm.shard = 0}) ranks(2) {
  gpuvm.return
}
