//===- TokenOps.td - the dialect of the token-stream VM -*- tablegen -*----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workflows of the token-stream VM as IR, as their texts are encoded
// (docs/token-vm.md).
//
//===----------------------------------------------------------------------===//

#ifndef TOKEN_OPS
#define TOKEN_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"

def Token_Dialect : Dialect {
  let name = "token";
  let cppNamespace = "::mlir::token";
  let summary = "Workflows of the token-stream VM.";
  let description = [{
    A `token.machine` is what streams run: zones, which are fed a prompt and then
    let the model speak, and classes of patterns, which say when a stream goes on
    to another zone. It is the tensors of a `.token.json` file and the names that
    go with them, all of it and nothing else. Zones, classes, pattern rows and
    tools are numbered through the machine, and what refers to one is its number.
    [`docs/token-vm.md`](../token-vm.md) describes the machine and its rules,
    which hold for a `token.machine` too.

    Tokens are a list of numbers and texts. A text stands for its bytes, each of
    which is the token of its number: `["Say it.\0A", 257]`.
  }];
}

class Token_Op<string mnemonic, list<Trait> traits = []>
    : Op<Token_Dialect, mnemonic, traits>;

def Token_MachineOp : Token_Op<"machine", [
    IsolatedFromAbove, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "Workflows that one engine runs.";
  let description = [{
    Tokens are less than `vocabulary`; a stream that has ended emits `padding`.
    They are those of `tokenizer`, which is `bytes` where it is not there. `tools`
    are the names of the tools that zones ask, by number.

    `data` are the tokens of all prompts, for prompts that are no more than parts
    of it: they lie anywhere in it. Without it prompts are the zones' own.

    C1: there are workflows, and nothing else in it.
    C2: classes, pattern rows and zones have each number from 0 once; classes and
        zones ascend.
    C3: each zone has a place in `data`, or there is no `data` and none has one.
    C4: the rules of docs/token-vm.md (T13 to T20) hold.

    Example:

    ```mlir
    token.machine vocabulary 257 padding 256 {
      token.workflow "talk" tags ["Said"] {
        token.class 0 "[A]" row 0 ["[A]"]
        token.class 1 "[E]" row 1 ["[E]"]
        token.zone 0 ("talk", 0, 0) advance [0] row 0 to 1 timeout 11 prompt ["Talk to me.[A]"]
        token.zone 1 ("talk", 0, 0) advance [1] row 1 to end timeout 20 tags [0]
        token.extract "said" ["Said"] without_patterns
        token.test_model weight 64 phrases [["[A]"], ["[E]"]] fillers ["abcd"]
      }
    }
    ```
  }];
  let arguments = (ins I32Attr:$vocabulary, I32Attr:$padding, OptionalAttr<StrAttr>:$tokenizer,
                       OptionalAttr<StrArrayAttr>:$tools, OptionalAttr<DenseI32ArrayAttr>:$data);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `vocabulary` $vocabulary `padding` $padding (`tokenizer` $tokenizer^)? (`tools` $tools^)?
    (`data` custom<Tokens>($data)^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Token_WorkflowOp : Token_Op<"workflow", [
    HasParent<"MachineOp">, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "A workflow: what a stream runs from its first zone.";
  let description = [{
    A stream begins at the first zone. `tags` are the names of what zones paint on
    their tokens; numbers of tags are places in this list. With `matches_text`
    patterns are heard in the text, whatever tokens say it.

    C1: it has classes, zones, extracts and one test model, and nothing else.
    C2: no two extracts have one name.

    Example:

    ```mlir
    token.workflow "talk" {
      token.class 0 "." row 0 ["."]
      token.zone 0 ("talk", 0, 0) advance [0] row 0 to end
      token.test_model weight 64 phrases [["."]] fillers ["ab"]
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$matches_text, OptionalAttr<StrArrayAttr>:$tags);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name (`matches_text` $matches_text^)? (`tags` $tags^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

class Token_WorkflowChild<string mnemonic>
    : Token_Op<mnemonic, [HasParent<"WorkflowOp">]>;

def Token_ClassOp : Token_WorkflowChild<"class"> {
  let summary = "A pattern and its other spellings.";
  let description = [{
    The class of that number is completed in a zone when the last tokens of the
    stream are those of one of its rows. `text` is the pattern as people write it.

    C1: each row has tokens.

    Example: `token.class 1 "[A]" row 1 ["[A]"] row 2 ["<a>"]`
  }];
  let arguments = (ins I32Attr:$number, StrAttr:$text, DenseI32ArrayAttr:$rows,
                       TypedArrayAttrBase<DenseI32ArrayAttr, "lists of tokens">:$tokens);
  let assemblyFormat = "$number $text custom<Rows>($rows, $tokens) attr-dict";
  let hasVerifier = 1;
}

def Token_ZoneOp : Token_WorkflowChild<"zone"> {
  let summary = "A row of the instruction tensors.";
  let description = [{
    The zone of that number, which the block `block` of `sequence` made in its
    repetition `repetition`. A stream is fed the prompt and, of an `input` zone,
    the last answer of a tool; then the model speaks. `advance` are the classes
    that end the zone, and `to` is where the stream goes on; `row` is the pattern
    row that is fed to force that. `jump` are the classes that end it otherwise,
    before those. A way that is `off` is not taken. Classes of `open` begin what
    neither way listens in, those of `close` end it.

    What the model says in an `output` zone is what that tool is asked. Answers
    are not listened to unless the zone is `live`. A visit has at most `timeout`
    tokens, or is without a limit where it is not there. `tags` are painted on each
    token of the zone.

    The prompt is `prompt`, or tokens [`from`, `to`) of the machine's `data`.

    C1: the target of a way is a zone of the machine, or -1, which is `end`.
    C2: `jump` has a target; without classes (`[]` are some) there is none.
    C3: `block` and `repetition` are at least 0.
    C4: a prompt is given in one way, by both ends of its place or its tokens.

    Example: `token.zone 2 ("ask", 0, 1) advance [1] row 1 to 3 jump [3] to end open [4] close [5] output 0 timeout 64 tags [0] prompt ["Q: "]`
  }];
  let arguments = (ins I32Attr:$number, StrAttr:$sequence, I64Attr:$block, I64Attr:$repetition,
                       UnitAttr:$advance_off, DenseI32ArrayAttr:$advance, I32Attr:$advance_row,
                       I32Attr:$next, UnitAttr:$jump_off, OptionalAttr<DenseI32ArrayAttr>:$jump,
                       OptionalAttr<I32Attr>:$jump_target, OptionalAttr<DenseI32ArrayAttr>:$open,
                       OptionalAttr<DenseI32ArrayAttr>:$close, UnitAttr:$input,
                       OptionalAttr<I32Attr>:$output, UnitAttr:$live, OptionalAttr<I32Attr>:$timeout,
                       OptionalAttr<DenseI32ArrayAttr>:$tags, OptionalAttr<I32Attr>:$data_begin,
                       OptionalAttr<I32Attr>:$data_end, OptionalAttr<DenseI32ArrayAttr>:$prompt);
  let assemblyFormat = [{
    $number ` ` `(` $sequence `,` $block `,` $repetition `)`
    `advance` (`off` $advance_off^)? $advance `row` $advance_row `to` custom<Target>($next)
    (`jump` (`off` $jump_off^)? $jump^ `to` custom<Target>($jump_target))?
    (`open` $open^)? (`close` $close^)? (`input` $input^)? (`output` $output^)? (`live` $live^)?
    (`timeout` $timeout^)? (`tags` $tags^)? (`data` $data_begin^ `to` $data_end)?
    (`prompt` custom<Tokens>($prompt)^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Token_ExtractOp : Token_WorkflowChild<"extract"> {
  let summary = "A text that is taken from what a stream emitted.";
  let description = [{
    The tokens with one of the tags, in their order. `without_forced` leaves out
    those that the model did not say, `without_patterns` those that ended a zone.

    Example: `token.extract "said" ["Said", "Final"] without_forced without_patterns`
  }];
  let arguments = (ins StrAttr:$name, StrArrayAttr:$tags, UnitAttr:$without_forced,
                       UnitAttr:$without_patterns);
  let assemblyFormat = [{
    $name $tags (`without_forced` $without_forced^)? (`without_patterns` $without_patterns^)?
    attr-dict
  }];
}

def Token_TestModelOp : Token_WorkflowChild<"test_model"> {
  let summary = "What the model for tests says in the workflow.";
  let description = [{
    It begins a phrase with a probability of `weight` in 256, and else says a
    filler.

    Example: `token.test_model weight 64 phrases [["[A]"], ["[E]"]] fillers ["abcd"]`
  }];
  let arguments = (ins I32Attr:$weight,
                       TypedArrayAttrBase<DenseI32ArrayAttr, "lists of tokens">:$phrases,
                       DenseI32ArrayAttr:$fillers);
  let assemblyFormat = [{
    `weight` $weight `phrases` custom<Phrases>($phrases) `fillers` custom<Tokens>($fillers)
    attr-dict
  }];
}

#endif // TOKEN_OPS
