// A layer of a transformer whose heads and hidden units are shared out among ranks
// (tensor parallel, as Megatron-LM has it). Each rank computes with its heads and its
// hidden units what they add to every token; two sums of all ranks are all that moves.
//
//   gpuvm-compile transformer.mlir --set ranks=2 -o transformer.gvplan

gpuvm.parameter @ranks = 2 in 1 to 64
gpuvm.parameter @tokens = 64
gpuvm.parameter @model = 128
gpuvm.parameter @heads = 8 "of all ranks"
gpuvm.parameter @depth = 32 "of a head"
gpuvm.parameter @hidden = 512 "of all ranks"
gpuvm.parameter @own = @heads / ranks@
gpuvm.parameter @units = @hidden / ranks@
gpuvm.parameter @wide = @own * depth@
gpuvm.parameter @share = @1.0 / model@
gpuvm.parameter @scale = 0.17677669 "1 / sqrt(depth)"

!x = tensor<@tokens@x@model@xf32>
!gain = tensor<@model@xf32>
!in = tensor<@model@x@wide@xf32>
!out = tensor<@wide@x@model@xf32>
!up = tensor<@model@x@units@xf32>
!down = tensor<@units@x@model@xf32>
!flat = tensor<@tokens@x@wide@xf32>
!split = tensor<@tokens@x@own@x@depth@xf32>
!head = tensor<@own@x@tokens@x@depth@xf32>
!act = tensor<@tokens@x@units@xf32>
!each = tensor<@tokens@xf32>
#all = affine_map<(t, d) -> (t, d)>
#token = affine_map<(t, d) -> (t)>
#dim = affine_map<(t, d) -> (d)>

