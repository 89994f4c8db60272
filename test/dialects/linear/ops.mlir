// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --mlir-print-op-generic | gpuvm-opt | FileCheck %s

// CHECK: linear.program @count stack 4 budget 500 f16 tolerance 1.000000e-03
linear.program @count stack 4 budget 500 f16 tolerance 0.001 threshold 0.2 {
  // CHECK: linear.buffer @x in 100
  linear.buffer @x in 100
  linear.buffer @y inout 8
  // CHECK: linear.routine @main {
  linear.routine @main {
    // CHECK-NEXT: linear.do SETI r0, -2.500000e+00
    linear.do SETI r0, -2.5
    // CHECK-NEXT: linear.do SETI r1, 0x7FC00000
    linear.do SETI r1, 0x7FC00000
    // CHECK-NEXT: linear.do STORE r0, m15
    linear.do STORE r0, m15
    // CHECK-NEXT: linear.do COPY m1, m15
    linear.do COPY m1, m15
    // CHECK-NEXT: linear.do BRANCH_LE r0, 2
    linear.do BRANCH_LE r0, 2
    // CHECK-NEXT: linear.do CALL 7
    linear.do CALL 7
    linear.do HALT
  }
  linear.routine @part {
    linear.do VMID r3
    // CHECK: linear.do RETURN r0, r3
    linear.do RETURN r0, r3
    // CHECK-NEXT: linear.do RETURN
    linear.do RETURN
  }
  // CHECK: linear.phase @first spawn 3 budget 7 independent {
  linear.phase @first spawn 3 budget 7 independent {
    // CHECK-NEXT: linear.run @main 10 elements [1, 5] bits [1065353216, 0] reads [@x] writes [@y]
    linear.run @main 10 elements [1, 5] bits [1065353216, 0] reads [@x] writes [@y]
  }
}
