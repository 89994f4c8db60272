// What is computed from rows and from reductions of these rows is one kernel.

// RUN: gpuvm-compile %s --program=softmax --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-compile %s --program=layer_norm --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-compile %s --program=log_sum_exp --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: 1 gpuvm-form-kernels{{ +}}- Kernels formed

// One row of 1,048,576 elements is the work of many workgroups: nobody has all
// of it, and each reduction is a kernel.
// RUN: gpuvm-compile %s --program=one_long_row --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: 3 gpuvm-form-kernels{{ +}}- Kernels formed

// Over another dimension than the last, a workgroup has all parts of its columns.
// RUN: gpuvm-compile %s --program=middle --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=WHOLE
// WHOLE: softmax_reduce {{.*}}local size 256x1x1
// WHOLE: softmax_reduce_wide {{.*}}local size 16x1x1

// 64 columns of 65,536 are too few workgroups for a large GPU, and enough for
// two cores.
// RUN: gpuvm-compile %s --program=narrow --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: gpuvm-compile %s --program=narrow --target=lavapipe --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE

// A lane loads all rows that it has in flight before it stores the first power.
// RUN: gpuvm-compile %s --program=one_long_row -o %t.gvplan && gpuvm-plan disassemble %t.gvplan --kernel=softmax_reduce_1 | FileCheck %s --check-prefix=LOADS
// LOADS: kernel softmax_reduce_1: GLSL
// LOADS-COUNT-4: vec4 {{.+}} = main_arg_0_1._m0[
// LOADS-COUNT-4: main_arg_2_1._m0[{{.+}}] =

// Neighbouring lanes finish the 16 rows of a workgroup.
// RUN: gpuvm-compile %s --program=log_sum_exp -o %t.gvplan && gpuvm-plan disassemble %t.gvplan | FileCheck %s --check-prefix=FINISH
// FINISH: GLSL
// FINISH: [[FIRST:_[0-9]+]] = {{.+}} * 16u;
// FINISH: [[RESULT:_[0-9]+]] = [[FIRST]] + gl_LocalInvocationID.x;
// FINISH: main_arg_1_1._m0{{\[}}[[RESULT]]] =

