// Chains of several families: what one workgroup runs, alone or for each index of the leading dimensions.

// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-form-chains | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-form-chains=mode=never | FileCheck %s --check-prefix=NEVER
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-form-chains --gpuvm-choose-launches | FileCheck %s --check-prefix=LAUNCH

// NEVER-NOT: chain [

!v = tensor<100xf32>
!m = !gpuvm.message<!v>
!s = !gpuvm.message<tensor<f32>>

// A sum, what follows from it, and what reads that and the elements again.
// CHECK-LABEL: gpuvm.program @centre
// CHECK:         dispatch @sum_and_1_more_chain chain ["sum", "centre"](%x) {
// CHECK:           linalg.generic {{.*}}"reduction"
// CHECK:           %[[MEAN:.*]] = flow.hold %{{.*}} : tensor<f32>
// CHECK:           %[[Y:.*]] = flow.hold %{{.*}} : tensor<100xf32>
// CHECK:           yield %[[Y]]
// CHECK-NOT:     dispatch
gpuvm.program @centre(%x: !v) -> (y: !v) {
  %sum = gpuvm.stage @sum(%v = %x : !v) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %n = arith.constant dense<0.01> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%v : !v) outs(%zero : tensor<f32>) dimensions = [0]
    %mean = arith.mulf %r, %n : tensor<f32>
    gpuvm.send %mean : tensor<f32>
  }
  %y = gpuvm.stage @centre(%v = %x : !v, %mean = %sum : !s) -> !v {
    %e = tensor.empty() : !v
    %all = linalg.broadcast ins(%mean : tensor<f32>) outs(%e : !v) dimensions = [0]
    %r = arith.subf %v, %all : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %y : !m
}

// The same for each of 40 rows of 16 x 16: an instance has a workgroup.
!all = tensor<40x16x16xf32>
!rows = tensor<40x16xf32>
// CHECK-LABEL: gpuvm.program @instances
// CHECK:         dispatch @{{.*}}chain chain ["peaks", "total", "scale"](%x) {
// CHECK-NOT:     dispatch
// LAUNCH:        @peaks_and_2_more_chain {{.*}}groups = 40, lanes = 256
gpuvm.program @instances(%x: !all) -> (y: !all, peaks: !rows) {
  %peaks = gpuvm.stage @peaks(%v = %x : !all) -> !rows {
    %zero = arith.constant dense<0.0> : !rows
    %r = linalg.reduce { arith.maximumf } ins(%v : !all) outs(%zero : !rows) dimensions = [2]
    gpuvm.send %r : !rows
  }
  %total = gpuvm.stage @total(%v = %peaks : !gpuvm.message<!rows>) -> tensor<40xf32> {
    %zero = arith.constant dense<0.0> : tensor<40xf32>
    %r = linalg.reduce { arith.addf } ins(%v : !rows) outs(%zero : tensor<40xf32>) dimensions = [1]
    gpuvm.send %r : tensor<40xf32>
  }
  %y = gpuvm.stage @scale(%v = %x : !all, %t = %total : !gpuvm.message<tensor<40xf32>>) -> !all {
    %e = tensor.empty() : !all
    %each = linalg.broadcast ins(%t : tensor<40xf32>) outs(%e : !all) dimensions = [1, 2]
    %r = arith.mulf %v, %each : !all
    gpuvm.send %r : !all
  }
  gpuvm.return %y, %peaks : !gpuvm.message<!all>, !gpuvm.message<!rows>
}

// What is held of other instances is read from a window, after a barrier; what reads across is a kernel of its own.
// CHECK-LABEL: gpuvm.program @across
// CHECK:         chain ["peaks", "centre"](%x)
// CHECK:         dispatch @over_{{.*}}reduce reduce ["over"]
gpuvm.program @across(%x: !all) -> (y: tensor<16xf32>) {
  %peaks = gpuvm.stage @peaks(%v = %x : !all) -> !rows {
    %zero = arith.constant dense<0.0> : !rows
    %r = linalg.reduce { arith.maximumf } ins(%v : !all) outs(%zero : !rows) dimensions = [2]
    gpuvm.send %r : !rows
  }
  %moved = gpuvm.stage @centre(%v = %peaks : !gpuvm.message<!rows>) -> !rows {
    %f = tensor.extract_slice %v[0, 1] [40, 15] [1, 1] : !rows to tensor<40x15xf32>
    %l = tensor.extract_slice %v[0, 0] [40, 1] [1, 1] : !rows to tensor<40x1xf32>
    %r = tensor.concat dim(1) %f, %l : (tensor<40x15xf32>, tensor<40x1xf32>) -> !rows
    %d = arith.subf %r, %v : !rows
    gpuvm.send %d : !rows
  }
  %y = gpuvm.stage @over(%v = %moved : !gpuvm.message<!rows>) -> tensor<16xf32> {
    %zero = arith.constant dense<0.0> : tensor<16xf32>
    %r = linalg.reduce { arith.addf } ins(%v : !rows) outs(%zero : tensor<16xf32>) dimensions = [0]
    gpuvm.send %r : tensor<16xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<16xf32>>
}
