// What becomes of a program of the dialect: the engine with its tables, or a stage for
// each launch, with loops and branches.

// RUN: gpuvm-opt %s --linear-lower=mode=faithful | FileCheck %s --check-prefix=FAITHFUL
// RUN: gpuvm-opt %s --linear-lower | FileCheck %s --check-prefix=COMPILED
// RUN: gpuvm-opt %s --linear-lower=mode=fused | FileCheck %s --check-prefix=FUSED
// RUN: not gpuvm-opt %s --linear-lower="mode=faithful format=square" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: gpuvm-compile %s --exact -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --expected_output=y=4xf32=12,15,18,21 --expected_f32_threshold=0

// What a body does has the place of its text, whatever lines this program does without.
// RUN: grep -n 'gpuvm.scatter last %%w at %%a' %S/../../../frontends/linear/lowering/functions/Next.mlir | cut -d: -f1 > %t.line
// RUN: gpuvm-opt %s --linear-lower=mode=faithful --mlir-print-debuginfo --mlir-print-local-scope | grep -o 'scatter last.*Next.mlir":[0-9]*' | sed 's/.*://' | diff - %t.line

// FAITHFUL: gpuvm.program @tripled() -> (y: tensor<4xf32>, state: tensor<4x22xf32>, status: tensor<4xi32>, fault: tensor<4xi32>, counts: tensor<1x6xi64>)
// FAITHFUL: heap @linear.code : tensor<9x5xi32>
// FAITHFUL: repeat @linear.epochs up_to 51
// FAITHFUL-NOT: linear.do

// COMPILED: gpuvm.program @tripled()
// COMPILED-NOT: repeat @
// COMPILED: stage @linear.run.0.0
// COMPILED: scf.while
// COMPILED: arith.addf
// COMPILED: stage @linear.commit.0
// COMPILED-NOT: cf.br
// COMPILED-NOT: linear.do

// Its loop has three turns: 3 r0 + 3 are added to r1.
// FUSED: stage @linear.run.0.0
// FUSED-NOT: scf.while
// FUSED: arith.constant 3.000000e+00 : f32
// FUSED: arith.mulf
// FUSED-NOT: scf.while
// FUSED: stage @linear.commit.0

// FORMAT: error: the format of matrices is {{.*}} not square

linear.program @tripled stack 1 budget 50 {
  linear.buffer @y out 4
  linear.routine @main {
    linear.do VMID r0
    linear.do SETI r3, 3.0
    linear.do ADD r1, r1, r0
    linear.do SETI r2, 1.0
    linear.do ADD r1, r1, r2
    linear.do SUB r3, r3, r2
    linear.do BRANCH_GT r3, 2
    linear.do WRITE r0, r1
    linear.do HALT
  }
  linear.phase @only {
    linear.run @main 4 elements [2] bits [1091567616]
  }
}
