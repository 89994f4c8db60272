// A launch may be bounded to no buffer of a program that has none: whatever address it uses is none.

// RUN: gpuvm-compile %s --linear-mode=faithful -o %t.gvplan
// RUN: gpuvm-run %t.gvplan | FileCheck %s
// CHECK: status: 4xi32=4 4 4 4
// CHECK: fault: 4xi32=1 1 1 1

linear.program @bounded stack 1 budget 50 {
  linear.routine @main {
    linear.do SETI r3, 3.0
    linear.do WRITE r3, r3
    linear.do HALT
  }
  linear.phase @only {
    linear.run @main 4 reads []
  }
}
