// Exchanges that do not depend on one another are one, and come as early as they can.

// RUN: gpuvm-opt %s --gpuvm-merge-exchanges | FileCheck %s --check-prefix=MERGED
// RUN: gpuvm-opt %s --gpuvm-merge-exchanges --gpuvm-schedule | FileCheck %s --check-prefix=SCHEDULED

// MERGED-LABEL: gpuvm.program @several
// SCHEDULED-LABEL: gpuvm.program @several
gpuvm.program @several(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (a: tensor<8xf32>, b: tensor<8xf32>, c: tensor<8xf32>) ranks(2) {
  // What the first exchange needs, and what it does not.
  %far = flow.dispatch @far map ["far"] (%y) {
  ^bb0(%v: tensor<8xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%v : tensor<8xf32>) outs(%v : tensor<8xf32>) {
    ^bb0(%e: f32, %o: f32):
      %n = arith.negf %e : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    gpuvm.yield %s : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %near = flow.dispatch @near map ["near"] (%x) {
  ^bb0(%v: tensor<8xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%v : tensor<8xf32>) outs(%v : tensor<8xf32>) {
    ^bb0(%e: f32, %o: f32):
      %n = arith.addf %e, %e : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    gpuvm.yield %s : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // MERGED: flow.dispatch @near
  // MERGED: %[[BOTH:.*]]:2 = flow.exchange [#gpuvm.transfer<kind = shift, offset = 1, rotate = true>, #gpuvm.transfer<kind = shift, offset = -1, rotate = true>] ["one", "two"](%{{.*}}, %x)
  // MERGED: flow.dispatch @use
  // MERGED: flow.exchange [#gpuvm.transfer<kind = shift, offset = 1, rotate = true>] ["last"]
  // MERGED-NOT: flow.exchange
  // SCHEDULED-NOT: flow.dispatch @far
  // SCHEDULED: flow.dispatch @near
  // SCHEDULED-NOT: flow.dispatch @far
  // SCHEDULED: flow.exchange
  // SCHEDULED-NOT: flow.dispatch @use
  // SCHEDULED: flow.dispatch @far
  // SCHEDULED: flow.dispatch @use
  // SCHEDULED: flow.exchange
  %one = flow.exchange [#gpuvm.transfer<kind = shift, offset = 1, rotate = true>] ["one"] (%near) : (tensor<8xf32>) -> tensor<8xf32>
  %two = flow.exchange [#gpuvm.transfer<kind = shift, offset = -1, rotate = true>] ["two"] (%x) : (tensor<8xf32>) -> tensor<8xf32>
  %use = flow.dispatch @use map ["use"] (%one, %two) {
  ^bb0(%v: tensor<8xf32>, %w: tensor<8xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%v, %w : tensor<8xf32>, tensor<8xf32>) outs(%v : tensor<8xf32>) {
    ^bb0(%e: f32, %f: f32, %o: f32):
      %n = arith.addf %e, %f : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    gpuvm.yield %s : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %last = flow.exchange [#gpuvm.transfer<kind = shift, offset = 1, rotate = true>] ["last"] (%use) : (tensor<8xf32>) -> tensor<8xf32>
  gpuvm.return %last, %far, %two : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
