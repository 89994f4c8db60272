// A symbol's old value is read before and after the store that replaces it, also
// in another order, and slices are stored over slices that overlap them, both ways round.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-compile %s -o %t.apart.gvplan --disable-fusion
// RUN: gpuvm-run %t.gvplan --validate --iterations=2 --input=x=8xi32=1,2,3,4,5,6,7,8 | FileCheck %s
// RUN: gpuvm-run %t.apart.gvplan --validate --iterations=2 --input=x=8xi32=1,2,3,4,5,6,7,8 | FileCheck %s
// RUN: gpuvm-interpret %s --iterations=2 --input=x=8xi32=1,2,3,4,5,6,7,8 | FileCheck %s

!x = tensor<8xi32>
!m = !gpuvm.message<!x>
!rows = tensor<4x64xi32>
!three = tensor<3x64xi32>

// CHECK: o: 8xi32=0 2 2 4 4 6 6 8
// CHECK: turned: 8xi32=7 9 11 13 7 9 11 13
// CHECK: twice: 64xi32=11 11
// CHECK: rows: 4x64xi32=[1 1
// CHECK-SAME: [2 2
// CHECK-SAME: [2 2
// CHECK-SAME: [2 2
gpuvm.program @p(%x: !x) -> (o: !x, turned: !x, twice: tensor<64xi32>, rows: !rows) {
  gpuvm.global @g : !x
  gpuvm.register @r : !rows
  gpuvm.global @w : tensor<64xi32>
  %old = gpuvm.stage @old() -> !x {
    %t = gpuvm.load @g : !x
    gpuvm.send %t : !x
  }
  %e = gpuvm.stage @early(%a = %x : !x, %b = %old : !m) -> !x {
    %r = arith.subi %a, %b : !x
    gpuvm.send %r : !x
  }
  gpuvm.stage @store(%a = %x : !x) {
    gpuvm.store %a, @g : !x
    gpuvm.send
  }
  %l = gpuvm.stage @late(%b = %e : !m, %c = %old : !m) -> !x {
    %a = gpuvm.load @g : !x
    %one = arith.constant dense<1> : !x
    %odd = arith.andi %a, %one : !x
    %s = arith.subi %a, %odd : !x
    %r = arith.addi %s, %b : !x
    %q = arith.addi %r, %c : !x
    %d = arith.subi %q, %a : !x
    gpuvm.send %d : !x
  }
  %now = gpuvm.stage @now() -> !x {
    %t = gpuvm.load @g : !x
    gpuvm.send %t : !x
  }
  %turned = gpuvm.stage @turn(%o = %now : !m) -> !x {
    %h = tensor.extract_slice %o[4] [4] [1] : !x to tensor<4xi32>
    %i = tensor.extract_slice %o[0] [4] [1] : !x to tensor<4xi32>
    %t = tensor.concat dim(0) %h, %i : (tensor<4xi32>, tensor<4xi32>) -> !x
    %one = arith.constant dense<1> : !x
    %s = arith.addi %o, %one : !x
    gpuvm.store %s, @g : !x
    %n = gpuvm.load @g : !x
    %r = arith.addi %t, %n : !x
    gpuvm.send %r : !x
  }
  // Two values that one kernel makes come to the same place, one after the other.
  %twice = gpuvm.stage @twice(%a = %x : !x) -> tensor<64xi32> {
    %s = tensor.extract_slice %a[0] [1] [1] : !x to tensor<1xi32>
    %z = tensor.collapse_shape %s [] : tensor<1xi32> into tensor<i32>
    %e = tensor.empty() : tensor<64xi32>
    %b = linalg.broadcast ins(%z : tensor<i32>) outs(%e : tensor<64xi32>) dimensions = [0]
    %ten = arith.constant dense<10> : tensor<64xi32>
    %sum = arith.addi %b, %ten : tensor<64xi32>
    %difference = arith.subi %b, %ten : tensor<64xi32>
    gpuvm.store %difference, @w : tensor<64xi32>
    gpuvm.store %sum, @w : tensor<64xi32>
    gpuvm.send %sum : tensor<64xi32>
  }
  gpuvm.stage @down() {
    %one = arith.constant dense<1> : tensor<1x64xi32>
    %two = arith.constant dense<2> : !three
    gpuvm.store %one, @r[0] : tensor<1x64xi32>
    gpuvm.store %two, @r[1] : !three
    %first = gpuvm.load @r[0] : !three
    gpuvm.store %first, @r[1] : !three
    gpuvm.send
  }
  gpuvm.stage @up() {
    %last = gpuvm.load @r[1] : !three
    gpuvm.store %last, @r[0] : !three
    gpuvm.send
  }
  %rows = gpuvm.stage @rows() -> !rows {
    %t = gpuvm.load @r : !rows
    gpuvm.send %t : !rows
  }
  gpuvm.return %l, %turned, %twice, %rows : !m, !m, !gpuvm.message<tensor<64xi32>>, !gpuvm.message<!rows>
}
