// linalg.softmax is what it is defined by, in one kernel; over any dimension.

// RUN: gpuvm-compile %s --program=rows -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s
// CHECK: kernel softmax_reduce
// CHECK-NOT: dispatch
// CHECK: writes

// RUN: %python -c "import random, struct, sys; r = random.Random(1); open(sys.argv[1], 'wb').write(struct.pack('<7100f', *(r.uniform(-9, 9) for _ in range(7100))))" %t.x
// RUN: gpuvm-interpret %s --program=rows --input=x=100x71xf32=@%t.x --output=y=@%t.y.npy
// RUN: gpuvm-run %t.gvplan --validate --input=x=100x71xf32=@%t.x --expected_output=y=@%t.y.npy --expected_f32_threshold=2e-5 | FileCheck %s --check-prefix=SAME
// RUN: gpuvm-interpret %s --program=columns --input=x=100x71xf32=@%t.x --output=y=@%t.c.npy
// RUN: gpuvm-compile %s --program=columns -o %t.columns.gvplan
// RUN: gpuvm-run %t.columns.gvplan --validate --input=x=100x71xf32=@%t.x --expected_output=y=@%t.c.npy --expected_f32_threshold=2e-5 | FileCheck %s --check-prefix=SAME
// SAME: [SUCCESS]

// Every row of equal numbers is shared out evenly, and rows add up to one.
// RUN: gpuvm-run %t.gvplan --validate --input=x=100x71xf32=3.5 --expected_output=y=100x71xf32=0.014084507 --expected_f32_threshold=1e-6 | FileCheck %s --check-prefix=SAME

!x = tensor<100x71xf32>
gpuvm.program @rows(%x: !x) -> (y: !x) {
  %y = gpuvm.stage @softmax(%v = %x : !x) -> !x {
    %empty = tensor.empty() : !x
    %r = linalg.softmax dimension(1) ins(%v : !x) outs(%empty : !x) -> !x
    gpuvm.send %r : !x
  }
  gpuvm.return %y : !gpuvm.message<!x>
}

gpuvm.program @columns(%x: !x) -> (y: !x) {
  %y = gpuvm.stage @softmax(%v = %x : !x) -> !x {
    %empty = tensor.empty() : !x
    %r = linalg.softmax dimension(0) ins(%v : !x) outs(%empty : !x) -> !x
    gpuvm.send %r : !x
  }
  gpuvm.return %y : !gpuvm.message<!x>
}
