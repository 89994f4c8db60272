//===- GpuvmCall.td - programs in programs -----------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: how one program is part of another.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_CALL
#define GPUVM_CALL

def Gpuvm_CallOp : Gpuvm_Op<"call", [ParentOneOf<["ProgramOp", "RepeatOp"]>]> {
  let summary = "The stages of another program, as a part of this one.";
  let description = [{
    Operands are the inputs of the program, results its outputs, as messages. Its
    stages and symbols become those of the program around, with the name of the
    call and a dot before theirs: `@near.filter`. So the whole is one plan and one
    submit, fused and scheduled as if it were written in one piece, and what the
    part keeps in registers and globals belongs to this call. `gpuvm-link` does
    that, before anything else; the program may stand in the same module or come
    from a file of its own (`gpuvm-compile --link`).

    What can be seen only then is checked then:

    C1: the module holds a program of that name.
    C2: operands are of the types of its inputs, or messages with such payloads;
        results are messages with the types of its outputs.
    C3: no program calls itself, not through others either.
    C4: all calls together add at most 2^20 operations.
    C5: a program with `ranks` is called by programs with as many ranks.
    C6: a program with shardings is called by programs with shardings; those of
        its own inputs and outputs say nothing then.

    Example:

    ```mlir
    %x, %n = gpuvm.call @select as @near (%table, %limit)
        : (tensor<1000xf32>, !gpuvm.message<tensor<f32>>)
        -> (!gpuvm.message<tensor<1000xf32>>, !gpuvm.message<tensor<i32>>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, SymbolNameAttr:$sym_name,
                       Variadic<Gpuvm_Value>:$inputs);
  let results = (outs Variadic<Gpuvm_Message>:$outputs);
  let assemblyFormat = [{
    $callee `as` $sym_name ` ` `(` $inputs `)` attr-dict `:`
    functional-type($inputs, $outputs)
  }];
}

#endif // GPUVM_CALL
