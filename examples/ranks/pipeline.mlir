// Blocks of a network in a row of ranks, each with the weights of its own (a layer
// split): batches go through them one after the other, and all ranks work at the same
// time on different batches. In each step a rank gets a batch of the rank before it; the
// first one takes the next input, the last one has the output of `ranks` - 1 steps ago.
//
//   gpuvm-compile pipeline.mlir --set ranks=4 --set batches=32 -o pipeline.gvplan

gpuvm.parameter @ranks = 2 in 1 to 64
gpuvm.parameter @batches = 8
gpuvm.parameter @rows = 16 "of a batch"
gpuvm.parameter @model = 128
gpuvm.parameter @hidden = 512
gpuvm.parameter @steps = @batches + ranks - 1@
gpuvm.parameter @late = @ranks - 1@
gpuvm.parameter @lastBatch = @batches - 1@

!x = tensor<@rows@x@model@xf32>
!all = tensor<@batches@x@rows@x@model@xf32>
!up = tensor<@model@x@hidden@xf32>
!down = tensor<@hidden@x@model@xf32>
!act = tensor<@rows@x@hidden@xf32>
#all = affine_map<(t, d) -> (t, d)>

// Only the first rank's `inputs` are read, and only the last rank's `outputs` mean anything.
gpuvm.program @pipeline(%inputs: !all, %w1: !up, %w2: !down) -> (outputs: !all) ranks(@ranks@) {
  %none:3 = gpuvm.stage @none() -> (!x, !all, tensor<i32>) {
    %v = arith.constant dense<0.0> : !x
    %a = arith.constant dense<0.0> : !all
    %i = arith.constant dense<0> : tensor<i32>
    gpuvm.send %v, %a, %i : !x, !all, tensor<i32>
  }
  %rank = gpuvm.rank : tensor<i32>
  %end:3 = gpuvm.repeat @step up_to @steps@ (%came = %none#0 : !gpuvm.message<!x>, %kept = %none#1 : !gpuvm.message<!all>,
      %i = %none#2 : !gpuvm.message<tensor<i32>>) {
    %in = gpuvm.stage @take(%c = %came : !gpuvm.message<!x>, %all = %inputs : !all, %n = %i : !gpuvm.message<tensor<i32>>, %r = %rank : tensor<i32>) -> !x {
      %e = tensor.empty() : !x
      %v = linalg.generic {indexing_maps = [#all, affine_map<(t, d) -> ()>, affine_map<(t, d) -> ()>, #all], iterator_types = ["parallel", "parallel"]}
          ins(%c, %n, %r : !x, tensor<i32>, tensor<i32>) outs(%e : !x) {
      ^bb0(%before: f32, %number: i32, %own: i32, %unused: f32):
        %t = linalg.index 0 : index
        %d = linalg.index 1 : index
        %zero = arith.constant 0 : i32
        %most = arith.constant @lastBatch@ : i32
        %least = arith.minsi %number, %most : i32
        %batch = arith.index_cast %least : i32 to index
        %given = tensor.extract %all[%batch, %t, %d] : !all
        %isFirst = arith.cmpi eq, %own, %zero : i32
        %x = arith.select %isFirst, %given, %before : f32
        linalg.yield %x : f32
      } -> !x
      gpuvm.send %v : !x
    }
    %out = gpuvm.stage @block(%x = %in : !gpuvm.message<!x>, %a = %w1 : !up, %b = %w2 : !down) -> !x {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : !act
      %z = linalg.fill ins(%zero : f32) outs(%e : !act) -> !act
      %h = linalg.matmul ins(%x, %a : !x, !up) outs(%z : !act) -> !act
      %none1 = arith.constant dense<0.0> : !act
      %p = arith.maximumf %h, %none1 : !act
      %xe = tensor.empty() : !x
      %xz = linalg.fill ins(%zero : f32) outs(%xe : !x) -> !x
      %f = linalg.matmul ins(%p, %b : !act, !down) outs(%xz : !x) -> !x
      %y = arith.addf %x, %f : !x
      gpuvm.send %y : !x
    }
    %next = gpuvm.shift %out offset(1) : !gpuvm.message<!x>
    %keep, %j = gpuvm.stage @keep(%y = %out : !gpuvm.message<!x>, %k = %kept : !gpuvm.message<!all>, %n = %i : !gpuvm.message<tensor<i32>>)
        -> (!all, tensor<i32>) {
      %e = tensor.empty() : !all
      %v = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (t, d)>, affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> ()>,
                                            affine_map<(b, t, d) -> (b, t, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%y, %k, %n : !x, !all, tensor<i32>) outs(%e : !all) {
      ^bb0(%new: f32, %old: f32, %number: i32, %unused: f32):
        %b = linalg.index 0 : index
        %late = arith.constant @late@ : i32
        %batch = arith.subi %number, %late : i32
        %own = arith.index_cast %b : index to i32
        %is = arith.cmpi eq, %own, %batch : i32
        %r = arith.select %is, %new, %old : f32
        linalg.yield %r : f32
      } -> !all
      %one = arith.constant dense<1> : tensor<i32>
      %m = arith.addi %n, %one : tensor<i32>
      gpuvm.send %v, %m : !all, tensor<i32>
    }
    gpuvm.next %next, %keep, %j : !x, !gpuvm.message<!all>, !gpuvm.message<tensor<i32>>
  }
  gpuvm.return %end#1 : !gpuvm.message<!all>
}
