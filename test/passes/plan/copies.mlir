// What a stage stores that is computed elsewhere: copies for CPU devices, one dispatch for GPUs; of many bytes only
// where no device is a CPU. The results are the same.

// RUN: gpuvm-compile %s --target=lavapipe -o %t.cpu.gvplan
// RUN: gpuvm-plan show %t.cpu.gvplan --format=json | FileCheck %s --check-prefix=CPU
// RUN: gpuvm-compile %s --target=h200,lavapipe -o %t.both.gvplan
// RUN: gpuvm-plan show %t.both.gvplan --format=json | FileCheck %s --check-prefix=BOTH
// RUN: gpuvm-compile %s --target=generic -o %t.gpu.gvplan
// RUN: gpuvm-plan show %t.gpu.gvplan --format=json | FileCheck %s --check-prefix=GPU
// RUN: gpuvm-run %t.gpu.gvplan --validate --input=x=4xi32=1,2,3,4 --input=y=4xi32=5,6,7,8 --output=a --output=b | FileCheck %s
// RUN: gpuvm-run %t.cpu.gvplan --validate --input=x=4xi32=1,2,3,4 --input=y=4xi32=5,6,7,8 --output=a --output=b | FileCheck %s

// CPU-COUNT-4: "op": "copy"
// BOTH-COUNT-2: "op": "copy"
// BOTH-NOT: "op": "copy"
// GPU-NOT: "op": "copy"

// CHECK: a: 4xi32=1 2 3 4
// CHECK-NEXT: b: 4xi32=5 6 7 8
!few = tensor<4xi32>
!many = tensor<32768xi32>
gpuvm.program @keep(%x: !few, %y: !few) -> () {
  gpuvm.global @a : !few
  gpuvm.global @b : !few
  gpuvm.global @c : !many
  gpuvm.global @d : !many
  gpuvm.global @e : !many
  gpuvm.global @f : !many
  gpuvm.stage @small(%p = %x : !few, %q = %y : !few) {
    gpuvm.store %p, @a : !few
    gpuvm.store %q, @b : !few
    gpuvm.send
  }
  gpuvm.stage @large() {
    %p = gpuvm.load @e : !many
    %q = gpuvm.load @f : !many
    gpuvm.store %p, @c : !many
    gpuvm.store %q, @d : !many
    gpuvm.send
  }
  gpuvm.return
}