gpuvm.program @softmax(%x: tensor<256x4096xf32>) -> (y: tensor<256x4096xf32>) {
  %y = gpuvm.stage @softmax(%in = %x : tensor<256x4096xf32>) -> tensor<256x4096xf32> {
    %low = arith.constant dense<0xFF800000> : tensor<256xf32>
    %zero = arith.constant dense<0.0> : tensor<256xf32>
    %empty = tensor.empty() : tensor<256x4096xf32>
    %top = linalg.reduce { arith.maximumf } ins(%in : tensor<256x4096xf32>) outs(%low : tensor<256xf32>) dimensions = [1]
    %tops = linalg.broadcast ins(%top : tensor<256xf32>) outs(%empty : tensor<256x4096xf32>) dimensions = [1]
    %shifted = arith.subf %in, %tops : tensor<256x4096xf32>
    %powers = math.exp %shifted : tensor<256x4096xf32>
    %sum = linalg.reduce { arith.addf } ins(%powers : tensor<256x4096xf32>) outs(%zero : tensor<256xf32>) dimensions = [1]
    %sums = linalg.broadcast ins(%sum : tensor<256xf32>) outs(%empty : tensor<256x4096xf32>) dimensions = [1]
    %r = arith.divf %powers, %sums : tensor<256x4096xf32>
    gpuvm.send %r : tensor<256x4096xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<256x4096xf32>>
}

// Mean, variance and the scaled row, as three stages.
gpuvm.program @layer_norm(%x: tensor<256x4096xf32>, %gain: tensor<4096xf32>) -> (y: tensor<256x4096xf32>) {
  %c = gpuvm.stage @center(%in = %x : tensor<256x4096xf32>) -> tensor<256x4096xf32> {
    %zero = arith.constant dense<0.0> : tensor<256xf32>
    %share = arith.constant dense<0.000244140625> : tensor<256xf32>
    %empty = tensor.empty() : tensor<256x4096xf32>
    %sum = linalg.reduce { arith.addf } ins(%in : tensor<256x4096xf32>) outs(%zero : tensor<256xf32>) dimensions = [1]
    %mean = arith.mulf %sum, %share : tensor<256xf32>
    %means = linalg.broadcast ins(%mean : tensor<256xf32>) outs(%empty : tensor<256x4096xf32>) dimensions = [1]
    %r = arith.subf %in, %means : tensor<256x4096xf32>
    gpuvm.send %r : tensor<256x4096xf32>
  }
  %n = gpuvm.stage @normalize(%in = %c : !gpuvm.message<tensor<256x4096xf32>>) -> tensor<256x4096xf32> {
    %zero = arith.constant dense<0.0> : tensor<256xf32>
    %small = arith.constant dense<1.0e-5> : tensor<256xf32>
    %share = arith.constant dense<0.000244140625> : tensor<256xf32>
    %empty = tensor.empty() : tensor<256x4096xf32>
    %squares = arith.mulf %in, %in : tensor<256x4096xf32>
    %sum = linalg.reduce { arith.addf } ins(%squares : tensor<256x4096xf32>) outs(%zero : tensor<256xf32>) dimensions = [1]
    %variance = arith.mulf %sum, %share : tensor<256xf32>
    %safe = arith.addf %variance, %small : tensor<256xf32>
    %scale = math.rsqrt %safe : tensor<256xf32>
    %scales = linalg.broadcast ins(%scale : tensor<256xf32>) outs(%empty : tensor<256x4096xf32>) dimensions = [1]
    %r = arith.mulf %in, %scales : tensor<256x4096xf32>
    gpuvm.send %r : tensor<256x4096xf32>
  }
  %g = gpuvm.stage @gain(%in = %n : !gpuvm.message<tensor<256x4096xf32>>, %g = %gain : tensor<4096xf32>) -> tensor<256x4096xf32> {
    %empty = tensor.empty() : tensor<256x4096xf32>
    %gains = linalg.broadcast ins(%g : tensor<4096xf32>) outs(%empty : tensor<256x4096xf32>) dimensions = [0]
    %r = arith.mulf %in, %gains : tensor<256x4096xf32>
    gpuvm.send %r : tensor<256x4096xf32>
  }
  gpuvm.return %g : !gpuvm.message<tensor<256x4096xf32>>
}

gpuvm.program @log_sum_exp(%x: tensor<300x50xf32>) -> (y: tensor<300xf32>) {
  %y = gpuvm.stage @lse(%in = %x : tensor<300x50xf32>) -> tensor<300xf32> {
    %low = arith.constant dense<0xFF800000> : tensor<300xf32>
    %zero = arith.constant dense<0.0> : tensor<300xf32>
    %empty = tensor.empty() : tensor<300x50xf32>
    %top = linalg.reduce { arith.maximumf } ins(%in : tensor<300x50xf32>) outs(%low : tensor<300xf32>) dimensions = [1]
    %tops = linalg.broadcast ins(%top : tensor<300xf32>) outs(%empty : tensor<300x50xf32>) dimensions = [1]
    %shifted = arith.subf %in, %tops : tensor<300x50xf32>
    %powers = math.exp %shifted : tensor<300x50xf32>
    %sum = linalg.reduce { arith.addf } ins(%powers : tensor<300x50xf32>) outs(%zero : tensor<300xf32>) dimensions = [1]
    %log = math.log %sum : tensor<300xf32>
    %r = arith.addf %log, %top : tensor<300xf32>
    gpuvm.send %r : tensor<300xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<300xf32>>
}

gpuvm.program @one_long_row(%x: tensor<1048576xf32>) -> (y: tensor<1048576xf32>) {
  %y = gpuvm.stage @softmax(%in = %x : tensor<1048576xf32>) -> tensor<1048576xf32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %low = arith.constant dense<0xFF800000> : tensor<f32>
    %empty = tensor.empty() : tensor<1048576xf32>
    %top = linalg.reduce { arith.maximumf } ins(%in : tensor<1048576xf32>) outs(%low : tensor<f32>) dimensions = [0]
    %tops = linalg.broadcast ins(%top : tensor<f32>) outs(%empty : tensor<1048576xf32>) dimensions = [0]
    %shifted = arith.subf %in, %tops : tensor<1048576xf32>
    %powers = math.exp %shifted : tensor<1048576xf32>
    %sum = linalg.reduce { arith.addf } ins(%powers : tensor<1048576xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %sums = linalg.broadcast ins(%sum : tensor<f32>) outs(%empty : tensor<1048576xf32>) dimensions = [0]
    %r = arith.divf %powers, %sums : tensor<1048576xf32>
    gpuvm.send %r : tensor<1048576xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<1048576xf32>>
}

// Functions of math that are done once for a row keep no rows from sharing a
// workgroup: 16 of them, as without the functions.
// RUN: gpuvm-compile %s --program=short_rows -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=SHORT
// SHORT: groups 63x1x1
gpuvm.program @short_rows(%x: tensor<1000x50xf32>) -> (y: tensor<1000xf32>) {
  %y = gpuvm.stage @log_sum_exp(%in = %x : tensor<1000x50xf32>) -> tensor<1000xf32> {
    %zero = arith.constant dense<0.0> : tensor<1000xf32>
    %powers = math.exp %in : tensor<1000x50xf32>
    %sum = linalg.reduce { arith.addf } ins(%powers : tensor<1000x50xf32>) outs(%zero : tensor<1000xf32>) dimensions = [1]
    %log = math.log %sum : tensor<1000xf32>
    %r = math.tanh %log : tensor<1000xf32>
    gpuvm.send %r : tensor<1000xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<1000xf32>>
}

gpuvm.program @middle(%x: tensor<4x1024x256xf32>) -> (y: tensor<4x1024x256xf32>) {
  %y = gpuvm.stage @softmax(%in = %x : tensor<4x1024x256xf32>) -> tensor<4x1024x256xf32> {
    %empty = tensor.empty() : tensor<4x1024x256xf32>
    %r = linalg.softmax dimension(1) ins(%in : tensor<4x1024x256xf32>) outs(%empty : tensor<4x1024x256xf32>) -> tensor<4x1024x256xf32>
    gpuvm.send %r : tensor<4x1024x256xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4x1024x256xf32>>
}

gpuvm.program @narrow(%x: tensor<65536x64xf32>) -> (y: tensor<65536x64xf32>) {
  %y = gpuvm.stage @softmax(%in = %x : tensor<65536x64xf32>) -> tensor<65536x64xf32> {
    %empty = tensor.empty() : tensor<65536x64xf32>
    %r = linalg.softmax dimension(0) ins(%in : tensor<65536x64xf32>) outs(%empty : tensor<65536x64xf32>) -> tensor<65536x64xf32>
    gpuvm.send %r : tensor<65536x64xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<65536x64xf32>>
}
