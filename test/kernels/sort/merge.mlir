// Two sorted rows are merged in tiles by one kernel, which reads both where they are. The device is one with few
// workgroups, so that each of them makes several tiles.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-choose-launches))' | FileCheck %s
// RUN: gpuvm-compile %s --program=pieces -o %t.gvplan && gpuvm-plan disassemble %t.gvplan --kernel=both_sort | FileCheck %s --check-prefix=CODE
// RUN: gpuvm-run %t.gvplan --validate --output=keys=@%t.keys.npy --output=numbers=@%t.numbers.npy
// RUN: gpuvm-interpret %s --program=pieces --expected_output=keys=@%t.keys.npy --expected_output=numbers=@%t.numbers.npy | FileCheck %s --check-prefix=SAME
// RUN: gpuvm-compile %s --program=rows -o %t.rows.gvplan
// RUN: gpuvm-run %t.rows.gvplan --validate --input=x=3x2xi8=1,5,-3,-3,0,9 --input=y=3x1xi8=3,-3,-1 | FileCheck %s --check-prefix=ROWS
// RUN: gpuvm-interpret %s --program=rows --input=x=3x2xi8=1,5,-3,-3,0,9 --input=y=3x1xi8=3,-3,-1 | FileCheck %s --check-prefix=ROWS

#map = affine_map<(d0) -> (d0)>
module attributes {gpuvm.targets = [
    #gpuvm.target<name = "few", kind = any, units = 1, subgroup = 8, workgroup_bytes = 32768, dispatch_ns = 2000,
                  bytes_per_us = 100000, busy_groups = 1, features = ["int16"], closed = false>]} {

// 25 tiles of 2,816 elements are 9 pieces; short rows have a few lanes.
// CHECK-LABEL: gpuvm.program @pieces
// CHECK-NOT:     tensor.concat
// CHECK:         flow.dispatch @both_sort {{.*}}groups = 9, lanes = 256, {{.*}}layout = {items = 11 : i64}
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<50011xi16>, %[[B:.*]]: tensor<19989xi16>,
// CHECK-NEXT:      gpuvm.merge %[[A]], %[[B]] payloads
// CHECK-LABEL: gpuvm.program @rows
// CHECK-NOT:     tensor.concat
// CHECK:         groups = 1, lanes = 32, {{.*}}layout = {items = 3 : i64}

// Splits are found by several lanes each, whose counts workgroup memory adds up.
// CODE: OpAtomicIAdd
// CODE: OpControlBarrier

// SAME: [SUCCESS]
gpuvm.program @pieces() -> (keys: tensor<70000xi16>, numbers: tensor<70000xi32>) {
  %m:4 = gpuvm.stage @each() -> (tensor<50011xi16>, tensor<50011xi32>, tensor<19989xi16>, tensor<19989xi32>) {
    %e = tensor.empty() : tensor<50011xi16>
    %a = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<50011xi16>) {
    ^bb0(%o: i16):
      %i = linalg.index 0 : index
      %w = arith.index_cast %i : index to i32
      %c = arith.constant 40503 : i32
      %p = arith.muli %w, %c : i32
      %s = arith.constant 7 : i32
      %q = arith.shrui %p, %s : i32
      %t = arith.trunci %q : i32 to i16
      linalg.yield %t : i16
    } -> tensor<50011xi16>
    %b = tensor.extract_slice %a[10000] [19989] [1] : tensor<50011xi16> to tensor<19989xi16>
    %x:2 = gpuvm.sort %a descending numbers : tensor<50011xi16>
    %y:2 = gpuvm.sort %b descending numbers : tensor<19989xi16>
    gpuvm.send %x#0, %x#1, %y#0, %y#1 : tensor<50011xi16>, tensor<50011xi32>, tensor<19989xi16>, tensor<19989xi32>
  }
  %r:2 = gpuvm.stage @both(%a = %m#0 : !gpuvm.message<tensor<50011xi16>>, %u = %m#1 : !gpuvm.message<tensor<50011xi32>>,
                           %b = %m#2 : !gpuvm.message<tensor<19989xi16>>, %v = %m#3 : !gpuvm.message<tensor<19989xi32>>)
      -> (tensor<70000xi16>, tensor<70000xi32>) {
    %k, %n = gpuvm.merge %a, %b payloads(%u : tensor<50011xi32>) with(%v : tensor<19989xi32>) descending
        : tensor<50011xi16>, tensor<19989xi16> -> tensor<70000xi16>, tensor<70000xi32>
    gpuvm.send %k, %n : tensor<70000xi16>, tensor<70000xi32>
  }
  gpuvm.return %r#0, %r#1 : !gpuvm.message<tensor<70000xi16>>, !gpuvm.message<tensor<70000xi32>>
}

// A tile has parts of several rows.
// ROWS: z: 3x3xi8=
// ROWS-SAME: [1 3 5][-3 -3 -3][-1 0 9]
gpuvm.program @rows(%x: tensor<3x2xi8>, %y: tensor<3x1xi8>) -> (z: tensor<3x3xi8>) {
  %m = gpuvm.stage @s(%a = %x : tensor<3x2xi8>, %b = %y : tensor<3x1xi8>) -> tensor<3x3xi8> {
    %k = gpuvm.merge %a, %b : tensor<3x2xi8>, tensor<3x1xi8> -> tensor<3x3xi8>
    gpuvm.send %k : tensor<3x3xi8>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3x3xi8>>
}

}
