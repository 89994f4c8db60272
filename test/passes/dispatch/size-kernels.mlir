// Kernels whose results are rows that the device counts have as many workgroups
// as there are rows; what they send is the same.

// RUN: gpuvm-opt %s --gpuvm-pipeline="size=always fuse=false" | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-pipeline="size=never fuse=false" | FileCheck %s --check-prefix=NEVER
// RUN: gpuvm-opt %s --gpuvm-pipeline=fuse=false | FileCheck %s --check-prefix=NEVER
// RUN: not gpuvm-compile %s --size=small -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=MODE

// RUN: gpuvm-compile %s --size=always --disable-fusion -o %t.gvplan
// RUN: gpuvm-compile %s --size=never --disable-fusion -o %t.all.gvplan
// RUN: %python %S/size_kernels.py gpuvm-run %t.gvplan %t.all.gvplan %t.x rows sum

// What the device counts is counted where the rows are sent; one kernel makes
// workgroups of it, and all of those behind it have the same rows.
// CHECK: plan.dispatch @{{.*}}_counts
// CHECK: plan.dispatch_indirect
// CHECK: plan.dispatch_indirect
// NEVER-NOT: dispatch_indirect
// MODE: error: --size: small not in {{.*}}auto,always,never

!all = tensor<100003xf32>
!rows = tensor<?xf32, #gpuvm.bound<100003>>
gpuvm.program @p(%x: !all, %limit: tensor<f32>) -> (rows: !rows, sum: tensor<f32>) {
  %kept = gpuvm.stage @keep(%v = %x : !all, %l = %limit : tensor<f32>) -> !rows {
    %e = tensor.empty() : !all
    %limits = linalg.broadcast ins(%l : tensor<f32>) outs(%e : !all) dimensions = [0]
    %isLarge = arith.cmpf ogt, %v, %limits : !all
    %k, %n = gpuvm.compact %v where %isLarge : (!all, tensor<100003xi1>) -> (!all, tensor<i32>)
    %rows = gpuvm.bounded %k[%n] : !all -> !rows
    gpuvm.send %rows : !rows
  }
  %rows = gpuvm.stage @work(%v = %kept : !gpuvm.message<!rows>) -> !rows {
    %r = math.exp %v : !rows
    gpuvm.send %r : !rows
  }
  %more = gpuvm.stage @more(%v = %rows : !gpuvm.message<!rows>) -> !rows {
    %r = arith.addf %v, %v : !rows
    gpuvm.send %r : !rows
  }
  %sum = gpuvm.stage @add(%v = %more : !gpuvm.message<!rows>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%v : !rows) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %s : tensor<f32>
  }
  gpuvm.return %more, %sum : !gpuvm.message<!rows>, !gpuvm.message<tensor<f32>>
}
