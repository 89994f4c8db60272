//===- GpuvmRepeat.td - loops on the device ----------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: loops of stages.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_REPEAT
#define GPUVM_REPEAT

def Gpuvm_RepeatOp : Gpuvm_Op<"repeat", [
    SingleBlock, Gpuvm_HoldsStages, ParentOneOf<["ProgramOp", "RepeatOp"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A do-while loop of stages, with a bound on its iterations.";
  let description = [{
    The body has at least one iteration and at most `times`. Operands become block
    arguments, as messages: the loop-carried values. The operands of `gpuvm.next`
    replace them in the next iteration. The last iteration is the one after which
    the condition after `until` is true, or number `times`; the results are the
    operands of its `gpuvm.next`. So there always is a result. The body may use
    values from outside, which are the same in each iteration.

    Stages of the body store once in each iteration that they run in.

    A repeat with exchanges in it has as many iterations on all ranks: the last one
    is that after which the conditions of all ranks are true.

    With `turn %t` the body has one more argument, a message with the number of
    the iteration, an i32 counted from 0.

    C1: block argument i is a message whose payload is operand i, or its payload;
        the number of the iteration is the last one.
    C2: results are messages with the types of the block arguments' payloads,
        and so are the operands of `gpuvm.next`.
    C3: there is at least one iteration, and at most 2^31 - 1.
    C4: the body holds stages, repeats, calls, exchanges and constants, and ends
        with `gpuvm.next`.
    C5: loop-carried values have a static number of rows, and are not packed.

    Example, a square root by Newton's method, to convergence:

    ```mlir
    %root, %change = gpuvm.repeat @newton up_to 20 (%r = %x : tensor<8xf32>, %d = %much : tensor<8xf32>) {
      %better, %by, %done = gpuvm.stage @step
          (%old = %r : !gpuvm.message<tensor<8xf32>>, %v = %x : tensor<8xf32>)
          -> (tensor<8xf32>, tensor<8xf32>, tensor<i1>) {
        %half = arith.constant dense<0.5> : tensor<8xf32>
        %small = arith.constant dense<1.0e-6> : tensor<8xf32>
        %true = arith.constant dense<true> : tensor<i1>
        %q = arith.divf %v, %old : tensor<8xf32>
        %s = arith.addf %old, %q : tensor<8xf32>
        %new = arith.mulf %s, %half : tensor<8xf32>
        %moved = arith.subf %new, %old : tensor<8xf32>
        %far = math.absf %moved : tensor<8xf32>
        %near = arith.cmpf olt, %far, %small : tensor<8xf32>
        %all = linalg.reduce { arith.andi } ins(%near : tensor<8xi1>) outs(%true : tensor<i1>) dimensions = [0]
        gpuvm.send %new, %far, %all : tensor<8xf32>, tensor<8xf32>, tensor<i1>
      }
      gpuvm.next %better, %by : !gpuvm.message<tensor<8xf32>>, !gpuvm.message<tensor<8xf32>>
          until %done : !gpuvm.message<tensor<i1>>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$times,
                       Variadic<Gpuvm_Value>:$initial, UnitAttr:$turn);
  let results = (outs Variadic<Gpuvm_Message>:$last);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    NextOp getNext();
    /// The arguments of the body that are carried.
    ::mlir::Block::BlockArgListType getCarried() {
      return getBody().getArguments().take_front(getInitial().size());
    }
    static ::llvm::StringRef getDefaultDialect() { return "gpuvm"; }
  }];
}

def Gpuvm_NextOp : Gpuvm_Op<"next", [
    Terminator, Pure, HasParent<"RepeatOp">, AttrSizedOperandSegments]> {
  let summary = "The values of the next iteration, and whether this was the last.";
  let description = [{
    C1: the condition is a `tensor<i1>`, or a message with such a payload.

    Example:

    ```mlir
    %last = gpuvm.repeat @double up_to 3 (%v = %x : tensor<8xf32>) {
      %twice = gpuvm.stage @add(%a = %v : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {
        %s = arith.addf %a, %a : tensor<8xf32>
        gpuvm.send %s : tensor<8xf32>
      }
      gpuvm.next %twice : !gpuvm.message<tensor<8xf32>> until %enough : tensor<i1>
    }
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Value>:$values,
                       Optional<Gpuvm_Value>:$until);
  let assemblyFormat = [{
    ($values^ `:` type($values))? (`until` $until^ `:` type($until))? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // GPUVM_REPEAT
