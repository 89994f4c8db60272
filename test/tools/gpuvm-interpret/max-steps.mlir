// A program may loop for years: its steps are counted, those of all executions together.

// DEFINE: %{exit} = %python -c "import subprocess, sys; sys.exit(subprocess.call(sys.argv[2:]) != int(sys.argv[1]))"
// DEFINE: %{x} = --input=x=3xi32=1

// RUN: %{exit} 5 gpuvm-interpret %s --program=endless %{x} --max-steps=100000 2> %t.endless
// RUN: FileCheck %s --check-prefix=ENDLESS --input-file=%t.endless
// RUN: %{exit} 5 gpuvm-interpret %s --program=turns %{x} --max-steps=100000 2> %t.turns
// RUN: FileCheck %s --check-prefix=TURNS --input-file=%t.turns
// RUN: %{exit} 5 gpuvm-interpret %s --program=double %{x} --iterations=1000000 --max-steps=100000 2> %t.many
// RUN: FileCheck %s --check-prefix=MANY --input-file=%t.many
// RUN: gpuvm-interpret %s --program=double %{x} --max-steps=100 | FileCheck %s --check-prefix=ENOUGH --match-full-lines

// MANY: max-steps.mlir:{{[0-9:]+}} error: the interpreter ends here: it has done the 100000 steps that it may do
// ENOUGH: y: 3xi32=2 2 2

gpuvm.program @double(%x: tensor<3xi32>) -> (y: tensor<3xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<3xi32>) -> tensor<3xi32> {
    %r = arith.addi %v, %v : tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}

gpuvm.program @endless(%x: tensor<3xi32>) -> (y: tensor<3xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<3xi32>) -> tensor<3xi32> {
    %e = tensor.empty() : tensor<3xi32>
    %r = linalg.map ins(%v : tensor<3xi32>) outs(%e : tensor<3xi32>) (%a: i32, %was: i32) {
      // ENDLESS: max-steps.mlir:[[# @LINE + 1]]:12: error: the interpreter ends here: it has done the 100000 steps that it may do
      %w = scf.while (%i = %a) : (i32) -> i32 {
        %yes = arith.cmpi eq, %i, %i : i32
        scf.condition(%yes) %i : i32
      } do {
      ^bb0(%j: i32):
        %k = arith.addi %j, %j : i32
        scf.yield %k : i32
      }
      linalg.yield %w : i32
    }
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}

gpuvm.program @turns(%x: tensor<3xi32>) -> (y: tensor<3xi32>) {
  %m = gpuvm.repeat @r up_to 1000000000 (%o = %x : tensor<3xi32>) {
    %n = gpuvm.stage @s(%v = %o : !gpuvm.message<tensor<3xi32>>) -> tensor<3xi32> {
      // TURNS: max-steps.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: the interpreter ends here: it has done the 100000 steps that it may do
      %r = arith.addi %v, %v : tensor<3xi32>
      gpuvm.send %r : tensor<3xi32>
    }
    gpuvm.next %n : !gpuvm.message<tensor<3xi32>>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}
