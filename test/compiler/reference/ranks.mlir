// Ranks: which one it is, loops that all end together, errors of one of them.

// RUN: gpuvm-interpret %s --program=numbers --ranks=2 | FileCheck %s --check-prefix=NUMBERS
// RUN: gpuvm-interpret %s --program=numbers | FileCheck %s --check-prefix=ALONE
// RUN: gpuvm-interpret %s --program=loop --iterations=2 | FileCheck %s --check-prefix=LOOP
// RUN: not gpuvm-interpret %s --program=loop --ranks=2 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not gpuvm-interpret %s --program=fault 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: not gpuvm-interpret %s --program=counts 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: not gpuvm-interpret %s --program=loop --output=rounds=@%t.npy 2>&1 | FileCheck %s --check-prefix=FILES
// RUN: not gpuvm-interpret %s --program=caller 2>&1 | FileCheck %s --check-prefix=CALLER

// NUMBERS: rank 0: sum: i32=20
// NUMBERS-NEXT: rank 1: sum: i32=21
// ALONE-NOT: rank
// ALONE: sum: i32=10
gpuvm.program @numbers() -> (sum: tensor<i32>) {
  %rank = gpuvm.rank : tensor<i32>
  %sum = gpuvm.stage @add(%r = %rank : tensor<i32>) -> tensor<i32> {
    %ten = arith.constant dense<10> : tensor<i32>
    %n = gpuvm.num_ranks : tensor<i32>
    %m = arith.muli %n, %ten : tensor<i32>
    %s = arith.addi %m, %r : tensor<i32>
    gpuvm.send %s : tensor<i32>
  }
  gpuvm.return %sum : !gpuvm.message<tensor<i32>>
}

// Rank r would end after r + 1 iterations: all have 3.
// LOOP: rank 0: rounds: i32=3
// LOOP: rank 2: rounds: i32=3
// OTHER: error: Program "loop" is one of 3 ranks, not of 2 (--ranks).
// FILES: error: 3 ranks would write the file "{{.*}}.npy" of --output
gpuvm.program @loop() -> (rounds: tensor<i32>) ranks(3) {
  %zero = arith.constant dense<0> : tensor<i32>
  %n = gpuvm.repeat @rounds up_to 100 (%i = %zero : tensor<i32>) {
    %next, %done = gpuvm.stage @count(%c = %i : !gpuvm.message<tensor<i32>>) -> (tensor<i32>, tensor<i1>) {
      %one = arith.constant dense<1> : tensor<i32>
      %rank = gpuvm.rank : tensor<i32>
      %more = arith.addi %c, %one : tensor<i32>
      %is = arith.cmpi sgt, %more, %rank : tensor<i32>
      gpuvm.send %more, %is : tensor<i32>, tensor<i1>
    }
    %most = gpuvm.all_reduce %next max : !gpuvm.message<tensor<i32>>
    gpuvm.next %most : tensor<i32> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %n : !gpuvm.message<tensor<i32>>
}

// FAULT: error: {{.*}}division by zero
// FAULT: note: on rank 1 of 3
// FAULT-NOT: error
gpuvm.program @fault() -> (sum: tensor<i32>) ranks(3) {
  %mine = gpuvm.stage @divide() -> tensor<i32> {
    %one = arith.constant dense<1> : tensor<i32>
    %rank = gpuvm.rank : tensor<i32>
    %less = arith.subi %rank, %one : tensor<i32>
    %q = arith.divsi %one, %less : tensor<i32>
    gpuvm.send %q : tensor<i32>
  }
  %sum = gpuvm.all_reduce %mine add : !gpuvm.message<tensor<i32>>
  gpuvm.return %sum : tensor<i32>
}

// COUNTS: error: EXCESS: sends 3 rows to rank 1, but a block has room for 2
// COUNTS: note: on rank 0 of 2
gpuvm.program @counts() -> (came: tensor<2xi32>) ranks(2) {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %n = arith.constant dense<[2, 3]> : tensor<2xi32>
  %rows, %came = gpuvm.all_to_all %x split(0) concat(0) counts(%n : tensor<2xi32>) : tensor<4xf32> -> tensor<4xf32>, tensor<2xi32>
  gpuvm.return %came : tensor<2xi32>
}

// CALLER: error: 'gpuvm.call' op C5: program @loop is one of 3 ranks, the program that calls it of any number
gpuvm.program @caller() -> (rounds: tensor<i32>) {
  %n = gpuvm.call @loop as @inner () : () -> !gpuvm.message<tensor<i32>>
  gpuvm.return %n : !gpuvm.message<tensor<i32>>
}
