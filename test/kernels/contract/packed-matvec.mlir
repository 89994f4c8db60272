// A matrix of packed weights times a vector: where blocks lie is computed without division, a block's header is one
// load, and the device converts the scales. With --exact they are converted by integer operations.

// RUN: gpuvm-compile %s --program=m --target=generic -o %t.gvplan && gpuvm-plan disassemble %t.gvplan > %t.code
// RUN: FileCheck %s --input-file=%t.code --implicit-check-not="OpShiftRightLogical %uint {{%[0-9]+}} %uint_8{{$}}"
// RUN: gpuvm-compile %s --program=m --exact -o %t.exact.gvplan && gpuvm-plan disassemble %t.exact.gvplan | FileCheck %s --check-prefix=EXACT --implicit-check-not=UnpackHalf2x16

// Eight neighbours from each of four rows of elements, for four results: 32 elements for each of 8 headers.
// CHECK: OpLoopMerge
// CHECK: OpLoad %v4uint
// CHECK: OpLoad %v2uint
// CHECK: UnpackHalf2x16
// CHECK: Fma
// EXACT: OpLoopMerge
// EXACT: Fma

// Two results a lane, the last ones twice: the interpreter's bits.
// RUN: %python -c "import random, struct, sys; r = random.Random(1); open(sys.argv[1], 'wb').write(b''.join(struct.pack('<ee', r.uniform(-1, 1), r.uniform(-1, 1)) + r.randbytes(140) for _ in range(2051 * 5)))" %t.w
// RUN: gpuvm-interpret %s --program=rows --input=w=1476720xi8=@%t.w --input=x=1280xf32=0.3 --output=y=@%t.y.npy
// RUN: gpuvm-compile %s --program=rows -o %t.rows.gvplan
// RUN: gpuvm-run %t.rows.gvplan --validate --input=w=1476720xi8=@%t.w --input=x=1280xf32=0.3 --expected_output=y=@%t.y.npy --expected_f32_threshold=0 | FileCheck %s --check-prefix=SAME
// SAME: [SUCCESS]

gpuvm.program @m(%x: tensor<8192xf32>) -> (y: tensor<4096xf32>) {
  gpuvm.heap @w : !gpuvm.packed<q4_k, 4096x8192>
  %y = gpuvm.stage @multiply(%v = %x : tensor<8192xf32>) -> tensor<4096xf32> {
    %p = gpuvm.load @w : !gpuvm.packed<q4_k, 4096x8192>
    %w = gpuvm.decode %p : !gpuvm.packed<q4_k, 4096x8192> -> tensor<4096x8192xf32>
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %r = linalg.matvec ins(%w, %v : tensor<4096x8192xf32>, tensor<8192xf32>) outs(%zero : tensor<4096xf32>) -> tensor<4096xf32>
    gpuvm.send %r : tensor<4096xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4096xf32>>
}

gpuvm.program @rows(%x: tensor<1280xf32>) -> (y: tensor<2051xf32>) {
  gpuvm.heap @w : !gpuvm.packed<q4_k, 2051x1280>
  %y = gpuvm.stage @multiply(%v = %x : tensor<1280xf32>) -> tensor<2051xf32> {
    %p = gpuvm.load @w : !gpuvm.packed<q4_k, 2051x1280>
    %w = gpuvm.decode %p : !gpuvm.packed<q4_k, 2051x1280> -> tensor<2051x1280xf32>
    %zero = arith.constant dense<0.0> : tensor<2051xf32>
    %r = linalg.matvec ins(%w, %v : tensor<2051x1280xf32>, tensor<1280xf32>) outs(%zero : tensor<2051xf32>) -> tensor<2051xf32>
    gpuvm.send %r : tensor<2051xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<2051xf32>>
}
