// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

//===-- symbols ------------------------------------------------------------===//

gpuvm.program @register_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<2xf32>', the symbol 'tensor<4xf32>'}}
  gpuvm.register @r : tensor<4xf32> = dense<0.0> : tensor<2xf32>
  gpuvm.return
}

// -----

gpuvm.program @metric_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<i32>', the symbol 'tensor<i64>'}}
  gpuvm.metric @m : tensor<i64> = dense<0> : tensor<i32>
  gpuvm.return
}

// -----

gpuvm.program @global_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<2xf32>', the symbol 'tensor<4xf32>'}}
  gpuvm.global @g : tensor<4xf32> = dense<0.0> : tensor<2xf32>
  gpuvm.return
}

// -----

gpuvm.program @control_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<2xi32>', the symbol 'tensor<i32>'}}
  gpuvm.control @c : tensor<i32> = dense<0> : tensor<2xi32>
  gpuvm.return
}

// -----

gpuvm.program @control_c2() {
  // expected-error @below {{C2: Control holds i32 words, not 'tensor<3xi64>'}}
  gpuvm.control @c : tensor<3xi64>
  gpuvm.return
}

// -----

gpuvm.program @heap_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<2xf32>', the symbol 'tensor<4xf32>'}}
  gpuvm.heap @h : tensor<4xf32> = dense<0.0> : tensor<2xf32>
  gpuvm.return
}

// -----

gpuvm.program @symbol_c0() {
  // expected-error @below {{attribute 'type' failed to satisfy constraint}}
  gpuvm.heap @h : tensor<4xindex>
  gpuvm.return
}

// -----

//===-- gpuvm.load and gpuvm.store -----------------------------------------===//

