// Exchanges in plans: windows of as many bytes as tensors have, what runs meanwhile, loops.

// RUN: split-file %s %t
// RUN: gpuvm-opt %t/kinds.mlir --gpuvm-pipeline | FileCheck %t/kinds.mlir
// RUN: gpuvm-opt %t/meanwhile.mlir --gpuvm-pipeline | FileCheck %t/meanwhile.mlir
// RUN: gpuvm-opt %t/loop.mlir --gpuvm-pipeline | FileCheck %t/loop.mlir
// RUN: not gpuvm-opt %t/several.mlir --gpuvm-pipeline 2>&1 | FileCheck %t/several.mlir
// RUN: gpuvm-compile %t/loop.mlir -o %t/loop.gvplan --report=%t/report.json
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json
// RUN: gpuvm-plan show %t/loop.gvplan | FileCheck %s --check-prefix=SHOW

// SHOW: program heat (3 instances, 2 ranks, 1 exchange)
// SHOW: exchange for stage "mean"
// SHOW-NEXT: shift_up registers[[[EDGE:.*]]) -> registers[[[CAME:.*]]) by 1
// SHOW-NEXT: shift_down
// SHOW-NEXT: RAW: command {{[0-9]+}} (stage "steps.update_halo.edges") writes registers[[[EDGE]]), command {{[0-9]+}} (stage "mean") reads it
// SHOW: RAW: command {{[0-9]+}} (stage "mean") writes registers[[[CAME]]), command {{[0-9]+}} (stage "mean") reads it

// REPORT: "exchanges": [
// REPORT: "reason": "it is the first one"
// REPORT: "repeat": "steps"
// REPORT: "bytes": 32,
// REPORT: "kind": "shift"

//--- kinds.mlir
// CHECK: plan.module @kinds regions {{.*}} ranks 3 {
// CHECK: plan.exchange [
// CHECK-SAME: <all_gather, <registers, [[X:[0-9]+]], 5> to <registers, {{[0-9]+}}, 15>>
// CHECK-SAME: <shift_up, <registers, [[X]], 5> to <registers, {{[0-9]+}}, 5> offset 1 rotate true>
// CHECK-SAME: <shift_down, <registers, [[X]], 5> to <registers, {{[0-9]+}}, 5> offset 2>
// CHECK-SAME: <all_to_all, <registers, {{[0-9]+}}, 36> to <registers, {{[0-9]+}}, 36> rows 6 counts <registers, {{[0-9]+}}, 12> received <registers, {{[0-9]+}}, 12>>
// CHECK-NEXT: plan.await
gpuvm.program @kinds(%x: tensor<5xi8>, %r: tensor<6x3xf16>, %n: tensor<3xi32>)
    -> (a: tensor<15xi8>, b: tensor<5xi8>, c: tensor<5xi8>, d: tensor<6x3xf16>, e: tensor<3xi32>) ranks(3) {
  %a = gpuvm.all_gather %x axis(0) : tensor<5xi8> -> tensor<15xi8>
  %b = gpuvm.shift %x offset(4) rotate : tensor<5xi8>
  %c = gpuvm.shift %x offset(-2) : tensor<5xi8>
  %d, %e = gpuvm.all_to_all %r split(0) concat(0) counts(%n : tensor<3xi32>) : tensor<6x3xf16> -> tensor<6x3xf16>, tensor<3xi32>
  gpuvm.return %a, %b, %c, %d, %e : tensor<15xi8>, tensor<5xi8>, tensor<5xi8>, tensor<6x3xf16>, tensor<3xi32>
}

//--- meanwhile.mlir
// A reduction of 256 MiB runs while bytes move; a small map is not worth a submit.
// CHECK: plan.exchange
// CHECK-NEXT: plan.dispatch @large
// CHECK: plan.await
// CHECK: plan.dispatch @small
gpuvm.program @meanwhile(%x: tensor<8xf32>, %big: tensor<67108864xf32>) -> (a: tensor<8xf32>, s: tensor<f32>) ranks(2) {
  %large = gpuvm.stage @large(%v = %big : tensor<67108864xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %sum = linalg.reduce { arith.addf } ins(%v : tensor<67108864xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %sum : tensor<f32>
  }
  %m = gpuvm.shift %x offset(1) rotate : tensor<8xf32>
  %small = gpuvm.stage @small(%v = %m : tensor<8xf32>) -> tensor<8xf32> {
    %n = arith.negf %v : tensor<8xf32>
    gpuvm.send %n : tensor<8xf32>
  }
  gpuvm.return %small, %large : !gpuvm.message<tensor<8xf32>>, !gpuvm.message<tensor<f32>>
}

//--- loop.mlir
// The rows at the edges go in each iteration; no kernel spans an exchange.
// CHECK: plan.repeat 100 times
// CHECK: plan.dispatch @{{.*}}edges
// CHECK: plan.exchange [#plan.transfer<shift_up, {{.*}} offset 1>, #plan.transfer<shift_down, {{.*}} offset 1>]
// CHECK-NEXT: plan.await
// CHECK-NEXT: plan.dispatch @mean_map
// CHECK-NOT: plan.dispatch
gpuvm.program @heat(%x: tensor<4x8xf32>) -> (y: tensor<4x8xf32>) ranks(2) {
  %y = gpuvm.repeat @steps up_to 100 (%rows = %x : tensor<4x8xf32>) {
    %whole = gpuvm.update_halo %rows axis(0) halo(1, 1) : !gpuvm.message<tensor<4x8xf32>> -> tensor<6x8xf32>
    %next = gpuvm.stage @mean(%w = %whole : tensor<6x8xf32>) -> tensor<4x8xf32> {
      %half = arith.constant dense<0.5> : tensor<4x8xf32>
      %above = tensor.extract_slice %w[0, 0] [4, 8] [1, 1] : tensor<6x8xf32> to tensor<4x8xf32>
      %below = tensor.extract_slice %w[2, 0] [4, 8] [1, 1] : tensor<6x8xf32> to tensor<4x8xf32>
      %sum = arith.addf %above, %below : tensor<4x8xf32>
      %mean = arith.mulf %sum, %half : tensor<4x8xf32>
      gpuvm.send %mean : tensor<4x8xf32>
    }
    gpuvm.next %next : !gpuvm.message<tensor<4x8xf32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4x8xf32>>
}

//--- several.mlir
// CHECK: error: 'gpuvm.program' op is one of 2 ranks, and another program of the plan is one of 3
gpuvm.program @a(%x: tensor<8xf32>) -> (y: tensor<8xf32>) ranks(2) {
  %y = gpuvm.all_reduce %x add : tensor<8xf32>
  gpuvm.return %y : tensor<8xf32>
}
gpuvm.program @b(%x: tensor<8xf32>) -> (y: tensor<8xf32>) ranks(3) {
  %y = gpuvm.all_reduce %x add : tensor<8xf32>
  gpuvm.return %y : tensor<8xf32>
}
