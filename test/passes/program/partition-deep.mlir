// One exchange for several iterations of a repeat, where computing rows of the neighbours again costs less.

// RUN: gpuvm-opt %s --gpuvm-partition --split-input-file | FileCheck %s

// As many rows as the iterations until the next exchange read; beyond them, and where there is no rank, rows are wrong, and not used.
// What a row is filled with follows from its number in the whole.
// CHECK-LABEL: gpuvm.program @heat
// CHECK: repeat @step.exchanges up_to 2 (%[[U:.*]] = %x : tensor<16x6xi32>)
// CHECK: %[[WIDE:.*]] = update_halo %[[U]] axis(0) halo(6, 6) : !gpuvm.message<tensor<16x6xi32>> -> tensor<28x6xi32>
// CHECK: %[[LAST:.*]] = repeat @step up_to 6 (%{{.*}} = %[[WIDE]] : tensor<28x6xi32>)
// CHECK-NOT: update_halo
// CHECK: %[[BEGIN:.*]] = arith.muli
// CHECK: %[[FIRST:.*]] = arith.subi %[[BEGIN]], %c6
// CHECK: arith.addi %[[FIRST]], %{{.*}} : index
// CHECK: arith.cmpi sge
// CHECK: next {{.*}} : !gpuvm.message<tensor<28x6xi32>>
// CHECK: stage @own({{.*}} = %[[LAST]]
// CHECK: tensor.extract_slice %{{.*}}[6, 0] [16, 6] [1, 1]
// CHECK: next {{.*}} : !gpuvm.message<tensor<16x6xi32>>
!b = tensor<32x6xi32>
#rows = #gpuvm.sharding<0>
gpuvm.program @heat(%x: !b {gpuvm.sharding = #rows}) -> (y: !b {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.repeat @step up_to 12 (%u = %x : !b) {
    %n = gpuvm.stage @move(%a = %u : !gpuvm.message<!b>) -> !b {
      %three = arith.constant 3 : i32
      %p = tensor.pad %a low[1, 0] high[1, 0] {
      ^bb0(%i: index, %j: index):
        tensor.yield %three : i32
      } : !b to tensor<34x6xi32>
      %up = tensor.extract_slice %p[0, 0] [32, 6] [1, 1] : tensor<34x6xi32> to !b
      %down = tensor.extract_slice %p[2, 0] [32, 6] [1, 1] : tensor<34x6xi32> to !b
      %s = arith.addi %up, %down : !b
      gpuvm.send %s : !b
    }
    gpuvm.next %n : !gpuvm.message<!b>
  }
  gpuvm.return %y : !gpuvm.message<!b>
}

// -----

// A field that does not change has its rows of the neighbours once, before the repeat; two stencils one after the other lose two rows.
// CHECK-LABEL: gpuvm.program @field
// CHECK: update_halo %f axis(0) halo(16, 16) rotate
// CHECK: repeat @step.exchanges up_to 2
// CHECK: update_halo %{{.*}} axis(0) halo(16, 16) rotate
// CHECK: repeat @step up_to 8
// CHECK-NOT: update_halo
// CHECK: arith.remui
!v = tensor<64xi32>
#rows = #gpuvm.sharding<0>
gpuvm.program @field(%x: !v {gpuvm.sharding = #rows}, %f: !v {gpuvm.sharding = #rows}) -> (y: !v {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.repeat @step up_to 16 (%u = %x : !v) {
    %m = gpuvm.stage @first(%a = %u : !gpuvm.message<!v>, %b = %f : !v) -> !v {
      %s = tensor.generate {
      ^bb0(%i: index):
        %c1 = arith.constant 1 : index
        %c64 = arith.constant 64 : index
        %next = arith.addi %i, %c1 : index
        %round = arith.remui %next, %c64 : index
        %p = tensor.extract %a[%round] : !v
        %q = tensor.extract %b[%i] : !v
        %r = arith.muli %p, %q : i32
        tensor.yield %r : i32
      } : !v
      gpuvm.send %s : !v
    }
    %n = gpuvm.stage @second(%a = %m : !gpuvm.message<!v>) -> !v {
      %last = tensor.extract_slice %a[63] [1] [1] : !v to tensor<1xi32>
      %rest = tensor.extract_slice %a[0] [63] [1] : !v to tensor<63xi32>
      %roll = tensor.concat dim(0) %last, %rest : (tensor<1xi32>, tensor<63xi32>) -> !v
      gpuvm.send %roll : !v
    }
    gpuvm.next %n : !gpuvm.message<!v>
  }
  gpuvm.return %y : !gpuvm.message<!v>
}

// -----

// What is known of all ranks in each iteration needs an exchange in each.
// CHECK-LABEL: gpuvm.program @until
// CHECK: repeat @step up_to 12
// CHECK: update_halo %{{.*}} axis(0) halo(1, 0)
// CHECK: all_reduce
!v = tensor<32xi32>
#rows = #gpuvm.sharding<0>
gpuvm.program @until(%x: !v {gpuvm.sharding = #rows}) -> (y: !v {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.repeat @step up_to 12 (%u = %x : !v) {
    %n, %done = gpuvm.stage @move(%a = %u : !gpuvm.message<!v>) -> (!v, tensor<i1>) {
      %zero = arith.constant 0 : i32
      %p = tensor.pad %a low[1] high[0] {
      ^bb0(%i: index):
        tensor.yield %zero : i32
      } : !v to tensor<33xi32>
      %up = tensor.extract_slice %p[0] [32] [1] : tensor<33xi32> to !v
      %start = arith.constant dense<0> : tensor<i32>
      %most = linalg.reduce { arith.maxsi } ins(%up : !v) outs(%start : tensor<i32>) dimensions = [0]
      %is = arith.cmpi eq, %most, %start : tensor<i32>
      gpuvm.send %up, %is : !v, tensor<i1>
    }
    gpuvm.next %n : !gpuvm.message<!v> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %y : !gpuvm.message<!v>
}

// -----

// A window that ends where the axis does cannot slide over a margin whose rows come round.
// CHECK-LABEL: gpuvm.program @ends
// CHECK: repeat @step up_to 16
// CHECK: update_halo %{{.*}} axis(0) halo(1, 1) rotate
!v = tensor<64xi32>
#rows = #gpuvm.sharding<0>
gpuvm.program @ends(%x: !v {gpuvm.sharding = #rows}) -> (y: !v {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.repeat @step up_to 16 (%u = %x : !v) {
    %n = gpuvm.stage @both(%a = %u : !gpuvm.message<!v>) -> !v {
      %zero = arith.constant 0 : i32
      %p = tensor.pad %a low[1] high[0] {
      ^bb0(%i: index):
        tensor.yield %zero : i32
      } : !v to tensor<65xi32>
      %taps = arith.constant dense<3> : tensor<2xi32>
      %first = tensor.extract_slice %a[0] [1] [1] : !v to tensor<1xi32>
      %rest = tensor.extract_slice %a[1] [63] [1] : !v to tensor<63xi32>
      %roll = tensor.concat dim(0) %rest, %first : (tensor<63xi32>, tensor<1xi32>) -> !v
      %c = linalg.conv_1d ins(%p, %taps : tensor<65xi32>, tensor<2xi32>) outs(%roll : !v) -> !v
      gpuvm.send %c : !v
    }
    gpuvm.next %n : !gpuvm.message<!v>
  }
  gpuvm.return %y : !gpuvm.message<!v>
}
