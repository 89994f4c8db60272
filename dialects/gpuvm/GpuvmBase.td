//===- GpuvmBase.td - dialect, attributes and types --------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations of both dialects are made of.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_BASE
#define GPUVM_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Gpuvm_Dialect : Dialect {
  let name = "gpuvm";
  let cppNamespace = "::mlir::gpuvm";
  let summary = "Programs for the GPU virtual machine.";
  let description = [{
    A program is a graph of stages that pass messages over five memory regions.
    Stage bodies are ordinary `arith`, `math`, `linalg` and `tensor` code on
    statically shaped tensors; this dialect adds what those do not have: the
    program, the stages and their messages, and the named contents of the
    regions.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// Enums, attributes and types
//===----------------------------------------------------------------------===//

def Gpuvm_Region : I32Enum<"Region", "one of the five memory regions", [
    I32EnumCase<"registers", 0>,
    I32EnumCase<"metrics", 1>,
    I32EnumCase<"globals", 2>,
    I32EnumCase<"control", 3>,
    I32EnumCase<"heap", 4>]> {
  let cppNamespace = "::mlir::gpuvm";
}

def Gpuvm_Root : I32Enum<"Root", "the family of emitter a kernel needs", [
    I32EnumCase<"map", 0>,
    I32EnumCase<"reduce", 1>,
    I32EnumCase<"chain", 2>,
    I32EnumCase<"attention", 3>,
    I32EnumCase<"scan", 4>,
    I32EnumCase<"fft", 5>,
    I32EnumCase<"sort", 6>,
    I32EnumCase<"scatter", 7>]> {
  let cppNamespace = "::mlir::gpuvm";
}
def Gpuvm_RootAttr : EnumAttr<Gpuvm_Dialect, Gpuvm_Root, "root"> {
  let assemblyFormat = "$value";
}

def Gpuvm_Rule : I32Enum<"Rule", "how elements of one place are combined", [
    I32EnumCase<"add", 0>,
    I32EnumCase<"min", 1>,
    I32EnumCase<"max", 2>,
    I32EnumCase<"minu", 3>,
    I32EnumCase<"maxu", 4>,
    I32EnumCase<"bit_and", 5, "and">,
    I32EnumCase<"bit_or", 6, "or">,
    I32EnumCase<"bit_xor", 7, "xor">,
    I32EnumCase<"last", 8>]> {
  let cppNamespace = "::mlir::gpuvm";
}
def Gpuvm_RuleAttr : EnumAttr<Gpuvm_Dialect, Gpuvm_Rule, "rule"> {
  let assemblyFormat = "$value";
}
def Gpuvm_RuleArrayAttr : TypedArrayAttrBase<Gpuvm_RuleAttr, "rules">;

def Gpuvm_Field : I32Enum<"Field", "a word of message metadata", [
    I32EnumCase<"norm", 0>,
    I32EnumCase<"max_abs", 1>,
    I32EnumCase<"ticks", 2>,
    I32EnumCase<"status", 3>]> {
  let cppNamespace = "::mlir::gpuvm";
}
def Gpuvm_FieldAttr : EnumAttr<Gpuvm_Dialect, Gpuvm_Field, "field"> {
  let assemblyFormat = "$value";
}

def Gpuvm_HazardKind : I32Enum<"HazardKind", "why two commands are ordered", [
    I32EnumCase<"RAW", 0>,
    I32EnumCase<"WAR", 1>,
    I32EnumCase<"WAW", 2>]> {
  let cppNamespace = "::mlir::gpuvm";
}

def Gpuvm_WindowAttr : AttrDef<Gpuvm_Dialect, "Window"> {
  let mnemonic = "window";
  let summary = "The bytes [offset, offset + length) of one region.";
  let parameters = (ins EnumParameter<Gpuvm_Region>:$region,
                        "uint64_t":$offset, "uint64_t":$length);
  let assemblyFormat = "`<` $region `,` $offset `,` $length `>`";
}
def Gpuvm_WindowArrayAttr : TypedArrayAttrBase<Gpuvm_WindowAttr, "windows">;

def Gpuvm_TransferKind : I32Enum<"TransferKind", "how bytes move between ranks", [
    I32EnumCase<"all_gather", 0>,
    I32EnumCase<"all_to_all", 1>,
    I32EnumCase<"shift", 2>]> {
  let cppNamespace = "::mlir::gpuvm";
}

def Gpuvm_TransferAttr : AttrDef<Gpuvm_Dialect, "Transfer"> {
  let mnemonic = "transfer";
  let summary = "How the bytes of a tensor move between ranks.";
  let description = [{
    What `gpuvm.all_gather` along axis 0, `gpuvm.all_to_all` with both axes 0 and
    `gpuvm.shift` do. `counted`: there is a count of rows for each rank, and one of
    those received. A rank that is without the source of a shift receives nothing.

    Example: `#gpuvm.transfer<kind = shift, offset = -1, rotate = true>`
  }];
  let parameters = (ins EnumParameter<Gpuvm_TransferKind>:$kind,
                        DefaultValuedParameter<"int64_t", "0">:$offset,
                        DefaultValuedParameter<"bool", "false">:$rotate,
                        DefaultValuedParameter<"bool", "false">:$counted);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Gpuvm_TransferArrayAttr : TypedArrayAttrBase<Gpuvm_TransferAttr, "transfers">;

def Gpuvm_ShardingAttr : AttrDef<Gpuvm_Dialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "Along which axis a tensor is cut into blocks for the ranks.";
  let description = [{
    Rank r has block r of as many blocks of the same length as there are ranks.

    Example: `#gpuvm.sharding<0>`
  }];
  let parameters = (ins "int64_t":$axis);
  let assemblyFormat = "`<` $axis `>`";
}

def Gpuvm_OrderKind : I32Enum<"OrderKind", "how a reduction goes over its elements", [
    I32EnumCase<"sequential", 0>,
    I32EnumCase<"tiled", 1>,
    I32EnumCase<"lanes", 2>,
    I32EnumCase<"columns", 3>]> {
  let cppNamespace = "::mlir::gpuvm";
}

def Gpuvm_OrderAttr : AttrDef<Gpuvm_Dialect, "Order"> {
  let mnemonic = "order";
  let summary = "The order in which a reduction combines its elements.";
  let description = [{
    docs/reduction-order.md says what the orders are. `parts` of a result are
    combined on their own; in lanes, a group of lanes takes `rows` neighbouring rows in
    a turn, and a lane `elements` neighbouring elements of a row.

    `gpuvm.order` on a `linalg.generic` is the order of that operation, for all
    devices. gpuvm-generalize gives one to each whose order can be seen, since
    it accumulates floats; where there is one it is kept.

    C1: numbers are at least 1, and there are at most 256 parts.
    C2: where elements are taken one after the other all numbers are 1, and in
        columns `rows` and `elements` are.

    Example: `#gpuvm.order<kind = lanes, parts = 256, rows = 4, elements = 4>`
  }];
  let parameters = (ins EnumParameter<Gpuvm_OrderKind>:$kind,
                        "int64_t":$parts, "int64_t":$rows, "int64_t":$elements);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Gpuvm_DeviceKind : I32Enum<"DeviceKind", "what a device is", [
    I32EnumCase<"any", 0>,
    I32EnumCase<"cpu", 1>,
    I32EnumCase<"gpu", 2>]> {
  let cppNamespace = "::mlir::gpuvm";
}
def Gpuvm_DeviceKindAttr
    : EnumAttr<Gpuvm_Dialect, Gpuvm_DeviceKind, "device_kind"> {
  let assemblyFormat = "$value";
}

def Gpuvm_TargetAttr : AttrDef<Gpuvm_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "A device that launches are chosen for.";
  let description = [{
    `units` is how many workgroups run at once at least, `subgroup` how many
    lanes go on together, `workgroup_bytes` the workgroup memory that one workgroup may
    have. A dispatch and the barrier before it cost `dispatch_ns`
    nanoseconds; the device's memory gives `bytes_per_us` bytes in a microsecond.
    Layouts give a kernel `busy_groups` workgroups where they have the choice, and `bindings` storage
    buffers at most. An exchange with other ranks costs `exchange_ns` nanoseconds and
    moves `exchange_bytes_per_us` bytes in a microsecond.
    `features` are those of docs/plan-format.md (K4) that all such devices have;
    kernels that need others are left to devices that have them, or not made if the target is
    `closed`: a device is known, and has no others.

    C1: all numbers are at least 1, a subgroup has at most 128 lanes, and features
        are strings.

    Example:

    ```mlir
    #gpuvm.target<name = "lavapipe", kind = cpu, units = 8, subgroup = 8,
                  workgroup_bytes = 32768, dispatch_ns = 20000,
                  bytes_per_us = 8000, features = ["int64"], closed = true>
    ```
  }];
  let parameters = (ins StringRefParameter<"">:$name,
                        EnumParameter<Gpuvm_DeviceKind>:$kind,
                        "int64_t":$units, "int64_t":$subgroup,
                        "int64_t":$workgroup_bytes, "int64_t":$dispatch_ns,
                        "int64_t":$bytes_per_us,
                        DefaultValuedParameter<"int64_t", "264">:$busy_groups,
                        DefaultValuedParameter<"int64_t", "32">:$bindings,
                        DefaultValuedParameter<"int64_t", "40000">:$exchange_ns,
                        DefaultValuedParameter<"int64_t", "6000">:$exchange_bytes_per_us,
                        "::mlir::ArrayAttr":$features,
                        "bool":$closed);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Gpuvm_TargetArrayAttr : TypedArrayAttrBase<Gpuvm_TargetAttr, "targets">;

/// A word without quotation marks.
def Gpuvm_KeywordParameter : StringRefParameter<""> {
  let parser = [{ parseKeyword($_parser) }];
  let printer = "$_printer << $_self";
}

def Gpuvm_LaunchAttr : AttrDef<Gpuvm_Dialect, "Launch"> {
  let mnemonic = "launch";
  let summary = "How a kernel is laid over devices of a kind.";
  let description = [{
    `groups` workgroups of `lanes` lanes each; a lane takes `vector` neighbouring
    elements at a time and has `unroll` of them in flight (both 1 where the
    family of the kernel has a layout of its own). `form` names the way in which the
    code is made: `plain`, as every device can run it, or one of the family's: with loops up to a
    limit (`limited`) or without one, with matrix units, products of four bytes, atomic operations of
    64 bits, ballots of subgroups, or accesses of 32 bytes (`wide`). `layout` has what else the
    family of the kernel decides, by name (`KernelLayout::visit`).

    C1: there are 1 to 65,535 groups and 1 to 1,024 lanes; `vector` and `unroll` are
        at least 1.

    Example:

    ```mlir
    #gpuvm.launch<device = cpu, form = wide, groups = 256, lanes = 128,
                  vector = 4, unroll = 4>
    ```
  }];
  let parameters = (ins EnumParameter<Gpuvm_DeviceKind>:$device,
                        Gpuvm_KeywordParameter:$form,
                        "int64_t":$groups, "int64_t":$lanes,
                        "int64_t":$vector, "int64_t":$unroll,
                        OptionalParameter<"::mlir::DictionaryAttr">:$layout);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Gpuvm_LaunchArrayAttr : TypedArrayAttrBase<Gpuvm_LaunchAttr, "launches">;

def Gpuvm_BoundAttr : AttrDef<Gpuvm_Dialect, "Bound"> {
  let mnemonic = "bound";
  let summary = "How many rows a tensor with a dynamic leading dimension has at most.";
  let parameters = (ins "int64_t":$rows);
  let assemblyFormat = "`<` $rows `>`";
}

def Gpuvm_HazardAttr : AttrDef<Gpuvm_Dialect, "Hazard"> {
  let mnemonic = "hazard";
  let summary = "Why a barrier is there: two commands, their kind of conflict and the bytes.";
  let description = [{
    `first` and `second` are indices of commands (barriers counted) of the
    program; `window` is the intersection of what they touch.
  }];
  let parameters = (ins EnumParameter<Gpuvm_HazardKind>:$kind,
                        "uint32_t":$first, "uint32_t":$second,
                        "WindowAttr":$window);
  let assemblyFormat = "`<` $kind `,` $first `->` $second `,` $window `>`";
}
def Gpuvm_HazardArrayAttr : TypedArrayAttrBase<Gpuvm_HazardAttr, "hazards">;

def Gpuvm_MessageType : TypeDef<Gpuvm_Dialect, "Message"> {
  let mnemonic = "message";
  let summary = "What one stage sends (R30) and another receives (R31).";
  let description = [{
    A payload tensor and metadata: norm (L2, f32), max_abs (f32), ticks (when it
    was there, i64) and status (i32: 0 OK, 1 ANOMALY, 2 ATTENTION, 3 NEED_VM,
    4 NEED_IO, 5 NEED_DATA, 6 EXCESS). Metadata that nobody reads is not
    computed.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$payload);
  let assemblyFormat = "`<` $payload `>`";
}

def Gpuvm_PackedType : TypeDef<Gpuvm_Dialect, "Packed"> {
  let mnemonic = "packed";
  let summary = "A tensor in the form in which a file holds it.";
  let description = [{
    Written `!gpuvm.packed<q4_k, 4096x4096>`: a codec with its parameters, if it
    has any, the shape of the tensor that `gpuvm.decode` makes of it, and that
    tensor's elements, where the codec leaves a choice. In memory it is bytes;
    docs/codecs.md specifies the layout of each codec.

    Examples: `!gpuvm.packed<q8_0, 64x4096xf16>`, `!gpuvm.packed<bits<5>, 1000xi32>`
  }];
  let parameters = (ins StringRefParameter<"name of the codec">:$codecName,
                        ArrayRefParameter<"int64_t">:$parameters,
                        ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    const ::mlir::gpuvm::Codec &getCodec() const;
    ::mlir::gpuvm::PackedLayout getLayout() const {
      return {getParameters(), getShape(), getElementType()};
    }
    /// What `gpuvm.decode` makes of it.
    ::mlir::RankedTensorType getDecodedType() const;
    /// What it is in memory: bytes.
    ::mlir::RankedTensorType getBytesType() const;
  }];
}

// C0 everywhere: a tensor has a static shape of at most 2^31-1 elements, and
// elements of type i1, i8, i16, i32, i64, f16, bf16, f32 or f64; or of i2, i4 or
// a float of eight bits, which are bytes (SmallTypes.h). Those without elements
// are gone when programs are linked (EmptyTensors.h).
def Gpuvm_Tensor : Type<CPred<
    "::mlir::gpuvm::isVmTensor($_self) || ::mlir::gpuvm::isEmptyVmTensor($_self)">,
    "statically shaped tensor of i1, i2, i4, i8, i16, i32, i64, f8, f16, bf16, f32 or f64 with at most 2^31-1 elements",
    "::mlir::RankedTensorType">;
/// One that has a window of a region.
def Gpuvm_Placed : Type<CPred<"::mlir::gpuvm::isVmTensor($_self)">,
    "statically shaped tensor of i1, i2, i4, i8, i16, i32, i64, f8, f16, bf16, f32 or f64 with 1 to 2^31-1 elements",
    "::mlir::RankedTensorType">;
/// Such a tensor, or a bounded one (GpuvmBounded.td).
def Gpuvm_Rows : Type<CPred<"::mlir::gpuvm::hasRows($_self)">,
    "tensor of the machine, static or with a bounded number of rows",
    "::mlir::RankedTensorType">;
def Gpuvm_Message : Type<CPred<
    "::llvm::isa<::mlir::gpuvm::MessageType>($_self) && "
    "::mlir::gpuvm::hasRows(::llvm::cast<::mlir::gpuvm::MessageType>($_self).getPayload())">,
    "message whose payload is a tensor of the virtual machine">;
def Gpuvm_Word : Type<CPred<
    "::llvm::isa<::mlir::RankedTensorType>($_self) && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 0 && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isSignlessInteger(32)">,
    "tensor<i32>", "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI32Type())">;
def Gpuvm_Value : AnyTypeOf<[Gpuvm_Rows, Gpuvm_Message]>;
def Gpuvm_Packed : Type<CPred<"::llvm::isa<::mlir::gpuvm::PackedType>($_self)">,
    "packed tensor", "::mlir::gpuvm::PackedType">;
def Gpuvm_Data : AnyTypeOf<[Gpuvm_Tensor, Gpuvm_Packed]>;
def Gpuvm_Column : AnyTypeOf<[Gpuvm_Rows, Gpuvm_Packed]>;
/// A number outside of a tensor: only a constant of the program is one.
def Gpuvm_Scalar : Type<CPred<
    "::llvm::isa<::mlir::IntegerType, ::mlir::IndexType, ::mlir::FloatType>($_self)">,
    "number">;
def Gpuvm_StageInput : AnyTypeOf<[
    Gpuvm_Rows, Gpuvm_Message, Gpuvm_Packed, Gpuvm_Scalar]>;

#endif // GPUVM_BASE
