// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize),canonicalize,cse)' | FileCheck %s

// One workgroup sorts a short row. Nobody asks for the places, so none are there.
// CHECK-LABEL: gpuvm.program @short
// CHECK: %[[S:.*]] = sort_runs %{{.*}} run 4000 unsigned descending : tensor<2x4000xi32> -> tensor<2x4000xi32>
// CHECK-NEXT: send %[[S]]
gpuvm.program @short(%x: tensor<2x4000xi32>) -> (y: tensor<2x4000xi32>) {
  %m = gpuvm.stage @s(%a = %x : tensor<2x4000xi32>) -> tensor<2x4000xi32> {
    %k, %n = gpuvm.sort %a unsigned descending numbers : tensor<2x4000xi32>
    gpuvm.send %k : tensor<2x4000xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2x4000xi32>>
}

// A payload of up to eight bytes moves with its key.
// CHECK-LABEL: gpuvm.program @merged
// CHECK: %[[R:.*]]:2 = sort_runs %{{.*}} payloads(%{{.*}} : tensor<20000xf64>) run 1280
// CHECK: merge_runs %[[R]]#0 payloads(%[[R]]#1 : tensor<20000xf64>) run 1280
// CHECK-NOT: gather
gpuvm.program @merged(%x: tensor<20000xf32>, %v: tensor<20000xf64>) -> (y: tensor<20000xf64>) {
  %m = gpuvm.stage @s(%a = %x : tensor<20000xf32>, %b = %v : tensor<20000xf64>) -> tensor<20000xf64> {
    %k, %p = gpuvm.sort %a payloads(%b) : tensor<20000xf32>, tensor<20000xf64>
    gpuvm.send %p : tensor<20000xf64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<20000xf64>>
}

// Two passes of one kernel, whose digits are words of the heap; numbers move, and what is wide is gathered.
// CHECK-LABEL: gpuvm.program @long
// CHECK: heap @sort_digits : tensor<8x64xi32>
// CHECK: %[[D0:.*]] = load @sort_digits[0] : tensor<1x64xi32>
// CHECK: %[[O0:.*]] = count_digits %{{.*}}, %[[D0]] chunk 1024 : tensor<100000xi16>, tensor<1x64xi32> -> tensor<104x256xi32>
// CHECK: %[[S0:.*]]:2 = scatter_digits %{{.*}}, %[[O0]], %[[D0]] payloads
// CHECK: %[[D1:.*]] = load @sort_digits[1] : tensor<1x64xi32>
// CHECK: %[[O1:.*]] = count_digits %[[S0]]#0, %[[D1]]
// CHECK: %[[S1:.*]]:2 = scatter_digits %[[S0]]#0, %[[O1]], %[[D1]] payloads(%[[S0]]#1
// CHECK: gather %{{.*}}[%[[S1]]#1] : tensor<100000xi64>
// CHECK: gather %{{.*}}[%[[S1]]#1] : tensor<100000xf32>
gpuvm.program @long(%x: tensor<100000xi16>, %v: tensor<100000xi64>, %w: tensor<100000xf32>) -> (y: tensor<100000xi64>, z: tensor<100000xf32>) {
  %m:2 = gpuvm.stage @s(%a = %x : tensor<100000xi16>, %b = %v : tensor<100000xi64>, %c = %w : tensor<100000xf32>)
      -> (tensor<100000xi64>, tensor<100000xf32>) {
    %k, %p, %q = gpuvm.sort %a payloads(%b, %c) : tensor<100000xi16>, tensor<100000xi64>, tensor<100000xf32>
    gpuvm.send %p, %q : tensor<100000xi64>, tensor<100000xf32>
  }
  gpuvm.return %m#0, %m#1 : !gpuvm.message<tensor<100000xi64>>, !gpuvm.message<tensor<100000xf32>>
}

// By the last key first, and then by the first key in the order so far.
// CHECK-LABEL: gpuvm.program @several
// CHECK: %[[B:.*]]:2 = sort_runs %{{.*}} payloads(%{{.*}} : tensor<50xi32>) run 50 descending : tensor<50xf32>
// CHECK: %[[G:.*]] = gather %{{.*}}[%[[B]]#1]
// CHECK: sort_runs %[[G]] payloads(%[[B]]#1 : tensor<50xi32>) run 50 : tensor<50xi32>
gpuvm.program @several(%x: tensor<50xi32>, %v: tensor<50xf32>) -> (y: tensor<50xi32>) {
  %m = gpuvm.stage @s(%a = %x : tensor<50xi32>, %b = %v : tensor<50xf32>) -> tensor<50xi32> {
    %k, %p, %n = gpuvm.sort %a, %b descending numbers : tensor<50xi32>, tensor<50xf32>
    gpuvm.send %n : tensor<50xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<50xi32>>
}

// CHECK-LABEL: gpuvm.program @largest
// CHECK: %[[A:.*]]:2 = sort_runs %{{.*}} run 4096 keep 1000 descending : tensor<3x9000xf32> -> tensor<3x3000xf32>, tensor<3x3000xi32>
// CHECK: sort_runs %[[A]]#0 payloads(%[[A]]#1 : tensor<3x3000xi32>) run 3000 keep 1000 descending : tensor<3x3000xf32> -> tensor<3x1000xf32>, tensor<3x1000xi32>
gpuvm.program @largest(%x: tensor<3x9000xf32>) -> (y: tensor<3x1000xi32>) {
  %m = gpuvm.stage @s(%a = %x : tensor<3x9000xf32>) -> tensor<3x1000xi32> {
    %v, %n = gpuvm.top_k %a : tensor<3x9000xf32> -> tensor<3x1000xf32>, tensor<3x1000xi32>
    gpuvm.send %n : tensor<3x1000xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3x1000xi32>>
}

// A merge is a kernel that reads both rows where they are.
// CHECK-LABEL: gpuvm.program @together
// CHECK: %[[M:.*]] = merge %{{.*}}, %{{.*}} : tensor<30xi8>, tensor<50xi8> -> tensor<80xi8>
// CHECK-NEXT: send %[[M]]
gpuvm.program @together(%x: tensor<30xi8>, %y: tensor<50xi8>) -> (z: tensor<80xi8>) {
  %m = gpuvm.stage @s(%a = %x : tensor<30xi8>, %b = %y : tensor<50xi8>) -> tensor<80xi8> {
    %k = gpuvm.merge %a, %b : tensor<30xi8>, tensor<50xi8> -> tensor<80xi8>
    gpuvm.send %k : tensor<80xi8>
  }
  gpuvm.return %m : !gpuvm.message<tensor<80xi8>>
}
