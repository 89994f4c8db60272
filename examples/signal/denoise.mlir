// A noise gate: the spectrum of every frame of a signal loses the frequencies below a
// threshold (STFT), and the frames are put together again (ISTFT, overlap-add).
//
// A frame is 512 samples, half of it shared with the next one. The window is the square root
// of Hann's, before the transform and after it: what two frames make of a sample adds up to
// the sample. The first and the last half frame are in one frame only and left out.
//
//   gpuvm-compile denoise.mlir -o denoise.gvplan
//   gpuvm-run denoise.gvplan --input=signal=@signal.npy --input=window=@window.npy \
//       --input=threshold=f32=0.5 --output=cleaned=@cleaned.npy

gpuvm.program @denoise(%signal: tensor<65536xf32>, %window: tensor<512xf32>, %threshold: tensor<f32>) -> (cleaned: tensor<65024xf32>) {
  %spectrum = gpuvm.stage @stft(%s = %signal : tensor<65536xf32>, %w = %window : tensor<512xf32>) -> tensor<255x257x2xf32> {
    %halves = tensor.expand_shape %s [[0, 1]] output_shape [256, 256] : tensor<65536xf32> into tensor<256x256xf32>
    %first = tensor.extract_slice %halves[0, 0] [255, 256] [1, 1] : tensor<256x256xf32> to tensor<255x256xf32>
    %second = tensor.extract_slice %halves[1, 0] [255, 256] [1, 1] : tensor<256x256xf32> to tensor<255x256xf32>
    %frames = tensor.concat dim(1) %first, %second : (tensor<255x256xf32>, tensor<255x256xf32>) -> tensor<255x512xf32>
    %empty = tensor.empty() : tensor<255x512xf32>
    %ws = linalg.broadcast ins(%w : tensor<512xf32>) outs(%empty : tensor<255x512xf32>) dimensions = [0]
    %windowed = arith.mulf %frames, %ws : tensor<255x512xf32>
    %x = gpuvm.rfft %windowed : tensor<255x512xf32> -> tensor<255x257x2xf32>
    gpuvm.send %x : tensor<255x257x2xf32>
  }
  %gated = gpuvm.stage @gate(%x = %spectrum : !gpuvm.message<tensor<255x257x2xf32>>, %t = %threshold : tensor<f32>) -> tensor<255x257x2xf32> {
    %empty = tensor.empty() : tensor<255x257x2xf32>
    %y = linalg.generic {
        indexing_maps = [affine_map<(t, k, c) -> (t, k, 0)>, affine_map<(t, k, c) -> (t, k, 1)>,
                         affine_map<(t, k, c) -> (t, k, c)>, affine_map<(t, k, c) -> ()>, affine_map<(t, k, c) -> (t, k, c)>],
        iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %x, %x, %t : tensor<255x257x2xf32>, tensor<255x257x2xf32>, tensor<255x257x2xf32>, tensor<f32>)
        outs(%empty : tensor<255x257x2xf32>) {
    ^bb0(%re: f32, %im: f32, %part: f32, %limit: f32, %out: f32):
      %re2 = arith.mulf %re, %re : f32
      %im2 = arith.mulf %im, %im : f32
      %power = arith.addf %re2, %im2 : f32
      %limit2 = arith.mulf %limit, %limit : f32
      %loud = arith.cmpf oge, %power, %limit2 : f32
      %zero = arith.constant 0.0 : f32
      %kept = arith.select %loud, %part, %zero : f32
      linalg.yield %kept : f32
    } -> tensor<255x257x2xf32>
    gpuvm.send %y : tensor<255x257x2xf32>
  }
  %cleaned = gpuvm.stage @istft(%y = %gated : !gpuvm.message<tensor<255x257x2xf32>>, %w = %window : tensor<512xf32>) -> tensor<65024xf32> {
    %frames = gpuvm.irfft %y : tensor<255x257x2xf32> -> tensor<255x512xf32>
    %empty = tensor.empty() : tensor<255x512xf32>
    %ws = linalg.broadcast ins(%w : tensor<512xf32>) outs(%empty : tensor<255x512xf32>) dimensions = [0]
    %windowed = arith.mulf %frames, %ws : tensor<255x512xf32>
    %before = tensor.extract_slice %windowed[0, 256] [254, 256] [1, 1] : tensor<255x512xf32> to tensor<254x256xf32>
    %behind = tensor.extract_slice %windowed[1, 0] [254, 256] [1, 1] : tensor<255x512xf32> to tensor<254x256xf32>
    %sum = arith.addf %before, %behind : tensor<254x256xf32>
    %flat = tensor.collapse_shape %sum [[0, 1]] : tensor<254x256xf32> into tensor<65024xf32>
    gpuvm.send %flat : tensor<65024xf32>
  }
  gpuvm.return %cleaned : !gpuvm.message<tensor<65024xf32>>
}
