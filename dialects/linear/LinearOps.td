//===- LinearOps.td - the dialect of the linear-algebra VM -*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of the linear-algebra VM as IR, as the assembler leaves it
// (docs/linear-vm.md).
//
//===----------------------------------------------------------------------===//

#ifndef LINEAR_OPS
#define LINEAR_OPS

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Linear_Dialect : Dialect {
  let name = "linear";
  let cppNamespace = "::mlir::linear";
  let summary = "Programs of the linear-algebra VM.";
  let description = [{
    A `linear.program` is a program of machines with 22 floats each: buffers,
    routines of instructions, and phases that run them. Instructions are
    numbered through the program, and targets are such numbers.
    [`docs/linear-vm.md`](../linear-vm.md) describes the machine.
  }];
}

def Linear_BufferKind : I32EnumAttr<"BufferKind", "who gives and gets a buffer", [
    I32EnumAttrCase<"in", 0>, I32EnumAttrCase<"out", 1>,
    I32EnumAttrCase<"inout", 2>, I32EnumAttrCase<"temp", 3>]> {
  let cppNamespace = "::mlir::linear";
}

class Linear_Op<string mnemonic, list<Trait> traits = []>
    : Op<Linear_Dialect, mnemonic, traits>;

def Linear_ProgramOp : Linear_Op<"program", [
    IsolatedFromAbove, Symbol, SymbolTable, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "A program of the linear-algebra VM.";
  let description = [{
    `stack` are the frames of a call stack and `budget` the epochs of a phase
    that names none. `f16` rounds registers and memory to binary16;
    `tolerance` is what counts as zero for BRANCH_EQ and BRANCH_NE, and
    `threshold` the fraction of non-zeros from which a matrix is dense.

    C1: there are 1 to 256 frames and 1 to 2^31 - 1 epochs; tolerance and
        threshold are finite and not negative.
    C2: a target is the number of an instruction of the program; that of a
        branch or a jump is of the same routine.
    C3: there is a phase.

    Example:

    ```mlir
    linear.program @doubled stack 16 budget 10000 {
      linear.buffer @values inout 100
      linear.routine @main {
        linear.do VMID r0
        linear.do READ r1, r0
        linear.do ADD r1, r1, r1
        linear.do WRITE r0, r1
        linear.do HALT
      }
      linear.phase @only independent {
        linear.run @main 100
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I32Attr:$stack, I32Attr:$budget, UnitAttr:$f16,
                       OptionalAttr<F32Attr>:$tolerance, OptionalAttr<F64Attr>:$threshold);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `stack` $stack `budget` $budget (`f16` $f16^)? (`tolerance` $tolerance^)?
    (`threshold` $threshold^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

class Linear_ProgramChild<string mnemonic, list<Trait> traits = []>
    : Linear_Op<mnemonic, traits # [HasParent<"ProgramOp">]>;

def Linear_BufferOp : Linear_ProgramChild<"buffer", [Symbol]> {
  let summary = "A part of shared memory.";
  let description = [{
    C1: there are 1 to 2^24 elements.

    Example: `linear.buffer @values inout 100`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Linear_BufferKind:$kind, I32Attr:$size);
  let assemblyFormat = "$sym_name $kind $size attr-dict";
  let hasVerifier = 1;
}

def Linear_RoutineOp : Linear_ProgramChild<"routine", [
    Symbol, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "Instructions that machines begin at the first of.";
  let description = [{
    C1: it has instructions, the last of which is JUMP, RETURN, HALT or KILL.

    Example:

    ```mlir
    linear.routine @product {
      linear.do MUL r0, r0, r1
      linear.do RETURN
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Linear_DoOp : Linear_Op<"do", [HasParent<"RoutineOp">]> {
  let summary = "An instruction.";
  let description = [{
    The number of an instruction and its operands in the order of the text, as
    the executable has them: registers and places of memory by their numbers,
    immediates by the bits of their f32, targets by the number of an
    instruction, registers that RETURN keeps as a mask.

    C1: the number is that of an instruction, with as many operands as it has.
    C2: a register is 0 to 3, a place of memory 0 to 15, a mask less than 16.

    Example: `linear.do SCALE r0, r1, 2.500000e+00`
  }];
  let arguments = (ins I32Attr:$opcode, DenseI32ArrayAttr:$operands);
  let assemblyFormat = "custom<Instruction>($opcode, $operands) attr-dict";
  let hasVerifier = 1;
}

def Linear_PhaseOp : Linear_ProgramChild<"phase", [
    Symbol, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "Machines that run together, until all of them are done.";
  let description = [{
    `spawn` machines are free at first. `independent` is a promise that no two
    machines use one address of which one writes it.

    C1: there is a `linear.run`; launched and free machines are at most 2^24.

    Example:

    ```mlir
    linear.phase @only spawn 4 budget 100 independent {
      linear.run @main 100
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I32Attr>:$spawn,
                       OptionalAttr<I32Attr>:$budget, UnitAttr:$independent);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`spawn` $spawn^)? (`budget` $budget^)? (`independent` $independent^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Linear_RunOp : Linear_Op<"run", [HasParent<"PhaseOp">]> {
  let summary = "Machines that begin at a routine.";
  let description = [{
    `elements` of the state, ascending from 1 (r0) to 20 (m15), begin with the
    f32 of `bits`; the others with 0. With `reads` or `writes` a machine uses no
    other buffers.

    C1: the routine is one of the program, and so are the buffers.
    C2: there is at least one machine.
    C3: each element has its bits.

    Example: `linear.run @main 100 elements [5] bits [1065353216] reads [@values]`
  }];
  let arguments = (ins FlatSymbolRefAttr:$routine, I32Attr:$count,
                       OptionalAttr<DenseI32ArrayAttr>:$elements, OptionalAttr<DenseI32ArrayAttr>:$bits,
                       OptionalAttr<ArrayAttr>:$reads, OptionalAttr<ArrayAttr>:$writes);
  let assemblyFormat = [{
    $routine $count (`elements` $elements^)? (`bits` $bits^)? (`reads` $reads^)?
    (`writes` $writes^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // LINEAR_OPS
