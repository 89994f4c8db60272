// RUN: gpuvm-opt %s --gpuvm-generalize --split-input-file --verify-diagnostics | FileCheck %s

// Elementwise operations and named ones become linalg.generic; equal constants
// stay where they are.
// CHECK-LABEL: gpuvm.program @forms
// CHECK-NOT:     heap
// CHECK:         stage @s
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK:             arith.mulf
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:             arith.addf
// CHECK-NOT:     linalg.reduce
gpuvm.program @forms(%x: tensor<4x8xf32>) -> (y: tensor<4xf32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<4x8xf32>) -> tensor<4xf32> {
    %two = arith.constant dense<2.0> : tensor<4x8xf32>
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    %p = arith.mulf %v, %two : tensor<4x8xf32>
    %r = linalg.reduce { arith.addf } ins(%p : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4xf32>>
}

// -----

// Loops that are interchanged keep the numbers that the body computes with.
// CHECK-LABEL: gpuvm.program @permuted
// CHECK:         linalg.generic {indexing_maps = [#[[$ID:.*]], #[[$ID]]]
// CHECK:           %[[K:.*]] = linalg.index 0
// CHECK-NOT:       affine.apply
// CHECK:           index_cast %[[K]]
gpuvm.program @permuted(%x: tensor<4x8xi32>) -> (y: tensor<4x8xi32>) {
  %m = gpuvm.stage @s(%a = %x : tensor<4x8xi32>) -> tensor<4x8xi32> {
    %z = tensor.empty() : tensor<4x8xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xi32>) outs(%z : tensor<4x8xi32>) {
    ^bb0(%e: i32, %o: i32):
      %k = linalg.index 1 : index
      %n = arith.index_cast %k : index to i32
      %q = arith.muli %e, %n : i32
      linalg.yield %q : i32
    } -> tensor<4x8xi32>
    gpuvm.send %r : tensor<4x8xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4x8xi32>>
}

// -----

// An elementwise operation walks its result in order: the transpose is in how it reads.
// CHECK: #[[$SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK: #[[$IDENTITY:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: gpuvm.program @transpose
// CHECK: linalg.generic {indexing_maps = [#[[$SWAPPED]], #[[$IDENTITY]]]
gpuvm.program @transpose(%x: tensor<4x8xf32>) -> (y: tensor<8x4xf32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<4x8xf32>) -> tensor<8x4xf32> {
    %e = tensor.empty() : tensor<8x4xf32>
    %r = linalg.transpose ins(%v : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
    gpuvm.send %r : tensor<8x4xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8x4xf32>>
}

// -----

// A constant that is not a splat is read from the heap.
// CHECK-LABEL: gpuvm.program @table
// CHECK:         heap @[[TABLE:.*]] : tensor<3xi32> = dense<[1, 2, 3]> : tensor<3xi32>
// CHECK:         stage @s
// CHECK:           load @[[TABLE]] : tensor<3xi32>
// CHECK-NOT:     dense
gpuvm.program @table(%x: tensor<3xi32>) -> (y: tensor<3xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<3xi32>) -> tensor<3xi32> {
    %t = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
    %r = arith.addi %v, %t : tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}

// -----

gpuvm.program @noKernel(%x: tensor<2x3xf32>, %k: tensor<i32>) -> (y: tensor<2x2xf32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<2x3xf32>, %k = %k : tensor<i32>) -> tensor<2x2xf32> {
    %e = tensor.extract %k[] : tensor<i32>
    %i = arith.index_cast %e : i32 to index
    // expected-error @+1 {{'tensor.extract_slice' op cannot be compiled: no kernel can hold it; of a slice only offsets are computed: sizes and strides are constants}}
    %r = tensor.extract_slice %v[0, 0] [2, 2] [1, %i] : tensor<2x3xf32> to tensor<2x2xf32>
    gpuvm.send %r : tensor<2x2xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2x2xf32>>
}

// -----

gpuvm.program @backwards(%x: tensor<2x3xf32>, %k: tensor<i32>) -> (y: tensor<2x2xf32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<2x3xf32>, %k = %k : tensor<i32>) -> tensor<2x2xf32> {
    %e = tensor.extract %k[] : tensor<i32>
    %i = arith.index_cast %e : i32 to index
    // expected-error @+1 {{'tensor.extract_slice' op cannot be compiled: no kernel can hold it; a slice at a computed offset has positive strides}}
    %r = tensor.extract_slice %v[0, %i] [2, 2] [1, -1] : tensor<2x3xf32> to tensor<2x2xf32>
    gpuvm.send %r : tensor<2x2xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2x2xf32>>
}

// -----

gpuvm.program @outside(%x: tensor<3xf32>) -> (y: tensor<3xf32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<3xf32>) -> tensor<3xf32> {
    %i = arith.constant 0 : index
    %first = tensor.extract %v[%i] : tensor<3xf32>
    %r = gpuvm.scan %v dimension 0 : (tensor<3xf32>) -> tensor<3xf32> {
    ^bb0(%a: f32, %b: f32):
      // expected-error @+1 {{'arith.addf' op cannot be compiled: it uses a value from outside the body that is not a constant}}
      %s = arith.addf %a, %first : f32
      gpuvm.yield %s : f32
    }
    gpuvm.send %r : tensor<3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xf32>>
}

// -----

// Scalars between tensors go into the bodies that use them.
// CHECK-LABEL: gpuvm.program @scalar
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0
// CHECK: %[[FIRST:.*]] = tensor.extract %{{.*}}[%{{.*}}] : tensor<3xf32>
// CHECK: arith.addf %{{.*}}, %[[FIRST]]
gpuvm.program @scalar(%x: tensor<3xf32>) -> (y: tensor<3xf32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<3xf32>) -> tensor<3xf32> {
    %e = tensor.empty() : tensor<3xf32>
    %i = arith.constant 0 : index
    %first = tensor.extract %v[%i] : tensor<3xf32>
    %r = linalg.map ins(%v : tensor<3xf32>) outs(%e : tensor<3xf32>) (%a: f32, %o: f32) {
      %s = arith.addf %a, %first : f32
      linalg.yield %s : f32
    }
    gpuvm.send %r : tensor<3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xf32>>
}

// -----

// A claim that leaves open which element goes with which accumulator.
gpuvm.program @claim(%x: tensor<30xf32>) -> (y: tensor<f32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<30xf32>) -> tensor<f32> {
    %e = arith.constant dense<0.0> : tensor<f32>
    // expected-error @+1 {{'linalg.generic' op claims to be associative (gpuvm.associative), but the element that each accumulator is combined with cannot be told}}
    %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%v : tensor<30xf32>) outs(%e, %e : tensor<f32>, tensor<f32>) attrs = {gpuvm.associative} {
    ^bb0(%a: f32, %sum: f32, %squares: f32):
      %s = arith.addf %a, %squares : f32
      %t = arith.addf %a, %sum : f32
      linalg.yield %s, %t : f32, f32
    } -> (tensor<f32>, tensor<f32>)
    gpuvm.send %r#0 : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

// -----

gpuvm.program @picked(%x: tensor<8xf32>, %k: tensor<3x1xi32>) -> (y: tensor<3x1xf32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<8xf32>, %k = %k : tensor<3x1xi32>) -> tensor<3x1xf32> {
    // expected-error @+1 {{'tensor.gather' op cannot be compiled: no kernel can hold it; gpuvm.gather picks rows by their numbers}}
    %r = tensor.gather %v[%k] gather_dims([0]) : (tensor<8xf32>, tensor<3x1xi32>) -> tensor<3x1xf32>
    gpuvm.send %r : tensor<3x1xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3x1xf32>>
}

// -----

// The order of a sum that can be seen is an attribute of it from here on.

// CHECK-LABEL: gpuvm.program @ordered
// CHECK: linalg.generic {{.*}} attrs = {gpuvm.order = #gpuvm.order<kind = lanes, parts = 5, rows = 1, elements = 4>}
gpuvm.program @ordered(%x: tensor<5000xf32>) -> (y: tensor<f32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<5000xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%v : tensor<5000xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %b, %a : f32
      linalg.yield %c : f32
    } -> tensor<f32>
    gpuvm.send %s : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}

// -----

// One that the text has stays.

// CHECK-LABEL: gpuvm.program @kept
// CHECK: linalg.generic {{.*}} attrs = {gpuvm.order = #gpuvm.order<kind = lanes, parts = 2, rows = 2, elements = 8>}
gpuvm.program @kept(%x: tensor<5000xf32>) -> (y: tensor<f32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<5000xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%v : tensor<5000xf32>) outs(%zero : tensor<f32>) attrs = {gpuvm.order = #gpuvm.order<kind = lanes, parts = 2, rows = 2, elements = 8>} {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %b, %a : f32
      linalg.yield %c : f32
    } -> tensor<f32>
    gpuvm.send %s : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}

// -----

// There is not so much to divide.

gpuvm.program @divided(%x: tensor<5000xf32>) -> (y: tensor<f32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<5000xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @below {{cannot have the order #gpuvm.order<kind = lanes, parts = 6, rows = 1, elements = 4> (its own is #gpuvm.order<kind = lanes, parts = 5, rows = 1, elements = 4>; it can be divided otherwise, or be sequential)}}
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%v : tensor<5000xf32>) outs(%zero : tensor<f32>) attrs = {gpuvm.order = #gpuvm.order<kind = lanes, parts = 6, rows = 1, elements = 4>} {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %b, %a : f32
      linalg.yield %c : f32
    } -> tensor<f32>
    gpuvm.send %s : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}
