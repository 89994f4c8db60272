// Which of eight announcements a recording of 2 s is: the one whose bands, over time, it is most like, wherever it begins.
//
// 96 frames of 1,024 samples, the power in 24 bands of frequencies of each, its logarithm, from which the mean of each band is subtracted:
// how loud the recording is, and how the room and the microphone colour it, does not matter. Templates are the same of clean recordings.

!bands = tensor<96x24xf32>
!power = tensor<96x513xf32>

gpuvm.program private @classify(%sound: tensor<98304xf32>, %window: tensor<1024xf32>, %bank: tensor<513x24xf32>, %templates: tensor<8x96x24xf32>)
    -> (label: tensor<i32>, likeness: tensor<8xf32>) {
  %bands = gpuvm.stage @listen(%x = %sound : tensor<98304xf32>, %w = %window : tensor<1024xf32>, %b = %bank : tensor<513x24xf32>) -> !bands {
    %frames = tensor.expand_shape %x [[0, 1]] output_shape [96, 1024] : tensor<98304xf32> into tensor<96x1024xf32>
    %empty = tensor.empty() : tensor<96x1024xf32>
    %ws = linalg.broadcast ins(%w : tensor<1024xf32>) outs(%empty : tensor<96x1024xf32>) dimensions = [0]
    %windowed = arith.mulf %frames, %ws : tensor<96x1024xf32>
    %spectra = gpuvm.rfft %windowed : tensor<96x1024xf32> -> tensor<96x513x2xf32>
    %re = tensor.extract_slice %spectra[0, 0, 0] [96, 513, 1] [1, 1, 1] : tensor<96x513x2xf32> to !power
    %im = tensor.extract_slice %spectra[0, 0, 1] [96, 513, 1] [1, 1, 1] : tensor<96x513x2xf32> to !power
    %re2 = arith.mulf %re, %re : !power
    %im2 = arith.mulf %im, %im : !power
    %power = arith.addf %re2, %im2 : !power
    %least = arith.constant dense<1.0e-3> : !bands
    %sums = linalg.matmul ins(%power, %b : !power, tensor<513x24xf32>) outs(%least : !bands) -> !bands
    %log = math.log %sums : !bands
    %zeros = arith.constant dense<0.0> : tensor<24xf32>
    %sum = linalg.reduce { arith.addf } ins(%log : !bands) outs(%zeros : tensor<24xf32>) dimensions = [0]
    %part = arith.constant dense<0.010416667> : tensor<24xf32>
    %mean = arith.mulf %sum, %part : tensor<24xf32>
    %e = tensor.empty() : !bands
    %means = linalg.broadcast ins(%mean : tensor<24xf32>) outs(%e : !bands) dimensions = [0]
    %y = arith.subf %log, %means : !bands
    gpuvm.send %y : !bands
  }
  // Up to 16 frames earlier or later.
  %label, %likeness = gpuvm.stage @compare(%x = %bands : !gpuvm.message<!bands>, %t = %templates : tensor<8x96x24xf32>) -> (tensor<i32>, tensor<8xf32>) {
    %nothing = arith.constant 0.0 : f32
    %wide = tensor.pad %x low[16, 0] high[16, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %nothing : f32
    } : !bands to tensor<128x24xf32>
    %zeros = arith.constant dense<0.0> : tensor<8x33xf32>
    %all = linalg.generic {indexing_maps = [affine_map<(c, s, t, b) -> (s + t, b)>, affine_map<(c, s, t, b) -> (c, t, b)>, affine_map<(c, s, t, b) -> (c, s)>],
                           iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%wide, %t : tensor<128x24xf32>, tensor<8x96x24xf32>) outs(%zeros : tensor<8x33xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      linalg.yield %s : f32
    } -> tensor<8x33xf32>
    %low = arith.constant dense<-1.0e30> : tensor<8xf32>
    %best = linalg.reduce { arith.maximumf } ins(%all : tensor<8x33xf32>) outs(%low : tensor<8xf32>) dimensions = [1]
    %top, %place = gpuvm.top_k %best : tensor<8xf32> -> tensor<1xf32>, tensor<1xi32>
    %p = tensor.collapse_shape %place [] : tensor<1xi32> into tensor<i32>
    gpuvm.send %p, %best : tensor<i32>, tensor<8xf32>
  }
  gpuvm.return %label, %likeness : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<8xf32>>
}
