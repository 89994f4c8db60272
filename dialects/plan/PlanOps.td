//===- PlanOps.td - the plan dialect -----------------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan as IR, one to one: what gpuvm-opt prints at this level is what the
// .gvplan file holds (docs/plan-format.md).
//
//===----------------------------------------------------------------------===//

#ifndef PLAN_OPS
#define PLAN_OPS

include "dialects/plan/PlanEnums.td"
include "dialects/gpuvm/GpuvmBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::mlir::plan";
  let summary = "A plan: regions, kernels and the commands of one submit.";
  let description = [{
    One `plan.module` holds what a `.gvplan` file holds: how large the regions
    are and what is in them at first, the kernels, and the programs, each with its
    inputs, outputs and symbols, their windows, and its commands in order.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::gpuvm::GpuvmDialect"];
}

def Plan_ResidencyAttr : EnumAttr<Plan_Dialect, Plan_Residency, "residency"> {
  let assemblyFormat = "$value";
}

def Plan_BindingAttr : AttrDef<Plan_Dialect, "Binding"> {
  let mnemonic = "binding";
  let summary = "One descriptor of a kernel: window k of region r is binding r + 5k.";
  let parameters = (ins "uint32_t":$index, EnumParameter<Plan_Access>:$access);
  let assemblyFormat = "`<` $index `,` $access `>`";
}
def Plan_BindingArrayAttr : TypedArrayAttrBase<Plan_BindingAttr, "bindings">;

def Plan_TransferAttr : AttrDef<Plan_Dialect, "Transfer"> {
  let mnemonic = "transfer";
  let summary = "Bytes that every rank sends and receives.";
  let description = [{
    With n ranks, `all_gather` makes the source of rank r block r of every
    destination; `all_to_all` makes block r of the source of rank s block s of the
    destination of rank r; `shift_up` and `shift_down` bring the source to the rank
    that is `offset` further, or before. With `rotate true` the first rank comes after
    the last one; else a rank without a source keeps what is in its destination.

    With `rows`, the bytes of a row, only the first rows of each block of an
    `all_to_all` are sent, as many as `counts` has of it; `received` gets those of the
    blocks that come. Both are a word of 32 bits for each rank.

    Example: `#plan.transfer<shift_up, <registers, 0, 64> to <registers, 256, 64> offset 1>`
  }];
  let parameters = (ins EnumParameter<Plan_TransferKind>:$kind,
                        "::mlir::gpuvm::WindowAttr":$source,
                        "::mlir::gpuvm::WindowAttr":$destination,
                        DefaultValuedParameter<"uint32_t", "0">:$offset,
                        DefaultValuedParameter<"bool", "false">:$rotate,
                        DefaultValuedParameter<"uint32_t", "0">:$rows,
                        OptionalParameter<"::mlir::gpuvm::WindowAttr">:$counts,
                        OptionalParameter<"::mlir::gpuvm::WindowAttr">:$received);
  let assemblyFormat = [{
    `<` $kind `,` $source `to` $destination (`offset` $offset^)? (`rotate` $rotate^)?
    (`rows` $rows^)? (`counts` $counts^)? (`received` $received^)? `>`
  }];
}
def Plan_TransferArrayAttr : TypedArrayAttrBase<Plan_TransferAttr, "transfers">;

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;
class Plan_ProgramChild<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, traits # [HasParent<"ProgramOp">]>;
class Plan_Command<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, traits # [ParentOneOf<["ProgramOp", "RepeatOp"]>]>;

def Plan_ModuleOp : Plan_Op<"module", [
    IsolatedFromAbove, SymbolTable, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "A plan: the programs of one file.";
  let description = [{
    `regions` are the sizes of Registers, Metrics, Globals, Control and Heap in
    bytes; `instances` is the number of VM instances of all programs.

    The programs have these regions in common, and one of them runs at a time. Stages
    and commands are numbered in the order in which they stand, through all programs.

    C1: there are five region sizes, none of which is negative.
    C2: every window lies inside its region and starts at a multiple of 256.
    C3: a dispatch names a kernel of the plan and gives each binding of it and of its
        variants a window of the right region.
    C4: the body holds kernels, data and one program or more, whose names differ.
    C5: a stage names kernels and an instance of the plan, a register an instance of
        the plan, a command stages of its program, in ascending order.
    C6: inputs, or symbols, that have one name in two programs are equal: the
        programs share them.

    Programs with exchanges run on as many `ranks` together.

    Example:

    ```mlir
    plan.module @empty regions [256, 0, 0, 0, 0] instances 0 {
      plan.program @empty {
        plan.fill #gpuvm.window<registers, 0, 64> with 0 for []
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$name, DenseI64ArrayAttr:$regions,
                       I64Attr:$instances, OptionalAttr<I64Attr>:$ranks);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `regions` $regions `instances` $instances (`ranks` $ranks^)?
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Plan_ProgramOp : Plan_Op<"program", [
    HasParent<"ModuleOp">, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "What one execution of a program runs, and on what.";
  let description = [{
    C1: the body holds operations of this dialect only; inputs, outputs and symbols
        have names that are unique among their kind.

    Example:

    ```mlir
    plan.module @two regions [256, 0, 0, 0, 0] instances 0 {
      plan.program @first {
        plan.fill #gpuvm.window<registers, 0, 64> with 0 for []
      }
      plan.program @second {
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Plan_InputOp : Plan_ProgramChild<"input"> {
  let summary = "An input and the window it is copied to.";
  let description = [{
    C1: the window is as long as the tensor needs.

    With `rows` the host says how many rows of it there are, which the symbol
    then holds.

    Examples: `plan.input "x" : tensor<8xf32> at <registers, 0, 32> on execution`,
    `plan.input "z" : tensor<8xf32> at <registers, 256, 32> on execution rows "z.rows"`
  }];
  let arguments = (ins StrAttr:$name, TypeAttrOf<Gpuvm_Tensor>:$type,
                       Gpuvm_WindowAttr:$window, Plan_ResidencyAttr:$residency,
                       OptionalAttr<StrAttr>:$rows);
  let assemblyFormat = [{
    $name `:` $type `at` $window `on` $residency (`rows` $rows^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Plan_OutputOp : Plan_ProgramChild<"output"> {
  let summary = "An output and the window it is copied from.";
  let description = [{
    C1: the window is as long as the tensor needs.

    With `rows` a symbol says how many rows of it there are.

    Examples: `plan.output "y" : tensor<8xf32> at <registers, 256, 32>`,
    `plan.output "z" : tensor<8xf32> at <registers, 256, 32> rows "found"`
  }];
  let arguments = (ins StrAttr:$name, TypeAttrOf<Gpuvm_Tensor>:$type,
                       Gpuvm_WindowAttr:$window, OptionalAttr<StrAttr>:$rows);
  let assemblyFormat = "$name `:` $type `at` $window (`rows` $rows^)? attr-dict";
  let hasVerifier = 1;
}

def Plan_SymbolOp : Plan_ProgramChild<"symbol"> {
  let summary = "A region symbol the host can address by name.";
  let description = [{
    C1: the window is as long as the tensor needs.

    Examples: `plan.symbol "count" : tensor<i64> at <metrics, 0, 8>`,
    `plan.symbol "found" : tensor<i32> at <control, 0, 4> up_to 1000`
  }];
  let arguments = (ins StrAttr:$name, TypeAttrOf<Gpuvm_Placed>:$type,
                       Gpuvm_WindowAttr:$window, OptionalAttr<I64Attr>:$bound);
  let assemblyFormat = "$name `:` $type `at` $window (`up_to` $bound^)? attr-dict";
  let hasVerifier = 1;
}

def Plan_RegisterOp : Plan_ProgramChild<"register"> {
  let summary = "Register `reg` of a VM instance.";
  let description = [{
    C1: the window is as long as the tensor needs.
    C2: registers count from 0.

    Example: `plan.register 30 of 0 : tensor<8xf32> at <registers, 256, 32>`
  }];
  let arguments = (ins I64Attr:$reg, I64Attr:$instance,
                       TypeAttrOf<Gpuvm_Placed>:$type, Gpuvm_WindowAttr:$window);
  let assemblyFormat = "$reg `of` $instance `:` $type `at` $window attr-dict";
  let hasVerifier = 1;
}

def Plan_StageOp : Plan_ProgramChild<"stage"> {
  let summary = "A stage as the user wrote it, and the kernels that do its work.";
  let description = [{
    Example:

    ```mlir
    plan.kernel @scale_0 local_size [256, 1, 1] workgroup_memory 0
        features [] bindings [#plan.binding<0, read>, #plan.binding<5, write>]
        attributes {spirv = array<i32: 119734787>} {
    }
    plan.program @scale {
      plan.stage "scale" instance 0 kernels [@scale_0]
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$instance,
                       FlatSymbolRefArrayAttr:$kernels);
  let assemblyFormat = "$name `instance` $instance `kernels` $kernels attr-dict";
}

def Plan_DataOp : Plan_Op<"data", [HasParent<"ModuleOp">]> {
  let summary = "Initial contents of a region.";
  let description = [{
    C1: the window is as long as the value needs.

    Example: `plan.data dense<[1.0, 2.0]> : tensor<2xf32> at <heap, 0, 8>`
  }];
  let arguments = (ins ElementsAttr:$value, Gpuvm_WindowAttr:$window);
  let assemblyFormat = "$value `at` $window attr-dict";
  let hasVerifier = 1;
}

def Plan_KernelOp : Plan_Op<"kernel", [
    ParentOneOf<["::mlir::ModuleOp", "ModuleOp"]>, IsolatedFromAbove, Symbol,
    SymbolTable, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "A kernel and its descriptors.";
  let description = [{
    The body is one `spirv.module`; an external kernel has an empty body and
    its words in `spirv`, and in `element_types` what each binding holds.

    The first of `variants` whose features the device has replaces the kernel. A
    variant may be for a kind of `device` only, have `groups` workgroups in every
    direct dispatch, and have bindings that the kernel does not have: dispatches
    have windows for all of them.

    A kernel sets the first word at the binding `unfinished`, if it has that, to
    other than zero if it has to give up a loop that is not over.

    C1: bindings ascend.
    C2: the body holds one `spirv.module`, or the kernel has `spirv`.
    C3: `local_size` is three positive numbers, `workgroup_memory` not negative.
    C4: `variants` are kernels next to it, `unfinished` is one of the bindings.

    Example:

    ```mlir
    plan.kernel @scale_0 local_size [256, 1, 1] workgroup_memory 0
        features [] bindings [#plan.binding<0, read>, #plan.binding<5, write>]
        attributes {spirv = array<i32: 119734787>} {
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DenseI32ArrayAttr:$local_size,
                       I64Attr:$workgroup_memory, StrArrayAttr:$features,
                       Plan_BindingArrayAttr:$bindings,
                       DefaultValuedStrAttr<StrAttr, "main">:$entry_point,
                       OptionalAttr<DenseI32ArrayAttr>:$spirv,
                       OptionalAttr<TypeArrayAttr>:$element_types,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$variants,
                       OptionalAttr<Gpuvm_DeviceKindAttr>:$device,
                       OptionalAttr<I64Attr>:$groups,
                       OptionalAttr<I64Attr>:$unfinished);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `local_size` $local_size `workgroup_memory` $workgroup_memory
    `features` $features `bindings` $bindings attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Plan_DispatchOp : Plan_Command<"dispatch"> {
  let summary = "Runs a kernel on windows.";
  let description = [{
    `windows` are in the order of the bindings of the kernel and its variants. As
    of every command, the numbers after `for` are those of the stages it works for.

    C1: `groups` are three positive numbers.

    Example:

    ```mlir
    plan.kernel @scale_0 local_size [256, 1, 1] workgroup_memory 0
        features [] bindings [#plan.binding<0, read>, #plan.binding<5, write>]
        attributes {spirv = array<i32: 119734787>} {
    }
    plan.program @scale {
      plan.stage "scale" instance 0 kernels [@scale_0]
      plan.dispatch @scale_0 groups [1, 1, 1]
          windows [#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>] for [0]
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, DenseI32ArrayAttr:$groups,
                       Gpuvm_WindowArrayAttr:$windows, DenseI32ArrayAttr:$stages);
  let assemblyFormat = "$kernel `groups` $groups `windows` $windows `for` $stages attr-dict";
  let hasVerifier = 1;
}

def Plan_DispatchIndirectOp : Plan_Command<"dispatch_indirect"> {
  let summary = "Runs a kernel with group counts read from Control.";
  let description = [{
    Devices that have the feature `unless` do without the command.

    C1: the three words at byte `control_offset` lie inside Control.

    Example:

    ```mlir
    plan.kernel @scale_0 local_size [256, 1, 1] workgroup_memory 0
        features [] bindings [#plan.binding<0, read>, #plan.binding<5, write>]
        attributes {spirv = array<i32: 119734787>} {
    }
    plan.program @scale {
      plan.stage "scale" instance 0 kernels [@scale_0]
      plan.dispatch_indirect @scale_0 control 0
          windows [#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>] for [0]
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, I64Attr:$control_offset,
                       Gpuvm_WindowArrayAttr:$windows, DenseI32ArrayAttr:$stages,
                       OptionalAttr<StrAttr>:$unless);
  let assemblyFormat = [{
    $kernel `control` $control_offset `windows` $windows `for` $stages
    (`unless` $unless^)? attr-dict
  }];
}

def Plan_BarrierOp : Plan_Command<"barrier"> {
  let summary = "Everything before is visible to everything after, and why.";
  let description = [{
    Devices that have the feature `unless` do without it.

    Example: `plan.barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 0, 32>>]`
  }];
  let arguments = (ins Gpuvm_HazardArrayAttr:$reasons,
                       OptionalAttr<StrAttr>:$unless);
  let assemblyFormat = "$reasons (`unless` $unless^)? attr-dict";
}

def Plan_CopyOp : Plan_Command<"copy"> {
  let summary = "Copies one window to another.";
  let description = [{
    C1: the windows are equally long, a multiple of 4 bytes, and do not overlap.

    Example: `plan.copy <registers, 0, 32> to <globals, 0, 32> for []`
  }];
  let arguments = (ins Gpuvm_WindowAttr:$source, Gpuvm_WindowAttr:$destination,
                       DenseI32ArrayAttr:$stages);
  let assemblyFormat = "$source `to` $destination `for` $stages attr-dict";
  let hasVerifier = 1;
}

def Plan_FillOp : Plan_Command<"fill"> {
  let summary = "Fills a window with a word.";
  let description = [{
    C1: the window is a multiple of 4 bytes.

    Example: `plan.fill #gpuvm.window<registers, 0, 64> with 0 for []`
  }];
  let arguments = (ins Gpuvm_WindowAttr:$window, I32Attr:$value, DenseI32ArrayAttr:$stages);
  let assemblyFormat = "$window `with` $value `for` $stages attr-dict";
  let hasVerifier = 1;
}

def Plan_ClockOp : Plan_Command<"clock"> {
  let summary = "Reads the device's clock to a window.";
  let description = [{
    C1: the window is 24 bytes long.

    Example: `plan.clock #gpuvm.window<registers, 0, 24> for []`
  }];
  let arguments = (ins Gpuvm_WindowAttr:$window, DenseI32ArrayAttr:$stages);
  let assemblyFormat = "$window `for` $stages attr-dict";
  let hasVerifier = 1;
}

def Plan_ExchangeOp : Plan_Command<"exchange"> {
  let summary = "Begins transfers between ranks.";
  let description = [{
    Everything before it is done then. Until the next `plan.await` of the same list
    the device may work on what does not touch the windows of the transfers.

    Example:

    ```mlir
    plan.module @halo regions [768, 0, 0, 0, 0] instances 0 ranks 2 {
      plan.program @halo {
        plan.exchange [#plan.transfer<shift_up, <registers, 0, 64> to <registers, 256, 64> offset 1>] for []
        plan.fill #gpuvm.window<registers, 512, 64> with 0 for []
        plan.await
      }
    }
    ```
  }];
  let arguments = (ins Plan_TransferArrayAttr:$transfers, DenseI32ArrayAttr:$stages);
  let assemblyFormat = "$transfers `for` $stages attr-dict";
}

def Plan_AwaitOp : Plan_Command<"await"> {
  let summary = "Everything before it is done, and the exchange.";
  let description = [{
    Example:

    ```mlir
    plan.module @ring regions [512, 0, 0, 0, 0] instances 0 ranks 2 {
      plan.program @ring {
        plan.exchange [#plan.transfer<shift_down, <registers, 0, 64> to <registers, 256, 64> offset 1 rotate true>] for []
        plan.await
      }
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Plan_RepeatOp : Plan_Command<"repeat", [
    NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "Commands that run several times.";
  let description = [{
    The commands of the body run `times` times. Where commands are counted (in the
    reasons of barriers), a repeat is one, and those of its body follow it.

    The windows of a rotation rotate after each iteration: what is in one of them at
    the end of an iteration is in the one before it in the next one (gpuvm.loop).

    `while` is a byte of region registers: once it is 0 at the end of an iteration,
    later iterations change nothing, and need not run.

    C1: it runs at least once, and the body is not empty.
    C2: a rotation has two windows or more, and they have one length.
    C3: `phase` plus `times` is a multiple of the length of each rotation.
    C4: `while` is one byte of region registers.
    C5: the body holds commands.

    Example:

    ```mlir
    plan.repeat 500 times while #gpuvm.window<registers, 256, 1> {
      plan.barrier []
      plan.fill #gpuvm.window<registers, 0, 64> with 0 for []
    }
    ```
  }];
  let arguments = (ins I64Attr:$times,
                       OptionalAttr<Gpuvm_WindowAttr>:$condition,
                       OptionalAttr<ArrayAttr>:$rotations,
                       DefaultValuedAttr<I64Attr, "0">:$phase);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $times `times` (`while` $condition^)?
    (`rotating` $rotations^ `from` $phase)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

#endif // PLAN_OPS
