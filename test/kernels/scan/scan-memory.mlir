// What the workgroups of a scan tell each other outlasts the run, to be told apart from what the next run writes: two
// scans do not share memory for it.

// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-fuse --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place --gpuvm-reschedule --gpuvm-plan-memory | FileCheck %s

// CHECK:      flow.dispatch @a_scan {{.*}}scratch_windows = [#gpuvm.window<registers, 800256, 132>]
// CHECK:      flow.dispatch @b_scan {{.*}}scratch_windows = [#gpuvm.window<registers, 800512, 132>]
gpuvm.program @twice(%x: tensor<100000xi32>) -> (y: tensor<100000xi32>) {
  %m = gpuvm.stage @a(%v = %x : tensor<100000xi32>) -> tensor<100000xi32> {
    %s = gpuvm.scan %v dimension 0 : (tensor<100000xi32>) -> tensor<100000xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      gpuvm.yield %c : i32
    }
    gpuvm.send %s : tensor<100000xi32>
  }
  %y = gpuvm.stage @b(%v = %m : !gpuvm.message<tensor<100000xi32>>) -> tensor<100000xi32> {
    %s = gpuvm.scan %v dimension 0 : (tensor<100000xi32>) -> tensor<100000xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      gpuvm.yield %c : i32
    }
    gpuvm.send %s : tensor<100000xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<100000xi32>>
}
