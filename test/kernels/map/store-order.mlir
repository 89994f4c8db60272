// What takes the window of an operand is stored after what is made of that
// operand, in whichever order the program has them: a driver moves a load under
// a select over the store (docs/rationale/memory-reuse.md).

// RUN: gpuvm-compile %s --target=lavapipe --fusion=stages --chains=never -o %t.gvplan
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=PLACE
// RUN: gpuvm-plan disassemble %t.gvplan --kernel both_map | FileCheck %s --check-prefix=CODE
// RUN: gpuvm-run %t.gvplan --validate --input=count=i32=1 --input=x=4xi32=1,2,3,4 | FileCheck %s
// RUN: gpuvm-interpret %s --input=count=i32=1 --input=x=4xi32=1,2,3,4 | FileCheck %s

// PLACE: dispatch for stage "both"
// PLACE: reads and writes registers{{.*}} (binding 0)
// PLACE: reads registers{{.*}} (binding 5)
// PLACE: writes registers{{.*}} (binding 10)

// CODE-DAG: OpDecorate %[[FIRST:main_arg_[0-9]+]] Binding 0
// CODE-DAG: OpDecorate %[[SECOND:main_arg_[0-9]+]] Binding 10
// CODE: %[[OVER:[0-9]+]] = OpAccessChain {{.*}} %[[FIRST]] {{.*}}
// CODE: %[[OTHER:[0-9]+]] = OpAccessChain {{.*}} %[[SECOND]] {{.*}}
// CODE: OpStore %[[OTHER]]
// CODE: OpStore %[[OVER]]

// CHECK: first: 4xi32=3 5 7 9
// CHECK-NEXT: second: 4xi32=3 1 1 1
gpuvm.program @step(%count: tensor<i32>, %x: tensor<4xi32>) -> (first: tensor<4xi32>, second: tensor<4xi32>) {
  %double = gpuvm.stage @double(%x0 = %x : tensor<4xi32>) -> tensor<4xi32> {
    %y = arith.addi %x0, %x0 : tensor<4xi32>
    gpuvm.send %y : tensor<4xi32>
  }
  %first, %second = gpuvm.stage @both(%n = %count : tensor<i32>, %y = %double : !gpuvm.message<tensor<4xi32>>) -> (tensor<4xi32>, tensor<4xi32>) {
    %e = tensor.empty() : tensor<4xi32>
    %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%y, %n : tensor<4xi32>, tensor<i32>) outs(%e, %e : tensor<4xi32>, tensor<4xi32>) {
    ^bb0(%a: i32, %k: i32, %unused: i32, %unused2: i32):
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %odd = arith.ori %a, %one : i32
      %i = linalg.index 0 : index
      %w = arith.index_cast %i : index to i32
      %c = arith.cmpi ult, %w, %k : i32
      %kept = arith.select %c, %a, %zero : i32
      %row = arith.addi %kept, %k : i32
      linalg.yield %odd, %row : i32, i32
    } -> (tensor<4xi32>, tensor<4xi32>)
    gpuvm.send %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
  }
  gpuvm.return %first, %second : !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<4xi32>>
}
