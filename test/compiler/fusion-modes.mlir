// Operations share a kernel across stages, in one stage, or not at all.

// RUN: gpuvm-compile %s -o %t.gvplan && gpuvm-plan show %t.gvplan | grep "dispatch for stage" | count 1
// RUN: gpuvm-compile %s --fusion=stages --chains=never -o %t.gvplan && gpuvm-plan show %t.gvplan | grep "dispatch for stage" | count 2
// RUN: gpuvm-compile %s --fusion=never --chains=never -o %t.gvplan && gpuvm-plan show %t.gvplan | grep "dispatch for stage" | count 4
// RUN: gpuvm-compile %s --disable-fusion -o %t.gvplan && gpuvm-plan show %t.gvplan | grep "dispatch for stage" | count 4
// RUN: gpuvm-run %t.gvplan --validate --input=x=4xf32=1,2,3,4 --expected_output=y=4xf32=9,7,5,3
gpuvm.program @modes(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  %a = gpuvm.stage @a(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %n = arith.negf %v : tensor<4xf32>
    %r = arith.addf %n, %one : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %b = gpuvm.stage @b(%v = %a : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %nine = arith.constant dense<9.0> : tensor<4xf32>
    %d = arith.addf %v, %v : tensor<4xf32>
    %r = arith.addf %d, %nine : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %b : !gpuvm.message<tensor<4xf32>>
}
