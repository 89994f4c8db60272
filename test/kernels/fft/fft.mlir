// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=2x4x2xf32=1,0,2,0,3,0,4,0,1,0,0,0,0,0,0,0 --input=r=4xf32=1,2,3,4 | FileCheck %s

// Of four small whole numbers nothing is rounded.
// CHECK-DAG: there: 2x4x2xf32={{\[\[}}10 0][-2 2][-2 0][-2 -2]]{{\[\[}}1 0][1 0][1 0][1 0]]
// CHECK-DAG: back: 4x2x2xf32={{\[\[}}1 0][1 0]]{{\[\[}}2 0][0 0]]{{\[\[}}3 0][0 0]]{{\[\[}}4 0][0 0]]
// CHECK-DAG: twice: 2x4x2xf32={{\[\[}}26 0][28 0][26 0][20 0]]{{\[\[}}1 0][0 0][0 0][0 0]]
// CHECK-DAG: half: 3x2xf32=[10 0][-2 2][-2 0]{{$}}
// CHECK-DAG: again: 4xf32=1 2 3 4
gpuvm.program @fft(%x: tensor<2x4x2xf32>, %r: tensor<4xf32>) -> (there: tensor<2x4x2xf32>, back: tensor<4x2x2xf32>, twice: tensor<2x4x2xf32>, half: tensor<3x2xf32>, again: tensor<4xf32>) {
  %there = gpuvm.stage @there(%a = %x : tensor<2x4x2xf32>) -> tensor<2x4x2xf32> {
    %y = gpuvm.fft %a : tensor<2x4x2xf32> -> tensor<2x4x2xf32>
    gpuvm.send %y : tensor<2x4x2xf32>
  }
  %back = gpuvm.stage @back(%a = %there : !gpuvm.message<tensor<2x4x2xf32>>) -> tensor<4x2x2xf32> {
    %y = gpuvm.fft %a inverse to 0 : tensor<2x4x2xf32> -> tensor<4x2x2xf32>
    gpuvm.send %y : tensor<4x2x2xf32>
  }
  %twice = gpuvm.stage @twice(%a = %x : tensor<2x4x2xf32>, %h = %there : !gpuvm.message<tensor<2x4x2xf32>>) -> tensor<2x4x2xf32> {
    %y = gpuvm.convolve %a, %h : tensor<2x4x2xf32>
    gpuvm.send %y : tensor<2x4x2xf32>
  }
  %half = gpuvm.stage @half(%a = %r : tensor<4xf32>) -> tensor<3x2xf32> {
    %y = gpuvm.rfft %a : tensor<4xf32> -> tensor<3x2xf32>
    gpuvm.send %y : tensor<3x2xf32>
  }
  %again = gpuvm.stage @again(%a = %half : !gpuvm.message<tensor<3x2xf32>>) -> tensor<4xf32> {
    %y = gpuvm.irfft %a : tensor<3x2xf32> -> tensor<4xf32>
    gpuvm.send %y : tensor<4xf32>
  }
  gpuvm.return %there, %back, %twice, %half, %again : !gpuvm.message<tensor<2x4x2xf32>>, !gpuvm.message<tensor<4x2x2xf32>>, !gpuvm.message<tensor<2x4x2xf32>>, !gpuvm.message<tensor<3x2xf32>>, !gpuvm.message<tensor<4xf32>>
}
