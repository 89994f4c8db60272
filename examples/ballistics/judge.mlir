// The gunner again: what came of the shots, and what that says for the next ones. A shot is worth the less the further from the
// target it came down, a little more the harder it did, and nothing if it has no status OK. The next shots are around the mean
// of the eight best, as far as these are from each other. A regulator: where no shot was better than the best before, they spread
// by half as much again.

!pair = tensor<2xf32>
!shots = tensor<64xf32>
!best = tensor<8xf32>
!number = tensor<f32>
#own = affine_map<(i) -> (i)>
gpuvm.program @judge(%angle: !shots, %speed: !shots, %x: !shots, %energy: !shots, %status: tensor<64xi32>, %target: !number, %width: !pair,
                     %record: !number)
    -> (centre: !pair, next: !pair, shot: !pair, distance: !number, hit: tensor<i1>) {
  %scores, %off = gpuvm.stage @score(%px = %x : !shots, %e = %energy : !shots, %words = %status : tensor<64xi32>, %t = %target : !number)
      -> (!shots, !shots) {
    %empty = tensor.empty() : !shots
    %made:2 = linalg.generic {indexing_maps = [#own, #own, #own, affine_map<(i) -> ()>, #own, #own], iterator_types = ["parallel"]}
        ins(%px, %e, %words, %t : !shots, !shots, tensor<64xi32>, !number) outs(%empty, %empty : !shots, !shots) {
    ^bb0(%place: f32, %joule: f32, %word: i32, %goal: f32, %o0: f32, %o1: f32):
      %ok = arith.constant 0 : i32
      %lost = arith.constant 1.0e+06 : f32
      %worth = arith.constant 1.0e-04 : f32
      %isGood = arith.cmpi eq, %word, %ok : i32
      %d = arith.subf %place, %goal : f32
      %abs = math.absf %d : f32
      %bonus = arith.mulf %joule, %worth : f32
      %away = arith.select %isGood, %abs, %lost : f32
      %sum = arith.subf %bonus, %abs : f32
      %none = arith.negf %lost : f32
      %score = arith.select %isGood, %sum, %none : f32
      linalg.yield %score, %away : f32, f32
    } -> (!shots, !shots)
    gpuvm.send %made#0, %made#1 : !shots, !shots
  }
  %centre, %next, %shot, %distance, %hit = gpuvm.stage @learn(%s = %scores : !gpuvm.message<!shots>, %d = %off : !gpuvm.message<!shots>,
      %a = %angle : !shots, %v = %speed : !shots, %w = %width : !pair, %before = %record : !number) -> (!pair, !pair, !pair, !number, tensor<i1>) {
    %zero = arith.constant dense<0.0> : !pair
    %eighth = arith.constant dense<0.125> : !pair
    %values, %places = gpuvm.top_k %s : !shots -> !best, tensor<8xi32>
    %angles = gpuvm.gather %a[%places] : !shots, tensor<8xi32> -> !best
    %speeds = gpuvm.gather %v[%places] : !shots, tensor<8xi32> -> !best
    %a1 = tensor.expand_shape %angles [[0, 1]] output_shape [1, 8] : !best into tensor<1x8xf32>
    %v1 = tensor.expand_shape %speeds [[0, 1]] output_shape [1, 8] : !best into tensor<1x8xf32>
    %both = tensor.concat dim(0) %a1, %v1 : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
    %sum = linalg.reduce { arith.addf } ins(%both : tensor<2x8xf32>) outs(%zero : !pair) dimensions = [1]
    %mean = arith.mulf %sum, %eighth : !pair
    %e = tensor.empty() : tensor<2x8xf32>
    %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                               iterator_types = ["parallel", "parallel"]}
        ins(%both, %mean : tensor<2x8xf32>, !pair) outs(%e : tensor<2x8xf32>) {
    ^bb0(%own: f32, %m: f32, %o: f32):
      %apart = arith.subf %own, %m : f32
      %q = arith.mulf %apart, %apart : f32
      linalg.yield %q : f32
    } -> tensor<2x8xf32>
    %total = linalg.reduce { arith.addf } ins(%squares : tensor<2x8xf32>) outs(%zero : !pair) dimensions = [1]
    %variance = arith.mulf %total, %eighth : !pair
    %deviation = math.sqrt %variance : !pair
    %least = arith.constant dense<[0.002, 0.05]> : !pair
    %wide = arith.maximumf %deviation, %least : !pair
    // The best of all shots, and whether that is better than before.
    %first = tensor.extract_slice %places[0] [1] [1] : tensor<8xi32> to tensor<1xi32>
    %d0 = gpuvm.gather %d[%first] : !shots, tensor<1xi32> -> tensor<1xf32>
    %nearest = tensor.collapse_shape %d0 [] : tensor<1xf32> into !number
    %shot1 = tensor.extract_slice %both[0, 0] [2, 1] [1, 1] : tensor<2x8xf32> to !pair
    %isBetter = arith.cmpf olt, %nearest, %before : !number
    %half = arith.constant dense<1.5> : !pair
    %wider = arith.mulf %w, %half : !pair
    %n = tensor.empty() : !pair
    %spread = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #own, #own, #own], iterator_types = ["parallel"]}
        ins(%isBetter, %wide, %wider : tensor<i1>, !pair, !pair) outs(%n : !pair) {
    ^bb0(%yes: i1, %usual: f32, %boosted: f32, %o: f32):
      %r = arith.select %yes, %usual, %boosted : f32
      linalg.yield %r : f32
    } -> !pair
    %near = arith.constant dense<0.25> : !number
    %isHit = arith.cmpf olt, %nearest, %near : !number
    gpuvm.send %mean, %spread, %shot1, %nearest, %isHit : !pair, !pair, !pair, !number, tensor<i1>
  }
  gpuvm.return %centre, %next, %shot, %distance, %hit : !gpuvm.message<!pair>, !gpuvm.message<!pair>, !gpuvm.message<!pair>, !gpuvm.message<!number>,
      !gpuvm.message<tensor<i1>>
}
