// The primes below 100,000, by trial division with an early exit: a map whose
// lanes loop as long as their number takes, and a sum. And the sieve of
// examples/primes, to 1,000,000 and on.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate | FileCheck %s
// RUN: gpuvm-interpret %s | FileCheck %s
// RUN: gpuvm-compile %root/examples/primes/primes.mlir --set words=15625 -o %t.sieve.gvplan
// RUN: gpuvm-run %t.sieve.gvplan --validate | FileCheck %s --check-prefix=SIEVE
// RUN: gpuvm-run %t.sieve.gvplan --validate --iterations=3 | FileCheck %s --check-prefix=ON

// CHECK: primes: i32=9592
// SIEVE: primes: i32=78498
// ON: primes: i32=216816
gpuvm.program @primes() -> (primes: tensor<i32>) {
  %m = gpuvm.stage @divide() -> tensor<i32> {
    %init = tensor.empty() : tensor<100000xi32>
    %isPrime = linalg.generic {
        indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%init : tensor<100000xi32>) {
    ^bb0(%unused: i32):
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %least = scf.while (%d = %two) : (i32) -> (i32) {
        %square = arith.muli %d, %d : i32
        %mayDivide = arith.cmpi sle, %square, %n : i32
        %goes = scf.if %mayDivide -> (i1) {
          %zero = arith.constant 0 : i32
          %rest = arith.remsi %n, %d : i32
          %isRest = arith.cmpi ne, %rest, %zero : i32
          scf.yield %isRest : i1
        } else {
          %no = arith.constant false
          scf.yield %no : i1
        }
        scf.condition(%goes) %d : i32
      } do {
      ^bb0(%d: i32):
        %next = arith.addi %d, %one : i32
        scf.yield %next : i32
      }
      %square = arith.muli %least, %least : i32
      %none = arith.cmpi sgt, %square, %n : i32
      %large = arith.cmpi sge, %n, %two : i32
      %both = arith.andi %none, %large : i1
      %r = arith.extui %both : i1 to i32
      linalg.yield %r : i32
    } -> tensor<100000xi32>
    %zero = arith.constant dense<0> : tensor<i32>
    %sum = linalg.reduce { arith.addi } ins(%isPrime : tensor<100000xi32>) outs(%zero : tensor<i32>) dimensions = [0]
    gpuvm.send %sum : tensor<i32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<i32>>
}
