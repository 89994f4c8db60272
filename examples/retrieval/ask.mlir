// A question answered from a text, in one submit: the model reads the question, its vector is compared with those of 100 passages, the
// tokens of the nearest one become part of a prompt, and the model answers.
//
// Part 3 of the prompt is the question, part 1 will be the passage. Vectors of passages have length 1 after the mean of all, `common`, is
// subtracted: most of a vector is the same for every text. The programs that are called are those of the model's plan.
//
//     gpuvm-compile model.gguf --llm-context=512 --llm-chunk=128 --keep-module -o model.gvplan
//     gpuvm-compile ask.mlir --link=../prompt.mlir --link=model.gvplan -o ask.gvplan

gpuvm.parameter @context = 512 "of the model"
gpuvm.parameter @part = 128 "tokens of a part of a prompt, at most"
gpuvm.parameter @rows = 100 "passages"
gpuvm.parameter @width = 576 "of the model's vectors"

!parts = tensor<5x@part@xi32>
!lengths = tensor<5xi32>
!prompt = tensor<@context@xi32>
!table = tensor<@rows@x@part@xi32>
!rows = tensor<@rows@xi32>
!vectors = tensor<@rows@x@width@xf32>
!vector = tensor<@width@xf32>
!word = tensor<i32>
!real = tensor<f32>
!mp = !gpuvm.message<!prompt>
!mw = !gpuvm.message<!word>

gpuvm.program @ask(%parts: !parts, %lengths: !lengths, %passages: !table, %rows: !rows, %vectors: !vectors, %common: !vector,
                   %limit: !word, %ends: tensor<8xi32>) -> (passage: !word, nearness: !real, made: !word) {
  %none = arith.constant dense<0> : !word
  %off = arith.constant dense<0.0> : !real
  %one = arith.constant dense<1> : !word
  %seed = arith.constant dense<0> : tensor<2xi32>

  // The question alone.
  %own = gpuvm.stage @question(%l = %lengths : !lengths) -> !lengths {
    %e = tensor.empty() : !lengths
    %r = linalg.generic {indexing_maps = [affine_map<(p) -> (p)>, affine_map<(p) -> (p)>], iterator_types = ["parallel"]} ins(%l : !lengths) outs(%e : !lengths) {
    ^bb0(%n: i32, %o: i32):
      %p = linalg.index 0 : index
      %three = arith.constant 3 : index
      %is = arith.cmpi eq, %p, %three : index
      %no = arith.constant 0 : i32
      %s = arith.select %is, %n, %no : i32
      linalg.yield %s : i32
    } -> !lengths
    gpuvm.send %r : !lengths
  }
  %document, %count = gpuvm.call @join as @question_tokens (%parts, %own) : (!parts, !gpuvm.message<!lengths>) -> (!mp, !mw)
  %vector = gpuvm.call @embed as @hear (%document, %count, %none) : (!mp, !mw, !word) -> !gpuvm.message<!vector>

  %best, %nearness = gpuvm.stage @search(%v = %vector : !gpuvm.message<!vector>, %all = %vectors : !vectors, %c = %common : !vector) -> (!word, !real) {
    %d = arith.subf %v, %c : !vector
    %zeros = arith.constant dense<0.0> : tensor<@rows@xf32>
    %near = linalg.matvec ins(%all, %d : !vectors, !vector) outs(%zeros : tensor<@rows@xf32>) -> tensor<@rows@xf32>
    %top, %place = gpuvm.top_k %near : tensor<@rows@xf32> -> tensor<1xf32>, tensor<1xi32>
    %p = tensor.collapse_shape %place [] : tensor<1xi32> into !word
    %t = tensor.collapse_shape %top [] : tensor<1xf32> into !real
    gpuvm.send %p, %t : !word, !real
  }

  %filled, %counts = gpuvm.call @insert as @passage (%parts, %lengths, %passages, %rows, %best)
      : (!parts, !lengths, !table, !rows, !mw) -> (!gpuvm.message<!parts>, !gpuvm.message<!lengths>)
  %prompt, %length = gpuvm.call @join as @prompt_tokens (%filled, %counts) : (!gpuvm.message<!parts>, !gpuvm.message<!lengths>) -> (!mp, !mw)
  %last = gpuvm.call @prefill as @read (%prompt, %length, %none) : (!mp, !mw, !word) -> !mw
  // Always the likeliest token.
  %made = gpuvm.call @generate as @answer (%limit, %ends, %off, %one, %off, %off, %seed)
      : (!word, tensor<8xi32>, !real, !word, !real, !real, tensor<2xi32>) -> !mw
  gpuvm.return %best, %nearness, %made : !mw, !gpuvm.message<!real>, !mw
}
