// Whether a loop goes on is known before the last kernels of a turn, which read
// whether the turn runs: they read a copy, and it is stored before them.

// RUN: gpuvm-compile %s --park=always -o %t.gvplan --statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s
// RUN: gpuvm-run %t.gvplan --validate --input=x=4096xf32=0.5 > %t.out
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: gpuvm-interpret %s --input=x=4096xf32=0.5 | diff - %t.out
// RUN: gpuvm-compile %s --park=never -o %t.never.gvplan
// RUN: gpuvm-run %t.never.gvplan --input=x=4096xf32=0.5 | diff - %t.out

// COUNT: 1 gpuvm-hoist-condition-stores - Conditions of loops stored early

// The copy is made where workgroups are counted, and what makes the value
// stores it.
// CHECK: repeat
// CHECK: while registers[[[GO:[0-9]*]]..
// CHECK: barrier
// CHECK: _counts
// CHECK-NEXT: reads registers[[[GO]]..
// CHECK-NEXT: writes control
// CHECK-NEXT: writes registers[[[COPY:[0-9.]*]])
// CHECK: barrier
// CHECK: kernel look_step_loop.next_reduce
// Where a dispatch does not run, nothing selects what is there already.
// CHECK: {{^ *}}writes registers[[[GO]]..
// CHECK: barrier
// CHECK: kernel step_loop.next_map
// CHECK-NOT: reads and writes
// CHECK: writes registers
// CHECK: settle

// OUT: turns: i32=3

!v = tensor<4096xf32>
!m = !gpuvm.message<!v>
!scalar = tensor<f32>
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

gpuvm.program @p(%x: !v) -> (y: !v, turns: tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %y, %n = gpuvm.repeat @loop up_to 9 (%v = %x : !v, %t = %zero : tensor<i32>) {
    %done = gpuvm.stage @look(%in = %v : !m) -> tensor<i1> {
      %least = arith.constant dense<-1.0> : !scalar
      %e = tensor.empty() : tensor<i1>
      %most = linalg.reduce { arith.maximumf } ins(%in : !v) outs(%least : !scalar) dimensions = [0]
      %bound = arith.constant dense<1.5> : !scalar
      %is = arith.cmpf ogt, %most, %bound : !scalar
      gpuvm.send %is : tensor<i1>
    }
    %next, %more = gpuvm.stage @step(%in = %v : !m, %count = %t : !gpuvm.message<tensor<i32>>) -> (!v, tensor<i32>) {
      %none = arith.constant dense<0.0> : !scalar
      %e = tensor.empty() : !v
      %sum = linalg.reduce { arith.addf } ins(%in : !v) outs(%none : !scalar) dimensions = [0]
      %a = linalg.generic {indexing_maps = [#i, #none, #i], iterator_types = ["parallel"]} ins(%in, %sum : !v, !scalar) outs(%e : !v) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %r = arith.divf %p, %q : f32
        linalg.yield %r : f32
      } -> !v
      %all = linalg.reduce { arith.maximumf } ins(%a : !v) outs(%none : !scalar) dimensions = [0]
      %b = linalg.generic {indexing_maps = [#i, #none, #i], iterator_types = ["parallel"]} ins(%in, %all : !v, !scalar) outs(%e : !v) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %half = arith.constant 0.5 : f32
        %r0 = arith.addf %p, %half : f32
        %r = arith.addf %r0, %q : f32
        linalg.yield %r : f32
      } -> !v
      %one = arith.constant dense<1> : tensor<i32>
      %c = arith.addi %count, %one : tensor<i32>
      gpuvm.send %b, %c : !v, tensor<i32>
    }
    gpuvm.next %next, %more : !m, !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %y, %n : !m, !gpuvm.message<tensor<i32>>
}
