// Registers keep what is written to them, each its own; a copy into the middle of
// one leaves the rest alone; what is stored is there in the next execution.

// RUN: gpuvm-compile %s --program=isolated -o %t.isolated.gvplan
// RUN: gpuvm-run %t.isolated.gvplan --validate --input=x=64xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64 --output=r0 --output=r5 | FileCheck %s --check-prefix=ISOLATED
// RUN: gpuvm-compile %s --program=copy -o %t.copy.gvplan
// RUN: gpuvm-run %t.copy.gvplan --validate --input=x=1x64xi32=42 --output=r --output_max_element_count=256 | FileCheck %s --check-prefix=COPY
// RUN: gpuvm-compile %s --program=counter -o %t.counter.gvplan
// RUN: gpuvm-run %t.counter.gvplan --validate --input=x=i64=5 --iterations=3 --output=total --output=n | FileCheck %s --check-prefix=COUNTER
// RUN: gpuvm-interpret %s --program=counter --input=x=i64=5 --iterations=3 --output=total --output=n | FileCheck %s --check-prefix=COUNTER
// RUN: gpuvm-compile %s --program=order -o %t.order.gvplan
// RUN: gpuvm-run %t.order.gvplan --validate | FileCheck %s --check-prefix=ORDER

// ISOLATED: r0: 64xf32=1 2 3 4 5 6 7 8 {{.*}} 63 64{{$}}
// ISOLATED: r5: 64xf32={{(0 )+}}0{{$}}
gpuvm.program @isolated(%x: tensor<64xf32>) {
  gpuvm.register @r0 : tensor<64xf32>
  gpuvm.register @r5 : tensor<64xf32>
  gpuvm.stage @write(%v = %x : tensor<64xf32>) {
    gpuvm.store %v, @r0 : tensor<64xf32>
  }
  gpuvm.return
}

// COPY: r: 4x64xi32=[0 {{(0 )+}}0][0 {{(0 )+}}0][42 {{(42 )+}}42][0 {{(0 )+}}0]
gpuvm.program @copy(%x: tensor<1x64xi32>) {
  gpuvm.register @r : tensor<4x64xi32>
  gpuvm.stage @write(%v = %x : tensor<1x64xi32>) {
    gpuvm.store %v, @r[2] : tensor<1x64xi32>
  }
  gpuvm.return
}

// COUNTER: total: i64=15
// COUNTER: n: i64=3
gpuvm.program @counter(%x: tensor<i64>) -> (total: tensor<i64>) {
  gpuvm.global @sum : tensor<i64>
  gpuvm.metric @n : tensor<i64>
  %t = gpuvm.stage @add(%v = %x : tensor<i64>) -> tensor<i64> {
    %old = gpuvm.load @sum : tensor<i64>
    %new = arith.addi %old, %v : tensor<i64>
    gpuvm.store %new, @sum : tensor<i64>
    gpuvm.send %new : tensor<i64>
  }
  gpuvm.stage @count() {
    %one = arith.constant dense<1> : tensor<i64>
    %old = gpuvm.load @n : tensor<i64>
    %new = arith.addi %old, %one : tensor<i64>
    gpuvm.store %new, @n : tensor<i64>
  }
  gpuvm.return %t : !gpuvm.message<tensor<i64>>
}

// Initial values may be there in any order of regions.
// ORDER: sum: i32=7
gpuvm.program @order() -> (sum: tensor<i32>) {
  gpuvm.control @c : tensor<i32> = dense<4> : tensor<i32>
  gpuvm.global @g : tensor<i32> = dense<2> : tensor<i32>
  gpuvm.metric @m : tensor<i32> = dense<1> : tensor<i32>
  %sum = gpuvm.stage @add() -> tensor<i32> {
    %c = gpuvm.load @c : tensor<i32>
    %g = gpuvm.load @g : tensor<i32>
    %m = gpuvm.load @m : tensor<i32>
    %a = arith.addi %c, %g : tensor<i32>
    %b = arith.addi %a, %m : tensor<i32>
    gpuvm.send %b : tensor<i32>
  }
  gpuvm.return %sum : !gpuvm.message<tensor<i32>>
}
