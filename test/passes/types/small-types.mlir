// RUN: gpuvm-opt %s --gpuvm-generalize --split-input-file --verify-diagnostics | FileCheck %s

// Bytes, in which the low bits count.
// CHECK-LABEL: gpuvm.program @bytes(%x: tensor<8xi8>) -> (y: tensor<8xi32>, z: tensor<8xi8>)
// CHECK-NOT: i4
// CHECK: heap @{{.*}} : tensor<2xi8> = dense<[-1, 7]>
// CHECK: %[[UP:.*]] = arith.shli %{{.*}}, %{{.*}} : i8
// CHECK: %[[LOW:.*]] = arith.shrsi %[[UP]], %{{.*}} : i8
// CHECK: arith.extsi %[[LOW]] : i8 to i32
gpuvm.program @bytes(%x: tensor<8xi4>) -> (y: tensor<8xi32>, z: tensor<8xi4>) {
  gpuvm.heap @table : tensor<2xi4> = dense<[-1, 7]> : tensor<2xi4>
  %y, %z = gpuvm.stage @s(%x = %x : tensor<8xi4>) -> (tensor<8xi32>, tensor<8xi4>) {
    %r = arith.extsi %x : tensor<8xi4> to tensor<8xi32>
    gpuvm.send %r, %x : tensor<8xi32>, tensor<8xi4>
  }
  gpuvm.return %y, %z : !gpuvm.message<tensor<8xi32>>, !gpuvm.message<tensor<8xi4>>
}

// -----

gpuvm.program @sorted(%x: tensor<8xi4>) -> (y: tensor<8xi4>) {
  %y = gpuvm.stage @s(%x = %x : tensor<8xi4>) -> tensor<8xi4> {
    // expected-error @+1 {{'gpuvm.sort' op C0: takes no elements of 'i4'; arith.extf or arith.extsi converts them first}}
    %r:2 = gpuvm.sort %x numbers : tensor<8xi4>
    gpuvm.send %r#0 : tensor<8xi4>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xi4>>
}

// -----

gpuvm.program @twice(%x: tensor<8xf64>) -> (y: tensor<8xf8E5M2>) {
  %y = gpuvm.stage @s(%x = %x : tensor<8xf64>) -> tensor<8xf8E5M2> {
    // expected-error @+1 {{'arith.truncf' op cannot be compiled: f64 is rounded to 'f8E5M2' in one step only from f32; arith.truncf to f32 comes first}}
    %r = arith.truncf %x : tensor<8xf64> to tensor<8xf8E5M2>
    gpuvm.send %r : tensor<8xf8E5M2>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf8E5M2>>
}

// -----

gpuvm.program @carry(%x: tensor<8xi4>) -> (y: tensor<8xi4>) {
  %y = gpuvm.stage @s(%x = %x : tensor<8xi4>) -> tensor<8xi4> {
    %e = tensor.empty() : tensor<8xi4>
    %r = linalg.map ins(%x : tensor<8xi4>) outs(%e : tensor<8xi4>) (%a: i4, %o: i4) {
      // expected-error @+1 {{'arith.addui_extended' op cannot be compiled: it has no code for elements of eight bits or less; convert them first}}
      %s, %c = arith.addui_extended %a, %a : i4, i1
      linalg.yield %s : i4
    }
    gpuvm.send %r : tensor<8xi4>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xi4>>
}
