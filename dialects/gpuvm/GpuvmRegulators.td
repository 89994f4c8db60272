//===- GpuvmRegulators.td - the machine watches itself -----*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: the rules that regulators mostly have, for bodies of
// stages, and the clock.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_REGULATORS
#define GPUVM_REGULATORS

def Gpuvm_RegulateOp : Gpuvm_Op<"regulate", [
    Pure, AllTypesMatch<["measure", "scale"]>]> {
  let summary = "By how much to scale what is too large or too small.";
  let description = [{
    Homeostasis. For each element m of `measure`: 1 if it is not below `low` and
    not above `high`, and so if it is no number; else `target / max(m, 1e-4)`,
    which takes it to the target. `stable` is 1 in the first case, else 0.

    C1: the elements are f32, and those of `stable` are i32, in the same shape.
    C2: the three are numbers, finite, and `low` is not above `high`.

    Example: `%s, %ok = gpuvm.regulate %m towards 10.0 between 5.0 and 20.0 : tensor<f32>, tensor<i32>`
  }];
  let arguments = (ins Gpuvm_Tensor:$measure, F32Attr:$target, F32Attr:$low,
                       F32Attr:$high);
  let results = (outs Gpuvm_Tensor:$scale, Gpuvm_Tensor:$stable);
  let assemblyFormat = [{
    $measure `towards` $target `between` $low `and` $high attr-dict
    `:` type($measure) `,` type($stable)
  }];
  let hasVerifier = 1;
}

def Gpuvm_RunningMeanOp : Gpuvm_Op<"running_mean", [
    Pure, AllTypesMatch<["mean", "value", "newMean"]>,
    AllTypesMatch<["count", "newCount"]>]> {
  let summary = "The mean of what was seen before, and of one value more.";
  let description = [{
    For each element `mean + (value - mean) / (count + 1)`, and `count + 1`,
    where `count` is how many values `mean` is that of. A value that is no number
    is left out: mean and count stay.

    C1: the elements are f32, and those of `count` are i32, in the same shape.

    Example: `%m, %n = gpuvm.running_mean %old, %seen with %x : tensor<f32>, tensor<i32>`
  }];
  let arguments = (ins Gpuvm_Tensor:$mean, Gpuvm_Tensor:$count,
                       Gpuvm_Tensor:$value);
  let results = (outs Gpuvm_Tensor:$newMean, Gpuvm_Tensor:$newCount);
  let assemblyFormat = [{
    $mean `,` $count `with` $value attr-dict `:` type($mean) `,` type($count)
  }];
  let hasVerifier = 1;
}

def Gpuvm_ClockOp : Gpuvm_Op<"clock", [
    Gpuvm_InCommands, Gpuvm_CommandOpInterface]> {
  let summary = "The device's clock, when everything before is done.";
  let description = [{
    gpuvm-materialize-metadata lowers the ticks of a message to it: ticks, which
    bits of them count, and, in the low half, the nanoseconds of a tick as an f32.
    It is read when `after` is computed and all commands before it are done.

    C1: the result is a `tensor<3xi64>`.

    Example: `%t = gpuvm.clock after %m : !gpuvm.message<tensor<8xf32>> -> tensor<3xi64>`
  }];
  let arguments = (ins Optional<Gpuvm_Value>:$after,
                       OptionalAttr<StrArrayAttr>:$stages,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows);
  let results = (outs Gpuvm_Tensor:$ticks);
  let assemblyFormat = "(`after` $after^ `:` type($after))? `->` type($ticks) attr-dict";
  let hasVerifier = 1;
}

#endif // GPUVM_REGULATORS