// Weights are those of the rank's heads and hidden units.
gpuvm.program @layer(%x: !x, %g1: !gain, %wq: !in, %wk: !in, %wv: !in, %wo: !out, %g2: !gain, %w1: !up, %w3: !up, %w2: !down) -> (y: !x) ranks(@ranks@) {
  %n1 = gpuvm.call @norm as @norm1 (%x, %g1) : (!x, !gain) -> !gpuvm.message<!x>
  %o = gpuvm.stage @heads(%n = %n1 : !gpuvm.message<!x>, %q = %wq : !in, %k = %wk : !in, %v = %wv : !in, %w = %wo : !out) -> !x {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : !flat
    %z = linalg.fill ins(%zero : f32) outs(%e : !flat) -> !flat
    %qs = linalg.matmul ins(%n, %q : !x, !in) outs(%z : !flat) -> !flat
    %ks = linalg.matmul ins(%n, %k : !x, !in) outs(%z : !flat) -> !flat
    %vs = linalg.matmul ins(%n, %v : !x, !in) outs(%z : !flat) -> !flat
    %q3 = tensor.expand_shape %qs [[0], [1, 2]] output_shape [@tokens@, @own@, @depth@] : !flat into !split
    %k3 = tensor.expand_shape %ks [[0], [1, 2]] output_shape [@tokens@, @own@, @depth@] : !flat into !split
    %v3 = tensor.expand_shape %vs [[0], [1, 2]] output_shape [@tokens@, @own@, @depth@] : !flat into !split
    %h = tensor.empty() : !head
    %qh = linalg.transpose ins(%q3 : !split) outs(%h : !head) permutation = [1, 0, 2]
    %kh = linalg.transpose ins(%k3 : !split) outs(%h : !head) permutation = [1, 0, 2]
    %vh = linalg.transpose ins(%v3 : !split) outs(%h : !head) permutation = [1, 0, 2]
    %a = gpuvm.attention %qh, %kh, %vh scale @scale@ causal : !head, !head, !head -> !head
    %s = tensor.empty() : !split
    %as = linalg.transpose ins(%a : !head) outs(%s : !split) permutation = [1, 0, 2]
    %af = tensor.collapse_shape %as [[0], [1, 2]] : !split into !flat
    %xe = tensor.empty() : !x
    %xz = linalg.fill ins(%zero : f32) outs(%xe : !x) -> !x
    %r = linalg.matmul ins(%af, %w : !flat, !out) outs(%xz : !x) -> !x
    gpuvm.send %r : !x
  }
  %attended = gpuvm.all_reduce %o add : !gpuvm.message<!x>
  %x1 = gpuvm.stage @add(%a = %x : !x, %b = %attended : !x) -> !x {
    %r = arith.addf %a, %b : !x
    gpuvm.send %r : !x
  }
  %n2 = gpuvm.call @norm as @norm2 (%x1, %g2) : (!gpuvm.message<!x>, !gain) -> !gpuvm.message<!x>
  %f = gpuvm.stage @feed(%n = %n2 : !gpuvm.message<!x>, %a = %w1 : !up, %g = %w3 : !up, %d = %w2 : !down) -> !x {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : !act
    %z = linalg.fill ins(%zero : f32) outs(%e : !act) -> !act
    %up = linalg.matmul ins(%n, %a : !x, !up) outs(%z : !act) -> !act
    %gate = linalg.matmul ins(%n, %g : !x, !up) outs(%z : !act) -> !act
    %h = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%up, %gate : !act, !act) outs(%e : !act) {
    ^bb0(%u: f32, %v: f32, %unused: f32):
      %one = arith.constant 1.0 : f32
      %minus = arith.negf %v : f32
      %exp = math.exp %minus : f32
      %below = arith.addf %one, %exp : f32
      %silu = arith.divf %v, %below : f32
      %r = arith.mulf %silu, %u : f32
      linalg.yield %r : f32
    } -> !act
    %xe = tensor.empty() : !x
    %xz = linalg.fill ins(%zero : f32) outs(%xe : !x) -> !x
    %r = linalg.matmul ins(%h, %d : !act, !down) outs(%xz : !x) -> !x
    gpuvm.send %r : !x
  }
  %fed = gpuvm.all_reduce %f add : !gpuvm.message<!x>
  %y = gpuvm.stage @sum(%a = %x1 : !gpuvm.message<!x>, %b = %fed : !x) -> !x {
    %r = arith.addf %a, %b : !x
    gpuvm.send %r : !x
  }
  gpuvm.return %y : !gpuvm.message<!x>
}

// Each token by the root of the mean of its squares.
gpuvm.program private @norm(%x: !x, %gain: !gain) -> (n: !x) {
  %n = gpuvm.stage @scale(%v = %x : !x, %g = %gain : !gain) -> !x {
    %zero = arith.constant dense<0.0> : !each
    %squares = linalg.generic {indexing_maps = [#all, #token], iterator_types = ["parallel", "reduction"]}
        ins(%v : !x) outs(%zero : !each) {
    ^bb0(%a: f32, %sum: f32):
      %s = arith.mulf %a, %a : f32
      %r = arith.addf %sum, %s : f32
      linalg.yield %r : f32
    } -> !each
    %e = tensor.empty() : !x
    %n = linalg.generic {indexing_maps = [#all, #token, #dim, #all], iterator_types = ["parallel", "parallel"]}
        ins(%v, %squares, %g : !x, !each, !gain) outs(%e : !x) {
    ^bb0(%a: f32, %sum: f32, %b: f32, %unused: f32):
      %share = arith.constant @share@ : f32
      %epsilon = arith.constant 1.0e-5 : f32
      %mean = arith.mulf %sum, %share : f32
      %safe = arith.addf %mean, %epsilon : f32
      %root = math.rsqrt %safe : f32
      %s = arith.mulf %a, %root : f32
      %r = arith.mulf %s, %b : f32
      linalg.yield %r : f32
    } -> !x
    gpuvm.send %n : !x
  }
  gpuvm.return %n : !gpuvm.message<!x>
}
