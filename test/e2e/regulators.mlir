// Rules of regulators, the clock of the device, and a budget of time.

// RUN: split-file %s %t

// Outside of 5 to 20 it asks for 10; on a bound, and for no number, for nothing.
// RUN: gpuvm-compile %t/rules.mlir -o %t/rules.gvplan
// RUN: gpuvm-run %t/rules.gvplan --validate --input=m=8xf32=30,12,8,5,20,0,-3,nan | FileCheck %s --check-prefix=RULES
// RUN: gpuvm-interpret %t/rules.mlir --input=m=8xf32=30,12,8,5,20,0,-3,nan | FileCheck %s --check-prefix=RULES
// RULES: scale: 8xf32=0.3333333{{[0-9]*}} 1 1 1 1 100000 100000 1
// RULES: stable: 8xi32=0 1 1 1 1 0 0 1
// RULES: mean: 8xf32=30 12 8 5 20 0 -3 0
// RULES: count: 8xi32=1 1 1 1 1 1 1 0

// Means of all executions so far.
// RUN: gpuvm-run %t/rules.gvplan --validate --input=m=8xf32=30,12,8,5,20,0,-3,nan --iterations=4 | FileCheck %s --check-prefix=LATER
// LATER: mean: 8xf32=30 12 8 5 20 0 -3 0
// LATER: count: 8xi32=4 4 4 4 4 4 4 0

// A later message is later, and all of it takes less than a minute.
// RUN: gpuvm-compile %t/ticks.mlir -o %t/ticks.gvplan
// RUN: gpuvm-plan show %t/ticks.gvplan | FileCheck %s --check-prefix=PLAN
// RUN: gpuvm-run %t/ticks.gvplan --validate --iterations=3 | FileCheck %s --check-prefix=TICKS
// RUN: gpuvm-interpret %t/ticks.mlir | FileCheck %s --check-prefix=TICKS
// PLAN: clock
// PLAN: clock
// PLAN: clock
// TICKS: inOrder: i1=1

// The search ends when its time is over, with the best so far.
// RUN: gpuvm-compile %t/budget.mlir -o %t/budget.gvplan
// RUN: gpuvm-run %t/budget.gvplan --validate | FileCheck %s --check-prefix=BUDGET
// RUN: gpuvm-interpret %t/budget.mlir | FileCheck %s --check-prefix=BUDGET
// BUDGET: ended: i1=1
// BUDGET: some: i1=1

//--- rules.mlir
gpuvm.program @rules(%m: tensor<8xf32>)
    -> (scale: tensor<8xf32>, stable: tensor<8xi32>, mean: tensor<8xf32>, count: tensor<8xi32>) {
  gpuvm.global @mean : tensor<8xf32>
  gpuvm.global @count : tensor<8xi32>
  %s, %ok = gpuvm.stage @regulate(%v = %m : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi32>) {
    %scale, %stable = gpuvm.regulate %v towards 10.0 between 5.0 and 20.0 : tensor<8xf32>, tensor<8xi32>
    gpuvm.send %scale, %stable : tensor<8xf32>, tensor<8xi32>
  }
  %mean, %count = gpuvm.stage @average(%v = %m : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi32>) {
    %old = gpuvm.load @mean : tensor<8xf32>
    %n = gpuvm.load @count : tensor<8xi32>
    %new, %more = gpuvm.running_mean %old, %n with %v : tensor<8xf32>, tensor<8xi32>
    gpuvm.store %new, @mean : tensor<8xf32>
    gpuvm.store %more, @count : tensor<8xi32>
    gpuvm.send %new, %more : tensor<8xf32>, tensor<8xi32>
  }
  gpuvm.return %s, %ok, %mean, %count : !gpuvm.message<tensor<8xf32>>, !gpuvm.message<tensor<8xi32>>, !gpuvm.message<tensor<8xf32>>, !gpuvm.message<tensor<8xi32>>
}

//--- ticks.mlir
gpuvm.program @ticks() -> (inOrder: tensor<i1>) {
  %a = gpuvm.stage @first() -> tensor<1024xf32> {
    %c = arith.constant dense<1.0> : tensor<1024xf32>
    gpuvm.send %c : tensor<1024xf32>
  }
  %b = gpuvm.stage @second(%v = %a : !gpuvm.message<tensor<1024xf32>>) -> tensor<1024xf32> {
    %r = math.exp %v : tensor<1024xf32>
    gpuvm.send %r : tensor<1024xf32>
  }
  %o = gpuvm.stage @compare(%v = %a : !gpuvm.message<tensor<1024xf32>>, %w = %b : !gpuvm.message<tensor<1024xf32>>)
      -> tensor<i1> {
    %t = gpuvm.metadata ticks of %v : tensor<1024xf32> -> tensor<i64>
    %u = gpuvm.metadata ticks of %w : tensor<1024xf32> -> tensor<i64>
    %zero = arith.constant dense<0> : tensor<i64>
    %minute = arith.constant dense<60000000000> : tensor<i64>
    %x = arith.cmpi sgt, %t, %zero : tensor<i64>
    %y = arith.cmpi sle, %t, %u : tensor<i64>
    %z = arith.cmpi slt, %u, %minute : tensor<i64>
    %p = arith.andi %x, %y : tensor<i1>
    %q = arith.andi %p, %z : tensor<i1>
    gpuvm.send %q : tensor<i1>
  }
  gpuvm.return %o : !gpuvm.message<tensor<i1>>
}

//--- budget.mlir
gpuvm.program @budget() -> (ended: tensor<i1>, some: tensor<i1>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %n = gpuvm.repeat @search up_to 2000 (%i = %zero : tensor<i32>) {
    %j = gpuvm.stage @step(%k = %i : !gpuvm.message<tensor<i32>>) -> tensor<i32> {
      %one = arith.constant dense<1> : tensor<i32>
      %r = arith.addi %k, %one : tensor<i32>
      gpuvm.send %r : tensor<i32>
    }
    %over = gpuvm.stage @look(%k = %j : !gpuvm.message<tensor<i32>>) -> tensor<i1> {
      %t = gpuvm.metadata ticks of %k : tensor<i32> -> tensor<i64>
      %most = arith.constant dense<300000> : tensor<i64>
      %r = arith.cmpi sgt, %t, %most : tensor<i64>
      gpuvm.send %r : tensor<i1>
    }
    gpuvm.next %j : !gpuvm.message<tensor<i32>> until %over : !gpuvm.message<tensor<i1>>
  }
  %ended, %some = gpuvm.stage @judge(%k = %n : !gpuvm.message<tensor<i32>>) -> (tensor<i1>, tensor<i1>) {
    %all = arith.constant dense<2000> : tensor<i32>
    %none = arith.constant dense<0> : tensor<i32>
    %e = arith.cmpi slt, %k, %all : tensor<i32>
    %s = arith.cmpi sgt, %k, %none : tensor<i32>
    gpuvm.send %e, %s : tensor<i1>, tensor<i1>
  }
  gpuvm.return %ended, %some : !gpuvm.message<tensor<i1>>, !gpuvm.message<tensor<i1>>
}
