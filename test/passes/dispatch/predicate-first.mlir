// What stands at the beginning of a turn and is cheap runs beside the kernel
// that counts workgroups, whether the turn runs or not: no barrier for it.

// RUN: gpuvm-compile %s --chains=never -o %t.gvplan --statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s
// RUN: gpuvm-run %t.gvplan --validate --input=x=1024xf32=0.5 --input=w=1024x1024xf32=0.001 > %t.out
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: gpuvm-compile %s --chains=never --park=never -o %t.never.gvplan
// RUN: gpuvm-run %t.never.gvplan --input=x=1024xf32=0.5 --input=w=1024x1024xf32=0.001 | diff - %t.out
// With `always` it waits.
// RUN: gpuvm-compile %s --chains=never --park=always -o %t.always.gvplan
// RUN: gpuvm-plan show %t.always.gvplan | FileCheck %s --check-prefix=ALWAYS
// RUN: gpuvm-run %t.always.gvplan --input=x=1024xf32=0.5 --input=w=1024x1024xf32=0.001 | diff - %t.out

// COUNT: 1 gpuvm-predicate-dispatches - Kernels that run beside the one that counts

// CHECK: repeat
// CHECK: kernel {{.*}}_counts
// CHECK-NOT: barrier
// CHECK: dispatch for stage "look"
// CHECK: kernel look_reduce
// CHECK: barrier
// CHECK: dispatch_indirect for stage "step

// ALWAYS: repeat
// ALWAYS: dispatch_indirect for stage "look"

// OUT: turns: i32=4

!v = tensor<1024xf32>
!m = !gpuvm.message<!v>
!w = tensor<1024x1024xf32>
!scalar = tensor<f32>
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

gpuvm.program @p(%x: !v, %w: !w) -> (y: !v, turns: tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %y, %n = gpuvm.repeat @loop up_to 9 (%v = %x : !v, %t = %zero : tensor<i32>) {
    %most = gpuvm.stage @look(%in = %v : !m) -> !scalar {
      %least = arith.constant dense<-1.0> : !scalar
      %r = linalg.reduce { arith.maximumf } ins(%in : !v) outs(%least : !scalar) dimensions = [0]
      gpuvm.send %r : !scalar
    }
    %next, %more, %done = gpuvm.stage @step(%in = %v : !m, %all = %most : !gpuvm.message<!scalar>, %m = %w : !w, %count = %t : !gpuvm.message<tensor<i32>>) -> (!v, tensor<i32>, tensor<i1>) {
      %none = arith.constant dense<0.0> : !v
      %e = tensor.empty() : !v
      %p = linalg.matvec ins(%m, %in : !w, !v) outs(%none : !v) -> !v
      %r = linalg.generic {indexing_maps = [#i, #none, #i], iterator_types = ["parallel"]} ins(%p, %all : !v, !scalar) outs(%e : !v) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> !v
      %bound = arith.constant dense<4.0> : !scalar
      %is = arith.cmpf ogt, %all, %bound : !scalar
      %one = arith.constant dense<1> : tensor<i32>
      %c = arith.addi %count, %one : tensor<i32>
      gpuvm.send %r, %c, %is : !v, tensor<i32>, tensor<i1>
    }
    gpuvm.next %next, %more : !m, !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %y, %n : !gpuvm.message<!v>, !gpuvm.message<tensor<i32>>
}
