// A recording is classified, the name of its class becomes part of a prompt, and a language model answers, in one submit. Part 1 of the
// prompt will be the name. The programs of the model are those of its plan.
//
//     gpuvm-compile model.gguf --llm-context=512 --llm-chunk=32 --keep-module -o model.gvplan
//     gpuvm-compile answer.mlir --link=classify.mlir --link=../prompt.mlir --link=model.gvplan -o answer.gvplan

gpuvm.parameter @context = 512 "of the model"
gpuvm.parameter @part = 128 "tokens of a part of a prompt, at most"
gpuvm.parameter @rows = 100 "names"

!parts = tensor<5x@part@xi32>
!lengths = tensor<5xi32>
!prompt = tensor<@context@xi32>
!word = tensor<i32>
!real = tensor<f32>
!mp = !gpuvm.message<!prompt>
!mw = !gpuvm.message<!word>

gpuvm.program @answer(%sound: tensor<98304xf32>, %window: tensor<1024xf32>, %bank: tensor<513x24xf32>, %templates: tensor<8x96x24xf32>,
                      %parts: !parts, %lengths: !lengths, %names: tensor<@rows@x@part@xi32>, %rows: tensor<@rows@xi32>, %limit: !word, %ends: tensor<8xi32>)
    -> (label: !word, likeness: tensor<8xf32>, made: !word) {
  %none = arith.constant dense<0> : !word
  %off = arith.constant dense<0.0> : !real
  %one = arith.constant dense<1> : !word
  %seed = arith.constant dense<0> : tensor<2xi32>
  %label, %likeness = gpuvm.call @classify as @listen (%sound, %window, %bank, %templates)
      : (tensor<98304xf32>, tensor<1024xf32>, tensor<513x24xf32>, tensor<8x96x24xf32>) -> (!mw, !gpuvm.message<tensor<8xf32>>)
  %filled, %counts = gpuvm.call @insert as @name (%parts, %lengths, %names, %rows, %label)
      : (!parts, !lengths, tensor<@rows@x@part@xi32>, tensor<@rows@xi32>, !mw) -> (!gpuvm.message<!parts>, !gpuvm.message<!lengths>)
  %prompt, %length = gpuvm.call @join as @prompt_tokens (%filled, %counts) : (!gpuvm.message<!parts>, !gpuvm.message<!lengths>) -> (!mp, !mw)
  %last = gpuvm.call @prefill as @read (%prompt, %length, %none) : (!mp, !mw, !word) -> !mw
  // Always the likeliest token.
  %made = gpuvm.call @generate as @say (%limit, %ends, %off, %one, %off, %off, %seed)
      : (!word, tensor<8xi32>, !real, !word, !real, !real, tensor<2xi32>) -> !mw
  gpuvm.return %label, %likeness, %made : !mw, !gpuvm.message<tensor<8xf32>>, !mw
}