gpuvm.program @load_c1() {
  gpuvm.stage @s() {
    // expected-error @below {{C1: there is no register, metric, global, control or heap symbol @missing in the program}}
    %v = gpuvm.load @missing : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c1_kernel() {
  gpuvm.extern_kernel @k "k.spv" () -> tensor<i32> local_size [1, 1, 1] groups [1, 1, 1]
  gpuvm.stage @s() {
    // expected-error @below {{C1: there is no register, metric, global, control or heap symbol @k in the program}}
    %v = gpuvm.load @k : tensor<i32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_type() {
  gpuvm.global @g : tensor<4xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: symbol @g has type 'tensor<4xf32>', not 'tensor<2xf32>'}}
    %v = gpuvm.load @g : tensor<2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_past_end() {
  gpuvm.global @g : tensor<128xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: the slice 'tensor<65xf32>' at 64 is not inside the symbol's 'tensor<128xf32>'}}
    %v = gpuvm.load @g[64] : tensor<65xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_negative() {
  gpuvm.global @g : tensor<128xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: the slice 'tensor<64xf32>' at -64 is not inside the symbol's 'tensor<128xf32>'}}
    %v = gpuvm.load @g[-64] : tensor<64xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_inner() {
  gpuvm.global @g : tensor<2x64xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: the slice 'tensor<1x32xf32>' at 1 is not inside the symbol's 'tensor<2x64xf32>'}}
    %v = gpuvm.load @g[1] : tensor<1x32xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_scalar() {
  gpuvm.global @g : tensor<f32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: the slice 'tensor<f32>' at 0 is not inside the symbol's 'tensor<f32>'}}
    %v = gpuvm.load @g[0] : tensor<f32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c3() {
  gpuvm.global @g : tensor<128xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C3: the slice starts at byte 128, which is not a multiple of 256}}
    %v = gpuvm.load @g[32] : tensor<64xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c1(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C1: there is no register, metric, global, control or heap symbol @missing in the program}}
    gpuvm.store %in, @missing : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c2(%x: tensor<4xf32>) {
  gpuvm.global @g : tensor<8xf32>
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C2: symbol @g has type 'tensor<8xf32>', not 'tensor<4xf32>'}}
    gpuvm.store %in, @g : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c3(%x: tensor<4xf32>) {
  gpuvm.global @g : tensor<8xf32>
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C3: the slice starts at byte 16, which is not a multiple of 256}}
    gpuvm.store %in, @g[4] : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c4(%x: tensor<4xf32>) {
  gpuvm.heap @h : tensor<4xf32>
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C4: heap symbol @h is immutable}}
    gpuvm.store %in, @h : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c5_inner(%x: tensor<1x4xf32>, %p: tensor<i32>) {
  gpuvm.global @g : tensor<8x3xf32>
  gpuvm.stage @s(%in = %x : tensor<1x4xf32>, %at = %p : tensor<i32>) {
    // expected-error @below {{C5: 'tensor<1x4xf32>' is no slice of the symbol's 'tensor<8x3xf32>' to store at a position}}
    gpuvm.store %in, @g[%at] : tensor<1x4xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c5_length(%x: tensor<9xf32>, %p: tensor<i32>) {
  gpuvm.global @g : tensor<8xf32>
  gpuvm.stage @s(%in = %x : tensor<9xf32>, %at = %p : tensor<i32>) {
    // expected-error @below {{C5: 'tensor<9xf32>' is no slice of the symbol's 'tensor<8xf32>' to store at a position}}
    gpuvm.store %in, @g[%at] : tensor<9xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c5_packed(%x: tensor<18xi8>, %p: tensor<i32>) {
  gpuvm.global @g : !gpuvm.packed<q4_0, 64>
  gpuvm.stage @s(%in = %x : tensor<18xi8>, %at = %p : tensor<i32>) {
    // expected-error @below {{C5: 'tensor<18xi8>' is no slice of the symbol's '!gpuvm.packed<q4_0, 64>' to store at a position}}
    gpuvm.store %in, @g[%at] : tensor<18xi8>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c5_heap(%x: tensor<2xf32>, %p: tensor<i32>) {
  gpuvm.heap @h : tensor<8xf32>
  gpuvm.stage @s(%in = %x : tensor<2xf32>, %at = %p : tensor<i32>) {
    // expected-error @below {{C4: heap symbol @h is immutable}}
    gpuvm.store %in, @h[%at] : tensor<2xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c5_position(%x: tensor<2xf32>, %p: tensor<i64>) {
  gpuvm.global @g : tensor<8xf32>
  gpuvm.stage @s(%in = %x : tensor<2xf32>, %at = %p : tensor<i64>) {
    // expected-note @above {{prior use here}}
    // expected-error @below {{use of value '%at' expects different type than prior uses: 'tensor<i32>' vs 'tensor<i64>'}}
    gpuvm.store %in, @g[%at] : tensor<2xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @own_position(%x: tensor<3x1x8xf32>, %n: tensor<3xi32>) {
  gpuvm.register @g : tensor<3x16x4xf32>
  gpuvm.stage @s instances(3) (%v = %x : tensor<3x1x8xf32>, %p = %n : tensor<3xi32>) {
    // expected-error @below {{C5: 'tensor<1x8xf32>' is no slice of the symbol's 'tensor<3x16x4xf32>' to store at a position}}
    gpuvm.store own %v, @g[%p] : tensor<1x8xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @own_position_count(%x: tensor<3x1x4xf32>, %n: tensor<3xi32>) {
  gpuvm.register @g : tensor<4x16x4xf32>
  gpuvm.stage @s instances(3) (%v = %x : tensor<3x1x4xf32>, %p = %n : tensor<3xi32>) {
    // expected-error @below {{C6: symbol @g of type 'tensor<4x16x4xf32>' is not 3 of 'tensor<16x4xf32>'}}
    gpuvm.store own %v, @g[%p] : tensor<1x4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c6_stage() {
  gpuvm.global @g : tensor<4x8xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C6: stands in no stage with instances, so nothing is its own}}
    %own = gpuvm.load own @g : tensor<8xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c6_type() {
  gpuvm.global @g : tensor<4x8xf32>
  gpuvm.stage @s instances(3) () {
    // expected-error @below {{C6: symbol @g of type 'tensor<4x8xf32>' is not 3 of 'tensor<8xf32>'}}
    %own = gpuvm.load own @g : tensor<8xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c6_offset(%x: tensor<4x64xf32>) {
  gpuvm.global @g : tensor<4x64xf32>
  gpuvm.stage @s instances(4) (%in = %x : tensor<4x64xf32>) {
    // expected-error @below {{C6: symbol @g of type 'tensor<4x64xf32>' is not 4 of 'tensor<64xf32>'}}
    gpuvm.store own %in, @g[1] : tensor<64xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c6_packed(%x: tensor<2x32xf32>) {
  gpuvm.heap @w : !gpuvm.packed<q4_0, 2x32>
  gpuvm.stage @s instances(2) (%in = %x : tensor<2x32xf32>) {
    // expected-error @below {{C6: symbol @w of type '!gpuvm.packed<q4_0, 2x32>' is not 2 of 'tensor<18xi8>'}}
    %own = gpuvm.load own @w : tensor<18xi8>
  }
  gpuvm.return
}
