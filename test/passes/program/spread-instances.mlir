// RUN: gpuvm-opt %s --gpuvm-spread-instances | FileCheck %s

// What differs gets a leading loop; what is shared is read without it and
// computed once.
// CHECK-DAG:   #[[$SHARED:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG:   #[[$ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: gpuvm.program @instances
// CHECK:         stage @s(%[[V:.*]] = %x : tensor<3x8xf32>, %[[F:.*]] = %f : tensor<8xf32>) -> tensor<3x10xf32> {
// CHECK:           %[[N:.*]] = linalg.generic {{.*}}["parallel"]} ins(%[[F]] : tensor<8xf32>)
// CHECK:           %[[M:.*]] = linalg.generic {indexing_maps = [#[[$ALL]], #[[$SHARED]], #[[$ALL]]], iterator_types = ["parallel", "parallel"]} ins(%[[V]], %[[N]] : tensor<3x8xf32>, tensor<8xf32>)
// CHECK:           %[[P:.*]] = tensor.pad %[[M]] low[0, 1] high[0, 1]
// CHECK:           send %[[P]] : tensor<3x10xf32>
gpuvm.program @instances(%x: tensor<3x8xf32>, %f: tensor<8xf32>) -> (y: tensor<3x10xf32>) {
  %y = gpuvm.stage @s instances(3) (%v = %x : tensor<3x8xf32>, %w = shared %f : tensor<8xf32>) -> tensor<3x10xf32> {
    %zero = arith.constant 0.0 : f32
    %n = arith.negf %w : tensor<8xf32>
    %m = arith.mulf %v, %n : tensor<8xf32>
    %p = tensor.pad %m low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<8xf32> to tensor<10xf32>
    gpuvm.send %p : tensor<10xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<3x10xf32>>
}

// A reduction of shared operands has the order of all instances, too, and what
// all send is sent for each.
// CHECK-LABEL: gpuvm.program @shared
// CHECK:         linalg.generic {{.*}}["parallel", "reduction"]} ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<3xf32>) attrs = {gpuvm.instances, gpuvm.order = #gpuvm.order<kind = sequential, {{.*}}>}
// CHECK:         send %{{.*}} : tensor<3xf32>
gpuvm.program @shared(%f: tensor<8xf32>) -> (y: tensor<3xf32>) {
  %y = gpuvm.stage @s instances(3) (%w = shared %f : tensor<8xf32>) -> tensor<3xf32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%w : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<3xf32>>
}

// What is an instance's own is a slice of what all have. All have statuses, of
// which the message's is the largest; who reads them receives one more field.
// CHECK-LABEL: gpuvm.program @own
// CHECK:         %[[M:.*]]:2 = stage @s() -> (tensor<3x8xf32>, tensor<3xi32>) {
// CHECK:           %[[O:.*]] = load @state : tensor<3x8xf32>
// CHECK:           store %[[N:.*]], @state : tensor<3x8xf32>
// CHECK:           %[[W:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3xi32>)
// CHECK:           %[[L:.*]] = linalg.generic {{.*}}["reduction"]} ins(%[[W]] : tensor<3xi32>)
// CHECK:           maxsi
// CHECK:           send %[[N]], %[[W]] : tensor<3x8xf32>, tensor<3xi32> status(%[[L]] : tensor<i32>)
// CHECK:         stage @each(%{{.*}} = %[[M]]#0 : !gpuvm.message<tensor<3x8xf32>>, %[[E:.*]] = %[[M]]#1 : !gpuvm.message<tensor<3xi32>>) -> (tensor<3xi32>, tensor<3xf32>)
// CHECK:           send %[[E]], %{{.*}} : tensor<3xi32>, tensor<3xf32>
// CHECK:         stage @all(%[[A:.*]] = %[[M]]#0 : !gpuvm.message<tensor<3x8xf32>>, %[[E:.*]] = %[[M]]#1 : !gpuvm.message<tensor<3xi32>>) -> (tensor<3xi32>, tensor<i32>, tensor<3xf32>)
// CHECK:           metadata status of %[[A]] : tensor<3x8xf32> -> tensor<i32>
// CHECK:           send %[[E]]
gpuvm.program @own() -> (a: tensor<3xi32>, b: tensor<3xf32>, c: tensor<3xi32>, d: tensor<i32>, e: tensor<3xf32>) {
  gpuvm.register @state : tensor<3x8xf32>
  %m = gpuvm.stage @s instances(3) () -> tensor<3x8xf32> {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %limit = arith.constant dense<3.0> : tensor<f32>
    %two = arith.constant dense<2> : tensor<i32>
    %ok = arith.constant dense<0> : tensor<i32>
    %old = gpuvm.load own @state : tensor<8xf32>
    %new = arith.addf %old, %one : tensor<8xf32>
    gpuvm.store own %new, @state : tensor<8xf32>
    %first = tensor.extract_slice %new[0] [1] [1] : tensor<8xf32> to tensor<f32>
    %large = arith.cmpf ogt, %first, %limit : tensor<f32>
    %status = arith.select %large, %two, %ok : tensor<i1>, tensor<i32>
    gpuvm.send %new : tensor<8xf32> status(%status : tensor<i32>)
  }
  %a, %b = gpuvm.stage @each instances(3) (%v = %m : !gpuvm.message<tensor<3x8xf32>>) -> (tensor<3xi32>, tensor<3xf32>) {
    %status = gpuvm.metadata status of %v : tensor<8xf32> -> tensor<i32>
    %norm = gpuvm.metadata norm of %v : tensor<8xf32> -> tensor<f32>
    gpuvm.send %status, %norm : tensor<i32>, tensor<f32>
  }
  %c, %d, %e = gpuvm.stage @all(%v = %m : !gpuvm.message<tensor<3x8xf32>>) -> (tensor<3xi32>, tensor<i32>, tensor<3xf32>) {
    %each = gpuvm.metadata status of %v : tensor<3x8xf32> -> tensor<3xi32>
    %status = gpuvm.metadata status of %v : tensor<3x8xf32> -> tensor<i32>
    %norms = gpuvm.metadata norm of %v : tensor<3x8xf32> -> tensor<3xf32>
    gpuvm.send %each, %status, %norms : tensor<3xi32>, tensor<i32>, tensor<3xf32>
  }
  gpuvm.return %a, %b, %c, %d, %e : !gpuvm.message<tensor<3xi32>>, !gpuvm.message<tensor<3xf32>>, !gpuvm.message<tensor<3xi32>>,
      !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<3xf32>>
}

// Rows of a scan are those of all instances; names in a stage may be those of
// the program.
// CHECK-LABEL: gpuvm.program @rows
// CHECK:         scan %{{.*}} dimension 1 : (tensor<3x8xi32>) -> tensor<3x8xi32>
gpuvm.program @rows(%x: tensor<3x8xi32>) -> (y: tensor<3x8xi32>) {
  %y = gpuvm.stage @s instances(3) (%x = %x : tensor<3x8xi32>) -> tensor<3x8xi32> {
    %y = gpuvm.scan %x dimension 0 : (tensor<8xi32>) -> tensor<8xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      gpuvm.yield %c : i32
    }
    gpuvm.send %y : tensor<8xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<3x8xi32>>
}

// What instances share goes to each of them, beside what they have of their
// own.
// CHECK-LABEL: gpuvm.program @beside
// CHECK:         stage @s(%[[X:.*]] = %x : tensor<3x8xi32>, %[[F:.*]] = %f : tensor<8xi32>)
// CHECK:           %[[A:.*]] = linalg.generic {{.*}} ins(%[[F]] : tensor<8xi32>) outs(%{{.*}} : tensor<3x8xi32>)
// CHECK:           %{{.*}}:2 = scan %[[X]], %[[A]] dimension 1
// CHECK:           %[[K:.*]] = load @keys
// CHECK:           %[[B:.*]] = linalg.generic {{.*}} ins(%[[K]] : tensor<8xi32>) outs(%{{.*}} : tensor<3x8xi32>)
// CHECK:           sort_runs %[[B]] payloads(%[[X]] : tensor<3x8xi32>)
gpuvm.program @beside(%x: tensor<3x8xi32>, %f: tensor<8xi32>) -> (y: tensor<3x8xi32>) {
  gpuvm.heap @keys : tensor<8xi32> = dense<[3, 1, 2, 8, 7, 4, 6, 5]> : tensor<8xi32>
  %y = gpuvm.stage @s instances(3) (%x = %x : tensor<3x8xi32>, %f = shared %f : tensor<8xi32>) -> tensor<3x8xi32> {
    %p, %q = gpuvm.scan %x, %f dimension 0 : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
    ^bb0(%a: i32, %c: i32, %b: i32, %d: i32):
      %e = arith.addi %a, %b : i32
      %g = arith.maxsi %c, %d : i32
      gpuvm.yield %e, %g : i32, i32
    }
    %keys = gpuvm.load @keys : tensor<8xi32>
    %sorted:2 = gpuvm.sort %keys payloads(%x) : tensor<8xi32>, tensor<8xi32>
    %s = arith.addi %p, %q : tensor<8xi32>
    %r = arith.addi %s, %sorted#1 : tensor<8xi32>
    gpuvm.send %r : tensor<8xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<3x8xi32>>
}
