// Instances of one stage with registers of their own: agents that walk over a
// terrain all of them see, at the price of energy. Each says its status; a stage
// that schedules them parks the tired for three turns and wakes them again,
// 12 turns in one submit. instances.py is the same in NumPy, for 100,000 agents;
// the interpreter runs 500 of them.

// REQUIRES: numpy
// RUN: sed 's/100000/500/g' %s > %t.500.mlir
// RUN: %python %S/instances.py %t %s 100000 run
// RUN: %python %S/instances.py %t %t.500.mlir 500 interpret

!agents = tensor<100000x4xf32>
!words = tensor<100000xi32>
!masks = tensor<100000xi1>
gpuvm.program @agents(%start: !agents) -> (active: tensor<12xi32>, worst: tensor<12xi32>, tired: tensor<i32>, farthest: tensor<f32>) {
  // x, energy, steps, and what its last step took.
  gpuvm.register @agents : !agents
  gpuvm.heap @terrain : tensor<8xf32> = dense<[0.25, 0.5, 0.25, 1.0, 2.0, 1.5, 0.25, 0.75]> : tensor<8xf32>
  gpuvm.stage @place instances(100000) (%own = %start : !agents) {
    gpuvm.store own %own, @agents : tensor<4xf32>
  }
  %awake = arith.constant dense<true> : !masks
  %none = arith.constant dense<0> : !words
  %zeros = arith.constant dense<0> : tensor<12xi32>
  %zero = arith.constant dense<0> : tensor<i32>
  %far = arith.constant dense<0.0> : tensor<f32>
  %mask, %rest, %counts, %statuses, %turn, %tired, %most = gpuvm.repeat @turns up_to 12
      (%m = %awake : !masks, %r = %none : !words, %c = %zeros : tensor<12xi32>, %s = %zeros : tensor<12xi32>, %t = %zero : tensor<i32>,
       %z = %zero : tensor<i32>, %f = %far : tensor<f32>) {
    %moved = gpuvm.stage @walk instances(100000) when(%m : !gpuvm.message<!masks>) () -> !agents {
      %old = gpuvm.load own @agents : tensor<4xf32>
      %terrain = gpuvm.load @terrain : tensor<8xf32>
      %e = tensor.empty() : tensor<4xf32>
      %new = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
      ^bb0(%unused: f32):
        %i = linalg.index 0 : index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %one = arith.constant 1.0 : f32
        %full = arith.constant 3.0 : f32
        %seven = arith.constant 7 : i32
        %x = tensor.extract %old[%c0] : tensor<4xf32>
        %left = tensor.extract %old[%c1] : tensor<4xf32>
        %steps = tensor.extract %old[%c2] : tensor<4xf32>
        %isEmpty = arith.cmpf olt, %left, %one : f32
        %energy = arith.select %isEmpty, %full, %left : f32
        %at = arith.fptosi %x : f32 to i32
        %cell = arith.andi %at, %seven : i32
        %row = arith.index_cast %cell : i32 to index
        %price = tensor.extract %terrain[%row] : tensor<8xf32>
        %rest = arith.subf %energy, %price : f32
        %further = arith.addf %x, %one : f32
        %more = arith.addf %steps, %one : f32
        %is0 = arith.cmpi eq, %i, %c0 : index
        %is1 = arith.cmpi eq, %i, %c1 : index
        %is2 = arith.cmpi eq, %i, %c2 : index
        %a = arith.select %is2, %more, %price : f32
        %b = arith.select %is1, %rest, %a : f32
        %n = arith.select %is0, %further, %b : f32
        linalg.yield %n : f32
      } -> tensor<4xf32>
      gpuvm.store own %new, @agents : tensor<4xf32>
      %energy = tensor.extract_slice %new[1] [1] [1] : tensor<4xf32> to tensor<f32>
      %least = arith.constant dense<1.0> : tensor<f32>
      %tired = arith.cmpf olt, %energy, %least : tensor<f32>
      %attention = arith.constant dense<2> : tensor<i32>
      %ok = arith.constant dense<0> : tensor<i32>
      %status = arith.select %tired, %attention, %ok : tensor<i1>, tensor<i32>
      gpuvm.send %new : tensor<4xf32> status(%status : tensor<i32>)
    }
    %next, %resting, %counted, %seen, %later = gpuvm.stage @schedule(%a = %moved : !gpuvm.message<!agents>, %old = %r : !gpuvm.message<!words>,
        %now = %m : !gpuvm.message<!masks>, %so = %c : !gpuvm.message<tensor<12xi32>>, %was = %s : !gpuvm.message<tensor<12xi32>>,
        %i = %t : !gpuvm.message<tensor<i32>>) -> (!masks, !words, tensor<12xi32>, tensor<12xi32>, tensor<i32>) {
      %each = gpuvm.metadata status of %a : !agents -> !words
      %worst = gpuvm.metadata status of %a : !agents -> tensor<i32>
      %zero2 = arith.constant dense<0> : !words
      %one = arith.constant dense<1> : !words
      %three = arith.constant dense<3> : !words
      %isTired = arith.cmpi ne, %each, %zero2 : !words
      %less = arith.subi %old, %one : !words
      %fewer = arith.maxsi %less, %zero2 : !words
      %new = arith.select %isTired, %three, %fewer : !masks, !words
      %wakes = arith.cmpi eq, %new, %zero2 : !words
      %active = arith.extui %now : !masks to !words
      %nothing = arith.constant dense<0> : tensor<i32>
      %number = linalg.reduce { arith.addi } ins(%active : !words) outs(%nothing : tensor<i32>) dimensions = [0]
      %numbers = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>, affine_map<(k) -> ()>, affine_map<(k) -> (k)>], iterator_types = ["parallel"]}
          ins(%so, %number, %i : tensor<12xi32>, tensor<i32>, tensor<i32>) outs(%so : tensor<12xi32>) {
      ^bb0(%v: i32, %n: i32, %turn2: i32, %o: i32):
        %k = linalg.index 0 : index
        %w = arith.index_cast %k : index to i32
        %here = arith.cmpi eq, %w, %turn2 : i32
        %q = arith.select %here, %n, %v : i32
        linalg.yield %q : i32
      } -> tensor<12xi32>
      %worsts = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>, affine_map<(k) -> ()>, affine_map<(k) -> (k)>], iterator_types = ["parallel"]}
          ins(%was, %worst, %i : tensor<12xi32>, tensor<i32>, tensor<i32>) outs(%was : tensor<12xi32>) {
      ^bb0(%v: i32, %n: i32, %turn2: i32, %o: i32):
        %k = linalg.index 0 : index
        %w = arith.index_cast %k : index to i32
        %here = arith.cmpi eq, %w, %turn2 : i32
        %q = arith.select %here, %n, %v : i32
        linalg.yield %q : i32
      } -> tensor<12xi32>
      %step = arith.constant dense<1> : tensor<i32>
      %j = arith.addi %i, %step : tensor<i32>
      gpuvm.send %wakes, %new, %numbers, %worsts, %j : !masks, !words, tensor<12xi32>, tensor<12xi32>, tensor<i32>
    }
    // Each receiver sees the words of the one it follows.
    %isTired, %size = gpuvm.stage @follow instances(100000) (%a = %moved : !gpuvm.message<!agents>) -> (!words, tensor<100000xf32>) {
      %own = gpuvm.metadata status of %a : tensor<4xf32> -> tensor<i32>
      %norm = gpuvm.metadata max_abs of %a : tensor<4xf32> -> tensor<f32>
      gpuvm.send %own, %norm : tensor<i32>, tensor<f32>
    }
    %sum, %top = gpuvm.stage @total(%w = %isTired : !gpuvm.message<!words>, %v = %size : !gpuvm.message<tensor<100000xf32>>,
        %so = %z : !gpuvm.message<tensor<i32>>, %best = %f : !gpuvm.message<tensor<f32>>) -> (tensor<i32>, tensor<f32>) {
      %more = linalg.reduce { arith.addi } ins(%w : !words) outs(%so : tensor<i32>) dimensions = [0]
      %max = linalg.reduce { arith.maximumf } ins(%v : tensor<100000xf32>) outs(%best : tensor<f32>) dimensions = [0]
      gpuvm.send %more, %max : tensor<i32>, tensor<f32>
    }
    gpuvm.next %next, %resting, %counted, %seen, %later, %sum, %top : !gpuvm.message<!masks>, !gpuvm.message<!words>, !gpuvm.message<tensor<12xi32>>,
        !gpuvm.message<tensor<12xi32>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<f32>>
  }
  gpuvm.return %counts, %statuses, %tired, %most : !gpuvm.message<tensor<12xi32>>, !gpuvm.message<tensor<12xi32>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<f32>>
}
