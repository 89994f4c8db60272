// The number of the turn, in loops with and without an end that the device finds, long and short, one in another, on a
// condition, and where it is not read.

// RUN: rm -rf %t && mkdir %t
// RUN: gpuvm-compile %s -o %t/plan && gpuvm-compile %s --fusion=never --chains=never -o %t/apart
// RUN: gpuvm-interpret %s --input=x=7xi32=5,0,1,2,3,4,6 --input=end=i32=12345 | FileCheck %s
// RUN: gpuvm-run %t/plan --validate --input=x=7xi32=5,0,1,2,3,4,6 --input=end=i32=12345 | FileCheck %s
// RUN: gpuvm-run %t/apart --validate --input=x=7xi32=5,0,1,2,3,4,6 --input=end=i32=12345 | FileCheck %s

// CHECK: sums: 7xi32=50 45 46 47 48 49 51
// CHECK: squares: i32=-19434796
// CHECK: products: i32=36
// CHECK: parked: i32=0

!w = tensor<i32>
!m = !gpuvm.message<!w>
!v = tensor<7xi32>

gpuvm.program @turns(%x: !v, %end: !w) -> (sums: !v, squares: !w, products: !w, parked: !w) {
  %zero = arith.constant dense<0> : !w
  // 0 + 1 + ... + 9, to each element.
  %sums = gpuvm.repeat @sum up_to 10 turn %t (%a = %x : !v) {
    %b = gpuvm.stage @add(%u = %a : !gpuvm.message<!v>, %n = %t : !m) -> !v {
      %init = tensor.empty() : !v
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%u, %n : !v, !w) outs(%init : !v) {
      ^bb0(%p: i32, %q: i32, %o: i32):
        %s = arith.addi %p, %q : i32
        linalg.yield %s : i32
      } -> !v
      gpuvm.send %r : !v
    }
    gpuvm.next %b : !gpuvm.message<!v>
  }
  // Squares of the numbers below the end, modulo 2^32.
  %squares = gpuvm.repeat @square up_to 2000000000 turn %t (%a = %zero : !w) {
    %b, %done = gpuvm.stage @more(%s = %a : !m, %n = %t : !m, %e = %end : !w) -> (!w, tensor<i1>) {
      %one = arith.constant dense<1> : !w
      %q = arith.muli %n, %n : !w
      %r = arith.addi %s, %q : !w
      %next = arith.addi %n, %one : !w
      %is = arith.cmpi sge, %next, %e : !w
      gpuvm.send %r, %is : !w, tensor<i1>
    }
    gpuvm.next %b : !m until %done : !gpuvm.message<tensor<i1>>
  }
  // The inner one counts from 0 each time: (0 + 1 + 2) * (0 + 1 + 2 + 3) + ...
  %products = gpuvm.repeat @outer up_to 4 turn %i (%a = %zero : !w) {
    %c = gpuvm.repeat @inner up_to 3 turn %j (%b = %a : !m) {
      %d = gpuvm.stage @multiply(%s = %b : !m, %n = %i : !m, %k = %j : !m) -> !w {
        %p = arith.muli %n, %k : !w
        %q = arith.addi %p, %n : !w
        %r = arith.addi %s, %q : !w
        gpuvm.send %r : !w
      }
      gpuvm.next %d : !m
    }
    gpuvm.next %c : !m
  }
  %parked = gpuvm.repeat @idle up_to 5 turn %unused (%a = %zero : !w) {
    gpuvm.next %a : !m
  }
  gpuvm.return %sums, %squares, %products, %parked : !gpuvm.message<!v>, !m, !m, !m
}
