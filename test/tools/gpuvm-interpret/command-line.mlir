// The command line of gpuvm-interpret: each mistake has one sentence and its exit code.

// DEFINE: %{exit} = %python -c "import subprocess, sys; sys.exit(subprocess.call(sys.argv[2:]) != int(sys.argv[1]))"
// DEFINE: %{x} = --input=x=3xf32=1,2,3

// RUN: gpuvm-interpret %s --program=double %{x} | FileCheck %s --check-prefix=DEFAULT --match-full-lines
// DEFAULT: y: 3xf32=2 4 6
// DEFAULT-NEXT: z: 3xf32=1 2 3
// RUN: gpuvm-interpret %s --program=double %{x} --output=seen --output=y --output_max_element_count=2 | FileCheck %s --check-prefix=CHOSEN --match-full-lines
// CHOSEN: seen: 3xf32=1 2...
// CHOSEN-NEXT: y: 3xf32=2 4...
// RUN: gpuvm-interpret %s --program=double %{x} --quiet | count 0
// RUN: gpuvm-interpret %s --program=double %{x} --output=y=@%t.npy | count 0
// RUN: gpuvm-interpret %s --program=double --input=x=@%t.npy --output=y | FileCheck %s --check-prefix=NPY --match-full-lines
// NPY: y: 3xf32=4 8 12
// RUN: gpuvm-interpret - --program=double %{x} --output=y < %s | FileCheck %s --check-prefix=STDIN --match-full-lines
// STDIN: y: 3xf32=2 4 6

// The program may be named, as in a plan of all programs.
// RUN: gpuvm-interpret %s --run=double,double --input=double.x=3xf32=1,2,3 --output=double.y --output=double.seen --expected_output=double.z=3xf32=1,2,3 | FileCheck %s --check-prefix=NAMED --match-full-lines
// RUN: gpuvm-compile %s --program=double -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --input=double.x=3xf32=1,2,3 --output=double.y --output=double.seen --expected_output=double.z=3xf32=1,2,3 | FileCheck %s --check-prefix=NAMED --match-full-lines
// NAMED: double.y: 3xf32=2 4 6
// NAMED-NEXT: double.seen: 3xf32=1 2 3
// RUN: %{exit} 3 gpuvm-interpret %s --program=double %{x} --output=other.y 2> %t.other
// RUN: FileCheck %s --check-prefix=OTHER --input-file=%t.other
// OTHER: The program has no output, metric, global or control word named "other.y" (known: y, z, seen).

// RUN: gpuvm-interpret %s --program=double %{x} --expected_output=y=3xf32=2,4,6.0001 | FileCheck %s --check-prefix=SUCCESS
// SUCCESS: [SUCCESS]
// RUN: %{exit} 1 gpuvm-interpret %s --program=double %{x} --expected_output=y=3xf32=2,4,6.0001 --expected_f32_threshold=0 > %t.failed
// RUN: FileCheck %s --check-prefix=FAILED --input-file=%t.failed
// FAILED: [FAILED] y: element at index 2 (6) does not match the expected (6.0001)

// RUN: %{exit} 2 gpuvm-interpret %s %{x} 2> %t.several
// RUN: FileCheck %s --check-prefix=SEVERAL --input-file=%t.several
// SEVERAL: gpuvm-interpret: error: The file "{{.*}}" holds several programs (double, other); --program picks one.
// RUN: %{exit} 2 gpuvm-interpret %s --program=missing 2> %t.unknown
// RUN: FileCheck %s --check-prefix=UNKNOWN --input-file=%t.unknown
// UNKNOWN: gpuvm-interpret: error: There is no program named "missing" (known: double, other).
// RUN: echo "module {}" > %t.empty.mlir
// RUN: %{exit} 3 gpuvm-interpret %t.empty.mlir 2> %t.empty
// RUN: FileCheck %s --check-prefix=EMPTY --input-file=%t.empty
// EMPTY: gpuvm-interpret: error: The file "{{.*}}" holds no gpuvm.program.
// RUN: %{exit} 2 gpuvm-interpret
// RUN: %{exit} 2 gpuvm-interpret %s --wrong-flag
// RUN: %{exit} 0 gpuvm-interpret --help
// RUN: %{exit} 3 gpuvm-interpret %t.absent.mlir 2> %t.absent
// RUN: FileCheck %s --check-prefix=ABSENT --input-file=%t.absent
// ABSENT: error: cannot open input file
// RUN: echo "gpuvm.program @broken(" > %t.broken.mlir
// RUN: %{exit} 3 gpuvm-interpret %t.broken.mlir 2> %t.broken
// RUN: FileCheck %s --check-prefix=BROKEN --input-file=%t.broken
// BROKEN: broken.mlir:1:23: error: expected SSA operand

// RUN: %{exit} 2 gpuvm-interpret %s --program=double 2> %t.none
// RUN: FileCheck %s --check-prefix=NONE --input-file=%t.none
// NONE: Input "x" is not given (3xf32; --input=x=<tensor>).
// RUN: %{exit} 2 gpuvm-interpret %s --program=double %{x} %{x} 2> %t.twice
// RUN: FileCheck %s --check-prefix=TWICE --input-file=%t.twice
// TWICE: Input "x" is given more than once.
// RUN: %{exit} 3 gpuvm-interpret %s --program=double %{x} --input=q=f32=1 2> %t.q
// RUN: FileCheck %s --check-prefix=NOINPUT --input-file=%t.q
// NOINPUT: The program has no input named "q" (known: x).
// RUN: %{exit} 3 gpuvm-interpret %s --program=double --input=x=4xf32=1 2> %t.shape
// RUN: FileCheck %s --check-prefix=SHAPE --input-file=%t.shape
// SHAPE: Input "x" has the wrong shape: 4xf32 is given, but the program takes 3xf32.
// RUN: %{exit} 3 gpuvm-interpret %s --program=double --input=x=3xi32=1 2> %t.dtype
// RUN: FileCheck %s --check-prefix=DTYPE --input-file=%t.dtype
// DTYPE: Input "x" has the wrong type: 3xi32 is given, but the program takes 3xf32 (NumPy converts: astype("float32")).
// RUN: %{exit} 3 gpuvm-interpret %s --program=double %{x} --output=q 2> %t.output
// RUN: FileCheck %s --check-prefix=NOOUTPUT --input-file=%t.output
// NOOUTPUT: The program has no output, metric, global or control word named "q" (known: y, z, seen).

gpuvm.program @double(%x: tensor<3xf32>) -> (y: tensor<3xf32>, z: tensor<3xf32>) {
  gpuvm.metric @seen : tensor<3xf32>
  %m = gpuvm.stage @double(%v = %x : tensor<3xf32>) -> tensor<3xf32> {
    gpuvm.store %v, @seen : tensor<3xf32>
    %r = arith.addf %v, %v : tensor<3xf32>
    gpuvm.send %r : tensor<3xf32>
  }
  gpuvm.return %m, %x : !gpuvm.message<tensor<3xf32>>, tensor<3xf32>
}

gpuvm.program @other() {
  gpuvm.return
}
