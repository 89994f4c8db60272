// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --mlir-print-op-generic | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --emit-bytecode | gpuvm-opt | FileCheck %s

// The example of every operation is here, with what it needs around it.

// CHECK-LABEL: gpuvm.program @triple(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
// CHECK:         %[[Y:.*]] = stage @scale(%[[IN:.*]] = %x : tensor<8xf32>) -> tensor<8xf32> {
// CHECK:           arith.mulf %[[IN]]
// CHECK:           send %{{.*}} : tensor<8xf32>
// CHECK:         return %[[Y]] : !gpuvm.message<tensor<8xf32>>
gpuvm.program @triple(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  %y = gpuvm.stage @scale(%in = %x : tensor<8xf32>) -> tensor<8xf32> {
    %three = arith.constant dense<3.0> : tensor<8xf32>
    %r = arith.mulf %in, %three : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// CHECK-LABEL: gpuvm.program @worth(%price: tensor<?xf32, #gpuvm.bound<1000>>, %amount: tensor<?xf32, #gpuvm.bound<1000>> rows %price) -> (worth: tensor<?xf32, #gpuvm.bound<1000>>) {
!column = tensor<?xf32, #gpuvm.bound<1000>>
gpuvm.program @worth(%price: !column, %amount: !column rows %price) -> (worth: !column) {
  %w = gpuvm.stage @multiply(%p = %price : !column, %a = %amount : !column) -> !column {
    %pa = arith.mulf %p, %a : !column
    gpuvm.send %pa : !column
  }
  gpuvm.return %w : !gpuvm.message<!column>
}

// The dialect's prefix can be left out inside a program.
// CHECK-LABEL: gpuvm.program @short(%x: tensor<8xf32>) -> (result0: tensor<8xf32>) {
gpuvm.program @short(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = stage @negate(%in = %x : tensor<8xf32>) -> tensor<8xf32> {
    %r = arith.negf %in : tensor<8xf32>
    send %r : tensor<8xf32>
  }
  return %y : !gpuvm.message<tensor<8xf32>>
}

// CHECK-LABEL: gpuvm.program @instances(
// CHECK:         stage @scale instances(132) (%[[V:.*]] = %x : tensor<132x8xf32>, %[[F:.*]] = shared %factors : tensor<8xf32>) -> tensor<132x8xf32> {
// CHECK:           arith.mulf %[[V]], %[[F]] : tensor<8xf32>
gpuvm.program @instances(%x: tensor<132x8xf32>, %factors: tensor<8xf32>) -> tensor<132x8xf32> {
  %scaled = gpuvm.stage @scale instances(132)
      (%v = %x : tensor<132x8xf32>, %f = shared %factors : tensor<8xf32>)
      -> tensor<132x8xf32> {
    %r = arith.mulf %v, %f : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %scaled : !gpuvm.message<tensor<132x8xf32>>
}

// CHECK-LABEL: gpuvm.program @signatures(%a: tensor<i1>, %b: tensor<2x3xf16>) -> (result0: tensor<i1>, "odd name": tensor<2x3xf16>) {
// CHECK:         return %a, %b : tensor<i1>, tensor<2x3xf16>
gpuvm.program @signatures(%a: tensor<i1>, %b: tensor<2x3xf16>) -> (tensor<i1>, "odd name": tensor<2x3xf16>) {
  gpuvm.return %a, %b : tensor<i1>, tensor<2x3xf16>
}

// Names that begin like a type need quotes.
// CHECK-LABEL: gpuvm.program @names(%x: tensor<i1>) -> ("f32": tensor<i1>, "index": tensor<i1>, "i8x": tensor<i1>, "tensor": tensor<i1>, f: tensor<i1>, ifx: tensor<i1>) {
gpuvm.program @names(%x: tensor<i1>) -> ("f32": tensor<i1>, "index": tensor<i1>, "i8x": tensor<i1>, "tensor": tensor<i1>, f: tensor<i1>, ifx: tensor<i1>) {
  gpuvm.return %x, %x, %x, %x, %x, %x : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
}

// CHECK-LABEL: gpuvm.program @nothing() {
// CHECK-NEXT:    return
gpuvm.program @nothing() {
  gpuvm.return
}

// CHECK-LABEL: gpuvm.program @attributes() attributes {note = "kept"} {
gpuvm.program @attributes() attributes {note = "kept"} {
  gpuvm.return
}

// CHECK-LABEL: gpuvm.program @stages
gpuvm.program @stages(%qty: tensor<1024xi8>) {
  // CHECK: stage @filter(%[[Q:.*]] = %qty : tensor<1024xi8>) -> tensor<1024xi1> {
  // CHECK: send %{{.*}} : tensor<1024xi1>
  %kept = gpuvm.stage @filter(%q = %qty : tensor<1024xi8>) -> tensor<1024xi1> {
    %limit = arith.constant dense<24> : tensor<1024xi8>
    %m = arith.cmpi slt, %q, %limit : tensor<1024xi8>
    gpuvm.send %m : tensor<1024xi1>
  }
  // A stage that sends nothing needs no terminator.
  // CHECK: stage @silent(%{{.*}} = %{{.*}} : !gpuvm.message<tensor<1024xi1>>) {
  // CHECK-NEXT: }
  gpuvm.stage @silent(%m = %kept : !gpuvm.message<tensor<1024xi1>>) {
  }
  // CHECK: stage @none() {
  // CHECK-NEXT: }
  gpuvm.stage @none() {
  }
  // CHECK: send %{{.*}} : tensor<1024xi8> status(%{{.*}} : tensor<i32>)
  %warned = gpuvm.stage @warn(%q = %qty : tensor<1024xi8>) -> tensor<1024xi8> {
    %attention = arith.constant dense<2> : tensor<i32>
    gpuvm.send %q : tensor<1024xi8> status(%attention : tensor<i32>)
  }
  // CHECK: stage @grouped(%{{.*}} = %qty : tensor<1024xi8>) -> tensor<1024xi8> attributes {fusion_group = 3 : i64} {
  %a = gpuvm.stage @grouped(%q = %qty : tensor<1024xi8>) -> tensor<1024xi8> attributes {fusion_group = 3 : i64} {
    gpuvm.send %q : tensor<1024xi8>
  }
  gpuvm.return
}

// CHECK-LABEL: gpuvm.program @metadata
gpuvm.program @metadata(%v: tensor<8xf32>) {
  %m = gpuvm.stage @sender(%x = %v : tensor<8xf32>) -> tensor<8xf32> {
    gpuvm.send %x : tensor<8xf32>
  }
  gpuvm.stage @reader(%x = %m : !gpuvm.message<tensor<8xf32>>) {
    // CHECK: metadata norm of %{{.*}} : tensor<8xf32> -> tensor<f32>
    %n = gpuvm.metadata norm of %x : tensor<8xf32> -> tensor<f32>
    // CHECK: metadata max_abs of %{{.*}} : tensor<8xf32> -> tensor<f32>
    %l = gpuvm.metadata max_abs of %x : tensor<8xf32> -> tensor<f32>
    // CHECK: metadata ticks of %{{.*}} : tensor<8xf32> -> tensor<i64>
    %t = gpuvm.metadata ticks of %x : tensor<8xf32> -> tensor<i64>
    // CHECK: metadata status of %{{.*}} : tensor<8xf32> -> tensor<i32>
    %s = gpuvm.metadata status of %x : tensor<8xf32> -> tensor<i32>
  }
  gpuvm.return
}

// CHECK-LABEL: gpuvm.program @symbols
gpuvm.program @symbols(%n: tensor<i64>) {
  // CHECK: register @state : tensor<256xf32>
  gpuvm.register @state : tensor<256xf32>
  // CHECK: metric @count : tensor<i64>
  gpuvm.metric @count : tensor<i64>
  // CHECK: global @table : tensor<4xf32> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
  gpuvm.global @table : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // CHECK: control @limit : tensor<i32> = dense<24> : tensor<i32>
  gpuvm.control @limit : tensor<i32> = dense<24> : tensor<i32>
  // CHECK: heap @price : tensor<6001215xi64>
  gpuvm.heap @price : tensor<6001215xi64>
  // CHECK: metric @placed : tensor<i64> {window = #gpuvm.window<metrics, 256, 8>}
  gpuvm.metric @placed : tensor<i64> {window = #gpuvm.window<metrics, 256, 8>}
  gpuvm.stage @use(%v = %n : tensor<i64>) {
    // CHECK: load @state[64] : tensor<64xf32>
    %half = gpuvm.load @state[64] : tensor<64xf32>
    // CHECK: load @limit : tensor<i32>
    %limit = gpuvm.load @limit : tensor<i32>
    // CHECK: store %{{.*}}, @count : tensor<i64>
    gpuvm.store %v, @count : tensor<i64>
    // CHECK: store %{{.*}}, @state[128] : tensor<64xf32>
    gpuvm.store %half, @state[128] : tensor<64xf32>
    // CHECK: gather %{{.*}}[%{{.*}}] : tensor<64xf32>, tensor<i32> -> tensor<f32>
    %picked = gpuvm.gather %half[%limit] : tensor<64xf32>, tensor<i32> -> tensor<f32>
    %row = tensor.expand_shape %picked [] output_shape [1] : tensor<f32> into tensor<1xf32>
    // CHECK: store %{{.*}}, @state[%{{.*}}] : tensor<1xf32>
    gpuvm.store %row, @state[%limit] : tensor<1xf32>
  }
  gpuvm.return
}

// CHECK-LABEL: gpuvm.program @external
gpuvm.program @external(%x: tensor<1024xf32>) {
  // CHECK: extern_kernel @blur "blur.spv" (tensor<1024xf32>) -> tensor<1024xf32> local_size [64, 1, 1] groups [16, 1, 1]
  gpuvm.extern_kernel @blur "blur.spv" (tensor<1024xf32>) -> tensor<1024xf32>
      local_size [64, 1, 1] groups [16, 1, 1]
  // CHECK: extern_kernel @other "other.spv" () -> tensor<i32> local_size [1, 1, 1] groups [1, 1, 1] entry_point "run"
  gpuvm.extern_kernel @other "other.spv" () -> tensor<i32>
      local_size [1, 1, 1] groups [1, 1, 1] entry_point "run"
  gpuvm.stage @smooth(%a = %x : tensor<1024xf32>) {
    // CHECK: invoke @blur(%{{.*}}) : (tensor<1024xf32>) -> tensor<1024xf32>
    %b = gpuvm.invoke @blur(%a) : (tensor<1024xf32>) -> tensor<1024xf32>
  }
  gpuvm.return
}

// CHECK-LABEL: gpuvm.program @kernels
gpuvm.program @kernels(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  // CHECK: flow.dispatch @scale_0 map ["scale"](%x) {
  // CHECK: yield %{{.*}} : tensor<8xf32>
  // CHECK: } : (tensor<8xf32>) -> tensor<8xf32>
  %y = flow.dispatch @scale_0 map ["scale"] (%x) {
  ^bb0(%in: tensor<8xf32>):
    gpuvm.yield %in : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: flow.dispatch @sum_0 reduce ["sum"](%{{.*}}) attributes {input_windows = [#gpuvm.window<registers, 256, 32>]} {
  %sum = flow.dispatch @sum_0 reduce ["sum"] (%y) attributes {input_windows = [#gpuvm.window<registers, 256, 32>]} {
  ^bb0(%in: tensor<8xf32>):
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.yield %r : tensor<f32>
  } : (tensor<8xf32>) -> tensor<f32>
  // CHECK: flow.dispatch @twice_chain chain ["once", "twice"](%{{.*}}) {
  %t = flow.dispatch @twice_chain chain ["once", "twice"] (%y) {
  ^bb0(%in: tensor<8xf32>):
    // CHECK: %[[A:.*]] = flow.hold %{{.*}} : tensor<8xf32>
    %a = flow.hold %in : tensor<8xf32>
    // CHECK: %[[BC:.*]]:2 = flow.hold %[[A]], %[[A]] : tensor<8xf32>, tensor<8xf32>
    %b, %c = flow.hold %a, %a : tensor<8xf32>, tensor<8xf32>
    gpuvm.yield %c : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: copy %{{.*}} ["update"] : tensor<8xf32>
  %c = flow.copy %y ["update"] : tensor<8xf32>
  // CHECK: expose %{{.*}} as 30 of 2 : tensor<f32>
  flow.expose %sum as 30 of 2 : tensor<f32>
  gpuvm.return %c : tensor<8xf32>
}

// CHECK-LABEL: gpuvm.program @random
gpuvm.program @random(%seed: tensor<2xi32>, %stream: tensor<i32>, %sides: tensor<i32>) {
  gpuvm.stage @draw(%s = %seed : tensor<2xi32>, %t = %stream : tensor<i32>, %n = %sides : tensor<i32>) {
    // CHECK: random uniform seed(%{{.*}} : tensor<2xi32>) stream(%{{.*}} : tensor<i32>) -> tensor<1000xf32>
    %u = gpuvm.random uniform seed(%s : tensor<2xi32>) stream(%t : tensor<i32>) -> tensor<1000xf32>
    // CHECK: random below(6) seed(%{{.*}} : tensor<2xi32>) -> tensor<1000xi32>
    %d = gpuvm.random below(6) seed(%s : tensor<2xi32>) -> tensor<1000xi32>
    // CHECK: random below limit(%{{.*}} : tensor<i32>) seed(%{{.*}} : tensor<2xi32>) -> tensor<2x5xi32>
    %e = gpuvm.random below limit(%n : tensor<i32>) seed(%s : tensor<2xi32>) -> tensor<2x5xi32>
  }
  gpuvm.return
}

// CHECK-LABEL: gpuvm.program @scan
gpuvm.program @scan(%x: tensor<4x8xf32>, %h: tensor<4x8xi1>, %v: tensor<8xi64>, %k: tensor<8xi1>) {
  gpuvm.stage @s(%a = %x : tensor<4x8xf32>, %heads = %h : tensor<4x8xi1>, %b = %v : tensor<8xi64>, %keep = %k : tensor<8xi1>) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // CHECK: scan %{{.*}} dimension 1 exclusive(%{{.*}}) segments(%{{.*}}) reverse : (tensor<4x8xf32>, tensor<f32>, tensor<4x8xi1>) -> tensor<4x8xf32> {
    // CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
    // CHECK:   %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
    // CHECK:   yield %[[C]] : f32
    %s = gpuvm.scan %a dimension 1 exclusive(%zero) segments(%heads) reverse
        : (tensor<4x8xf32>, tensor<f32>, tensor<4x8xi1>) -> tensor<4x8xf32> {
    ^bb0(%p: f32, %q: f32):
      %c = arith.addf %p, %q : f32
      gpuvm.yield %c : f32
    }
    // CHECK: compact %{{.*}} where %{{.*}} : (tensor<8xi64>, tensor<8xi1>) -> (tensor<5xi64>, tensor<i32>)
    %kept, %n = gpuvm.compact %b where %keep : (tensor<8xi64>, tensor<8xi1>) -> (tensor<5xi64>, tensor<i32>)
  }
  gpuvm.return
}
