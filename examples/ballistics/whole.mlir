// A duel in one submit: the gunner chooses shots, physics flies them, the gunner learns from where and how hard they came down, and
// goes on until one is within 0.25 m of the target, or for 30 rounds. The three are programs of their own.
//
//     gpuvm-compile whole.mlir --link=aim.mlir --link=flight.mlir --link=judge.mlir -o whole.gvplan

!pair = tensor<2xf32>
!shots = tensor<64xf32>
!number = tensor<f32>
!mp = !gpuvm.message<!pair>
!ms = !gpuvm.message<!shots>
!mn = !gpuvm.message<!number>
!mi = !gpuvm.message<tensor<i32>>
gpuvm.program @whole(%ground: tensor<256xf32>, %wind: !number, %target: !number, %centre: !pair, %width: !pair, %seed: tensor<2xi32>)
    -> (shot: !pair, distance: !number, rounds: tensor<i32>, centre: !pair, width: !pair) {
  %first = arith.constant dense<0> : tensor<i32>
  %far = arith.constant dense<1.0e+06> : !number
  %none = arith.constant dense<0.0> : !pair
  %c, %w, %rounds, %record, %shot = gpuvm.repeat @duel up_to 30
      (%c0 = %centre : !pair, %w0 = %width : !pair, %n = %first : tensor<i32>, %best = %far : !number, %s0 = %none : !pair) {
    %angle, %speed = gpuvm.call @aim as @aim (%c0, %w0, %seed, %n) : (!mp, !mp, tensor<2xi32>, !mi) -> (!ms, !ms)
    %x, %energy, %status = gpuvm.call @flight as @flight (%angle, %speed, %wind, %ground)
        : (!ms, !ms, !number, tensor<256xf32>) -> (!ms, !ms, !gpuvm.message<tensor<64xi32>>)
    %c1, %w1, %s1, %d1, %hit = gpuvm.call @judge as @judge (%angle, %speed, %x, %energy, %status, %target, %w0, %best)
        : (!ms, !ms, !ms, !ms, !gpuvm.message<tensor<64xi32>>, !number, !mp, !mn) -> (!mp, !mp, !mp, !mn, !gpuvm.message<tensor<i1>>)
    // The best so far, with its shot.
    %d2, %s2, %m = gpuvm.stage @keep(%d = %d1 : !mn, %old = %best : !mn, %new = %s1 : !mp, %was = %s0 : !mp, %k = %n : !mi)
        -> (!number, !pair, tensor<i32>) {
      %isBetter = arith.cmpf olt, %d, %old : !number
      %least = arith.select %isBetter, %d, %old : tensor<i1>, !number
      %e = tensor.empty() : !pair
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
          ins(%isBetter, %new, %was : tensor<i1>, !pair, !pair) outs(%e : !pair) {
      ^bb0(%yes: i1, %a: f32, %b: f32, %o: f32):
        %q = arith.select %yes, %a, %b : f32
        linalg.yield %q : f32
      } -> !pair
      %one = arith.constant dense<1> : tensor<i32>
      %next = arith.addi %k, %one : tensor<i32>
      gpuvm.send %least, %r, %next : !number, !pair, tensor<i32>
    }
    gpuvm.next %c1, %w1, %m, %d2, %s2 : !mp, !mp, !mi, !mn, !mp until %hit : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %shot, %record, %rounds, %c, %w : !mp, !mn, !mi, !mp, !mp
}
