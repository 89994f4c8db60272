// A filter of 257 taps, y[n] = sum of taps[k] x[n - k], once tap by tap and once by spectra:
// blocks of 1024 samples of which 768 are new (overlap-save), two of them at a time as the
// real and imaginary parts of one signal, convolved in one kernel.
//
// The signal begins with the 256 samples before the first one of the result.
//
//   gpuvm-compile filter.mlir -o filter.gvplan
//   gpuvm-run filter.gvplan --input=signal=@signal.npy --input=taps=@taps.npy \
//       --output=direct=@direct.npy --output=fast=@fast.npy

gpuvm.program @filter(%signal: tensor<49408xf32>, %taps: tensor<257xf32>) -> (direct: tensor<49152xf32>, fast: tensor<49152xf32>) {
  %direct = gpuvm.stage @direct(%x = %signal : tensor<49408xf32>, %h = %taps : tensor<257xf32>) -> tensor<49152xf32> {
    %zero = arith.constant dense<0.0> : tensor<49152xf32>
    %y = linalg.generic {
        indexing_maps = [affine_map<(n, k) -> (n - k + 256)>, affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%x, %h : tensor<49408xf32>, tensor<257xf32>) outs(%zero : tensor<49152xf32>) {
    ^bb0(%sample: f32, %tap: f32, %sum: f32):
      %product = arith.mulf %sample, %tap : f32
      %new = arith.addf %sum, %product : f32
      linalg.yield %new : f32
    } -> tensor<49152xf32>
    gpuvm.send %y : tensor<49152xf32>
  }
  %spectrum = gpuvm.stage @spectrum(%h = %taps : tensor<257xf32>) -> tensor<1024x2xf32> {
    %zero = arith.constant 0.0 : f32
    %taps2 = tensor.expand_shape %h [[0, 1]] output_shape [257, 1] : tensor<257xf32> into tensor<257x1xf32>
    %padded = tensor.pad %taps2 low[0, 0] high[767, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<257x1xf32> to tensor<1024x2xf32>
    %s = gpuvm.fft %padded : tensor<1024x2xf32> -> tensor<1024x2xf32>
    gpuvm.send %s : tensor<1024x2xf32>
  }
  %fast = gpuvm.stage @fast(%x = %signal : tensor<49408xf32>, %h = %spectrum : !gpuvm.message<tensor<1024x2xf32>>) -> tensor<49152xf32> {
    // Block b has the 768 new samples of row b and the first 256 of the next row.
    %head = tensor.extract_slice %x[0] [49152] [1] : tensor<49408xf32> to tensor<49152xf32>
    %rows = tensor.expand_shape %head [[0, 1]] output_shape [64, 768] : tensor<49152xf32> into tensor<64x768xf32>
    %zero = arith.constant 0.0 : f32
    %tail = tensor.extract_slice %x[768] [48640] [1] : tensor<49408xf32> to tensor<48640xf32>
    %long = tensor.pad %tail low[0] high[512] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<48640xf32> to tensor<49152xf32>
    %next = tensor.expand_shape %long [[0, 1]] output_shape [64, 768] : tensor<49152xf32> into tensor<64x768xf32>
    %overlap = tensor.extract_slice %next[0, 0] [64, 256] [1, 1] : tensor<64x768xf32> to tensor<64x256xf32>
    %blocks = tensor.concat dim(1) %rows, %overlap : (tensor<64x768xf32>, tensor<64x256xf32>) -> tensor<64x1024xf32>
    %pairs = tensor.expand_shape %blocks [[0, 1], [2]] output_shape [32, 2, 1024] : tensor<64x1024xf32> into tensor<32x2x1024xf32>
    %empty = tensor.empty() : tensor<32x1024x2xf32>
    %complex = linalg.transpose ins(%pairs : tensor<32x2x1024xf32>) outs(%empty : tensor<32x1024x2xf32>) permutation = [0, 2, 1]
    %spectra = linalg.broadcast ins(%h : tensor<1024x2xf32>) outs(%empty : tensor<32x1024x2xf32>) dimensions = [0]
    %filtered = gpuvm.convolve %complex, %spectra : tensor<32x1024x2xf32>
    // What the first 256 of each block wrap around to is not wanted.
    %new = tensor.extract_slice %filtered[0, 256, 0] [32, 768, 2] [1, 1, 1] : tensor<32x1024x2xf32> to tensor<32x768x2xf32>
    %init = tensor.empty() : tensor<32x2x768xf32>
    %parts = linalg.transpose ins(%new : tensor<32x768x2xf32>) outs(%init : tensor<32x2x768xf32>) permutation = [0, 2, 1]
    %y = tensor.collapse_shape %parts [[0, 1, 2]] : tensor<32x2x768xf32> into tensor<49152xf32>
    gpuvm.send %y : tensor<49152xf32>
  }
  gpuvm.return %direct, %fast : !gpuvm.message<tensor<49152xf32>>, !gpuvm.message<tensor<49152xf32>>
}
