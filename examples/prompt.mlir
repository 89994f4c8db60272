// Prompts of a language model that are put together on the device, for examples with a model (../docs/language-models.md).
//
// A prompt is five parts, one after the other. One of them may be a row of a table, such as
// the passage that a search has found. Programs for others to call (--link=prompt.mlir).

gpuvm.parameter @context = 512 "of the model"
gpuvm.parameter @part = 128 "tokens of a part of a prompt, at most"
gpuvm.parameter @rows = 100 "of the table"

!parts = tensor<5x@part@xi32>
!lengths = tensor<5xi32>
!prompt = tensor<@context@xi32>
!table = tensor<@rows@x@part@xi32>
!rows = tensor<@rows@xi32>
!word = tensor<i32>

// Makes part 1 row `number` of the table.
gpuvm.program private @insert(%parts: !parts, %lengths: !lengths, %table: !table, %rows: !rows, %number: !word) -> (p: !parts, n: !lengths) {
  %p, %n = gpuvm.stage @insert(%x = %parts : !parts, %l = %lengths : !lengths, %t = %table : !table, %r = %rows : !rows, %k = %number : !word)
      -> (!parts, !lengths) {
    %row = gpuvm.gather %t[%k] : !table, !word -> tensor<@part@xi32>
    %count = gpuvm.gather %r[%k] : !rows, !word -> !word
    %e = tensor.empty() : !parts
    %y = linalg.generic {indexing_maps = [affine_map<(p, i) -> (p, i)>, affine_map<(p, i) -> (i)>, affine_map<(p, i) -> (p, i)>],
                         iterator_types = ["parallel", "parallel"]} ins(%x, %row : !parts, tensor<@part@xi32>) outs(%e : !parts) {
    ^bb0(%old: i32, %new: i32, %o: i32):
      %part = linalg.index 0 : index
      %one = arith.constant 1 : index
      %is = arith.cmpi eq, %part, %one : index
      %s = arith.select %is, %new, %old : i32
      linalg.yield %s : i32
    } -> !parts
    %f = tensor.empty() : !lengths
    %m = linalg.generic {indexing_maps = [affine_map<(p) -> (p)>, affine_map<(p) -> ()>, affine_map<(p) -> (p)>],
                         iterator_types = ["parallel"]} ins(%l, %count : !lengths, !word) outs(%f : !lengths) {
    ^bb0(%old: i32, %new: i32, %o: i32):
      %part = linalg.index 0 : index
      %one = arith.constant 1 : index
      %is = arith.cmpi eq, %part, %one : index
      %s = arith.select %is, %new, %old : i32
      linalg.yield %s : i32
    } -> !lengths
    gpuvm.send %y, %m : !parts, !lengths
  }
  gpuvm.return %p, %n : !gpuvm.message<!parts>, !gpuvm.message<!lengths>
}

// The tokens of all parts, zeros after them, and how many there are.
gpuvm.program private @join(%parts: !parts, %lengths: !lengths) -> (prompt: !prompt, length: !word) {
  %prompt, %length = gpuvm.stage @join(%x = %parts : !parts, %l = %lengths : !lengths) -> (!prompt, !word) {
    %zeros = arith.constant dense<0> : !lengths
    // Where each part ends.
    %ends = linalg.generic {indexing_maps = [affine_map<(p, q) -> (q)>, affine_map<(p, q) -> (p)>], iterator_types = ["parallel", "reduction"]}
        ins(%l : !lengths) outs(%zeros : !lengths) {
    ^bb0(%count: i32, %sum: i32):
      %p = linalg.index 0 : index
      %q = linalg.index 1 : index
      %is = arith.cmpi ule, %q, %p : index
      %no = arith.constant 0 : i32
      %own = arith.select %is, %count, %no : i32
      %s = arith.addi %sum, %own : i32
      linalg.yield %s : i32
    } -> !lengths
    %total = tensor.extract_slice %ends[4] [1] [1] : !lengths to !word
    // Token i is that many places after place i of all parts: what the parts before it have left of their @part.
    %none = arith.constant dense<0> : !prompt
    %skipped = linalg.generic {indexing_maps = [affine_map<(i, p) -> (p)>, affine_map<(i, p) -> (p)>, affine_map<(i, p) -> (i)>],
                               iterator_types = ["parallel", "reduction"]} ins(%ends, %l : !lengths, !lengths) outs(%none : !prompt) {
    ^bb0(%end: i32, %count: i32, %sum: i32):
      %i = linalg.index 0 : index
      %i32 = arith.index_cast %i : index to i32
      %isAfter = arith.cmpi sle, %end, %i32 : i32
      %room = arith.constant @part@ : i32
      %left = arith.subi %room, %count : i32
      %no = arith.constant 0 : i32
      %own = arith.select %isAfter, %left, %no : i32
      %s = arith.addi %sum, %own : i32
      linalg.yield %s : i32
    } -> !prompt
    %e = tensor.empty() : !prompt
    %places = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%skipped : !prompt) outs(%e : !prompt) {
    ^bb0(%s: i32, %o: i32):
      %i = linalg.index 0 : index
      %i32 = arith.index_cast %i : index to i32
      %place = arith.addi %i32, %s : i32
      %last = arith.constant @5 * part - 1@ : i32
      %within = arith.minsi %place, %last : i32
      linalg.yield %within : i32
    } -> !prompt
    %all = tensor.collapse_shape %x [[0, 1]] : !parts into tensor<@5 * part@xi32>
    %tokens = gpuvm.gather %all[%places] : tensor<@5 * part@xi32>, !prompt -> !prompt
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%tokens, %total : !prompt, !word) outs(%e : !prompt) {
    ^bb0(%token: i32, %n: i32, %o: i32):
      %i = linalg.index 0 : index
      %i32 = arith.index_cast %i : index to i32
      %is = arith.cmpi slt, %i32, %n : i32
      %no = arith.constant 0 : i32
      %s = arith.select %is, %token, %no : i32
      linalg.yield %s : i32
    } -> !prompt
    gpuvm.send %r, %total : !prompt, !word
  }
  gpuvm.return %prompt, %length : !gpuvm.message<!prompt>, !gpuvm.message<!word>
}
