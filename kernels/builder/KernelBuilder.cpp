//===- KernelBuilder.cpp - writing a kernel as if in a kernel language ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/KernelBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The widest load and store there is, and the widest load in words of 64 bits.
static constexpr int64_t kVectorBytes = 16;
static constexpr int64_t kWideBytes = 32;

KernelBuilder::KernelBuilder(OpBuilder &b, Location loc, StringRef moduleName,
                             int64_t lanes)
    : ExprBuilder(b, loc, Folding::Arithmetic) {
  module = gpu::GPUModuleOp::create(b, loc, moduleName);
  b.setInsertionPointToStart(module.getBody());
  function = gpu::GPUFuncOp::create(b, loc, "main", b.getFunctionType({}, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function->setAttr(spirv::getEntryPointABIAttrName(),
                    spirv::getEntryPointABIAttr(
                        b.getContext(), {static_cast<int32_t>(lanes), 1, 1}));
  b.setInsertionPointToStart(&function.getBody().front());
}

gpu::GPUModuleOp KernelBuilder::finish() {
  gpu::ReturnOp::create(ir(), loc());
  SmallVector<Type> types(function.getBody().getArgumentTypes());
  function.setFunctionType(ir().getFunctionType(types, {}));
  for (auto &[key, argument] : views)
    function.setArgAttr(
        argument.getArgNumber(), spirv::getInterfaceVarABIAttrName(),
        spirv::getInterfaceVarABIAttr(/*descriptorSet=*/0, key.first,
                                      std::nullopt, ir().getContext()));
  return module;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static Type storageType(Type type) {
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  return type.isBF16() ? IntegerType::get(type.getContext(), 16) : type;
}

static int64_t storageBytes(Type type) {
  return storageType(type).getIntOrFloatBitWidth() / 8;
}

Value KernelBuilder::toStorage(Value value) {
  if (value.getType().isBF16())
    return make<arith::BitcastOp>(ir().getI16Type(), value);
  if (!value.getType().isInteger(1))
    return value;
  return make<arith::ExtUIOp>(ir().getI8Type(), value);
}

Value KernelBuilder::fromStorage(Value value, Type type) {
  if (type.isBF16())
    return make<arith::BitcastOp>(type, value);
  return type.isInteger(1) ? Expr(*this, value) != 0 : value;
}

Value KernelBuilder::view(unsigned binding, Type element) {
  BlockArgument &argument = views[{binding, element}];
  if (!argument) {
    auto storage = spirv::StorageClassAttr::get(
        ir().getContext(), spirv::StorageClass::StorageBuffer);
    auto type = MemRefType::get({ShapedType::kDynamic}, element,
                                MemRefLayoutAttrInterface(), storage);
    argument = function.getBody().addArgument(type, loc());
  }
  return argument;
}

void KernelBuilder::keepInWorkgroup(unsigned binding, Type element,
                                    int64_t count, ArrayRef<unsigned> copies) {
  Value memory = allocateWorkgroup(element, count);
  ownMemory.pop_back(); // It is not released.
  alignWorkgroup();
  keptWindows[binding] = {memory, llvm::to_vector(copies)};
}

Value KernelBuilder::shifted(unsigned binding, Value i) {
  auto shift = shifts.find(binding);
  return shift == shifts.end() ? i : Expr(*this, shift->second.first) + i;
}

bool KernelBuilder::areApart(unsigned binding, int64_t count) const {
  auto shift = shifts.find(binding);
  return keptWindows.contains(binding) ||
         (shift != shifts.end() && shift->second.divisor % count != 0);
}

Value KernelBuilder::load(unsigned binding, Type type, Value i) {
  if (auto kept = keptWindows.find(binding); kept != keptWindows.end())
    return loadWorkgroup(kept->second.memory, type, i);
  i = shifted(binding, i);
  forEachPiece(binding, [](BindingUse &use) { use.reads = true; });
  Type stored = storageType(type);
  auto access = [&](Value memory, Value at) -> SmallVector<Value> {
    return {make<memref::LoadOp>(memory, at)};
  };
  return fromStorage(inPiece(binding, stored, i, stored, access).front(), type);
}

void KernelBuilder::store(unsigned binding, Value value, Value i) {
  if (auto kept = keptWindows.find(binding); kept != keptWindows.end()) {
    storeWorkgroup(kept->second.memory, value, i);
    for (unsigned copy : kept->second.copies)
      store(copy, value, i);
    return;
  }
  i = shifted(binding, i);
  forEachPiece(binding, [](BindingUse &use) { use.writes = true; });
  Value stored = toStorage(value);
  inPiece(binding, stored.getType(), i, {}, [&](Value memory, Value at) {
    memref::StoreOp::create(ir(), loc(), stored, memory, at);
    return SmallVector<Value>();
  });
}

/// What one access of a run of neighbouring elements moves: `elements` of them,
/// as a native vector (elements of 4 bytes or more) or as packed words.
namespace {
struct VectorAccess {
  int64_t elements; ///< In one access.
  Type memory;      ///< The type that is loaded or stored.
  Type vector;      ///< The elements of one word or of the native vector.
  int64_t words;    ///< Words in `memory`, if packed; else 0.
};
} // namespace

/// The same in words of 64 bits, up to kWideBytes at a time.
static VectorAccess wideAccess(Type stored, int64_t count) {
  int64_t bytes = storageBytes(stored);
  int64_t words = std::min(count * bytes, kWideBytes) / 8;
  Type word = bytes == 8 ? stored : IntegerType::get(stored.getContext(), 64);
  Type memory = words == 1 ? word : VectorType::get({words}, word);
  if (bytes == 8)
    return {words, memory, memory, 0};
  // There are no vectors of more than four elements.
  int64_t perVector = std::min<int64_t>(4, 8 / bytes);
  return {words * 8 / bytes, memory, VectorType::get({perVector}, stored),
          words};
}

static VectorAccess vectorAccess(Type stored, int64_t count) {
  int64_t bytes = storageBytes(stored);
  int64_t elements = std::min(count, kVectorBytes / bytes);
  if (bytes >= 4) {
    Type vector = elements == 1 ? stored : VectorType::get({elements}, stored);
    return {elements, vector, vector, 0};
  }
  Type i32 = IntegerType::get(stored.getContext(), 32);
  int64_t words = elements * bytes / 4;
  Type memory = words == 1 ? i32 : VectorType::get({words}, i32);
  return {elements, memory, VectorType::get({4 / bytes}, stored), words};
}

/// Whether runs of `count` elements can be moved in whole words.
static bool movesWholeWords(Type stored, int64_t count) {
  return count * storageBytes(stored) >= 4;
}

static void extractAll(OpBuilder &b, Location loc, Value composite,
                       SmallVectorImpl<Value> &parts) {
  auto vector = dyn_cast<VectorType>(composite.getType());
  if (!vector)
    return parts.push_back(composite);
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    parts.push_back(spirv::CompositeExtractOp::create(
        b, loc, composite, ArrayRef<int32_t>{static_cast<int32_t>(i)}));
}

/// The halves of words of 64 bits.
static SmallVector<Value> halve(OpBuilder &b, Location loc,
                                ArrayRef<Value> words) {
  auto type = VectorType::get({2}, b.getI32Type());
  SmallVector<Value> halves;
  for (Value word : words)
    extractAll(b, loc, spirv::BitcastOp::create(b, loc, type, word), halves);
  return halves;
}

/// The opposite: a composite of `type`, or the only part itself.
static Value compose(OpBuilder &b, Location loc, Type type,
                     ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  return spirv::CompositeConstructOp::create(b, loc, type, parts);
}

SmallVector<Value> KernelBuilder::loadVector(unsigned binding, Type type,
                                             Value i, int64_t count) {
  SmallVector<Value> values;
  Type stored = storageType(type);
  if (count == 1 || !movesWholeWords(stored, count) ||
      areApart(binding, count)) {
    for (int64_t k = 0; k < count; ++k)
      values.push_back(load(binding, type, Expr(*this, i) + k));
    return values;
  }
  i = shifted(binding, i);
  forEachPiece(binding, [](BindingUse &use) { use.reads = true; });
  int64_t bytes = count * storageBytes(stored);
  bool isWide = wideLoads && bytes >= 8 && llvm::isPowerOf2_64(bytes);
  VectorAccess access =
      isWide ? wideAccess(stored, count) : vectorAccess(stored, count);
  SmallVector<Type> types(count / access.elements, access.memory);
  auto loadAll = [&](Value memory, Value first) {
    SmallVector<Value> loaded;
    for (size_t k = 0; k < types.size(); ++k) {
      Value at = Expr(*this, first) + k;
      loaded.push_back(make<memref::LoadOp>(memory, at));
    }
    return loaded;
  };
  for (Value loaded :
       inPiece(binding, access.memory, Expr(*this, i) / access.elements, types,
               loadAll)) {
    if (access.words == 0) {
      extractAll(ir(), loc(), loaded, values);
      continue;
    }
    SmallVector<Value> words;
    extractAll(ir(), loc(), loaded, words);
    if (isWide && storageBytes(stored) == 1)
      words = halve(ir(), loc(), words);
    for (Value word : words)
      extractAll(ir(), loc(), make<spirv::BitcastOp>(access.vector, word),
                 values);
  }
  for (Value &value : values)
    value = fromStorage(value, type);
  return values;
}

void KernelBuilder::storeVector(unsigned binding, ArrayRef<Value> values,
                                Value i) {
  if (auto kept = keptWindows.find(binding); kept != keptWindows.end()) {
    for (auto [k, value] : llvm::enumerate(values))
      storeWorkgroup(kept->second.memory, value, Expr(*this, i) + k);
    for (unsigned copy : kept->second.copies)
      storeVector(copy, values, i);
    return;
  }
  int64_t count = values.size();
  Type stored = storageType(values.front().getType());
  if (count == 1 || !movesWholeWords(stored, count) ||
      areApart(binding, count)) {
    for (auto [k, value] : llvm::enumerate(values))
      store(binding, value, Expr(*this, i) + k);
    return;
  }
  i = shifted(binding, i);
  forEachPiece(binding, [](BindingUse &use) { use.writes = true; });
  VectorAccess access = vectorAccess(stored, count);
  SmallVector<Value> parts;
  for (Value value : values)
    parts.push_back(toStorage(value));
  SmallVector<Value> runs;
  for (int64_t k = 0; k < count / access.elements; ++k) {
    ArrayRef<Value> run =
        ArrayRef(parts).slice(k * access.elements, access.elements);
    SmallVector<Value> words(run);
    if (access.words != 0) {
      words.clear();
      int64_t perWord = access.elements / access.words;
      for (int64_t w = 0; w < access.words; ++w)
        words.push_back(make<spirv::BitcastOp>(
            ir().getI32Type(), compose(ir(), loc(), access.vector,
                                       run.slice(w * perWord, perWord))));
    }
    runs.push_back(compose(ir(), loc(), access.memory, words));
  }
  auto storeAll = [&](Value memory, Value first) {
    for (auto [k, run] : llvm::enumerate(runs)) {
      Value at = Expr(*this, first) + k;
      memref::StoreOp::create(ir(), loc(), run, memory, at);
    }
    return SmallVector<Value>();
  };
  inPiece(binding, access.memory, Expr(*this, i) / access.elements, {},
          storeAll);
}

Value KernelBuilder::atomic(arith::AtomicRMWKind kind, unsigned binding,
                            Value i, Value operand) {
  forEachPiece(binding, [](BindingUse &use) {
    use.reads = use.writes = use.coherent = true;
  });
  auto access = [&](Value memory, Value at) -> SmallVector<Value> {
    return {make<memref::AtomicRMWOp>(kind, operand, memory, at)};
  };
  Type type = operand.getType();
  return inPiece(binding, type, i, type, access).front();
}

Value KernelBuilder::atomicIncrement(unsigned binding, Value i) {
  return atomic(arith::AtomicRMWKind::addi, binding, i, word(1));
}

Value KernelBuilder::atomicOr(unsigned binding, Value i, Value bits) {
  return atomic(arith::AtomicRMWKind::ori, binding, i, bits);
}

//===----------------------------------------------------------------------===//
// Workgroup memory and barriers
//===----------------------------------------------------------------------===//

/// i1 takes a word in workgroup memory, everything else its own size; a vector
/// of one element is that element.
static Type workgroupType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    Type element = workgroupType(vector.getElementType());
    return vector.getNumElements() == 1 ? element : vector.clone(element);
  }
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 32)
                           : storageType(type);
}

Value KernelBuilder::allocateWorkgroup(Type type, int64_t count) {
  Type element = workgroupType(type);
  auto storage = spirv::StorageClassAttr::get(ir().getContext(),
                                              spirv::StorageClass::Workgroup);
  auto memory =
      MemRefType::get({count}, element, MemRefLayoutAttrInterface(), storage);
  auto *free = llvm::find_if(
      freeMemory, [&](Value other) { return other.getType() == memory; });
  if (free != freeMemory.end()) {
    ownMemory.push_back(*free);
    freeMemory.erase(free);
    return ownMemory.back();
  }
  auto vector = dyn_cast<VectorType>(element);
  int64_t perElement = vector ? vector.getNumElements() : 1;
  workgroupMemoryBytes +=
      count * perElement *
      getElementTypeOrSelf(element).getIntOrFloatBitWidth() / 8;
  OpBuilder::InsertionGuard guard(ir());
  ir().setInsertionPointToStart(&function.getBody().front());
  ownMemory.push_back(make<memref::AllocOp>(memory));
  return ownMemory.back();
}

void KernelBuilder::releaseWorkgroup() {
  alignWorkgroup();
  llvm::append_range(freeMemory, ownMemory);
  ownMemory.clear();
}

Value KernelBuilder::loadWorkgroup(Value memory, Type type, Value i) {
  return fromStorage(make<memref::LoadOp>(memory, i), type);
}

void KernelBuilder::storeWorkgroup(Value memory, Value value, Value i) {
  if (value.getType().isInteger(1))
    value = make<arith::ExtUIOp>(ir().getI32Type(), value);
  else
    value = toStorage(value);
  memref::StoreOp::create(ir(), loc(), value, memory, i);
}

SmallVector<Value> KernelBuilder::loadWorkgroupVector(Value memory, Type type,
                                                      Value i) {
  SmallVector<Value> values;
  extractAll(ir(), loc(), make<memref::LoadOp>(memory, i), values);
  for (Value &value : values)
    value = fromStorage(value, type);
  return values;
}

void KernelBuilder::storeWorkgroupVector(Value memory, ArrayRef<Value> values,
                                         Value i) {
  SmallVector<Value> stored;
  for (Value value : values)
    stored.push_back(toStorage(value));
  Type type = cast<MemRefType>(memory.getType()).getElementType();
  memref::StoreOp::create(ir(), loc(), compose(ir(), loc(), type, stored),
                          memory, i);
}

Value KernelBuilder::atomicWorkgroup(arith::AtomicRMWKind kind, Value memory,
                                     Value i, Value word) {
  return make<memref::AtomicRMWOp>(kind, word, memory, i);
}

// gpu.barrier orders workgroup memory only, and its conversion says so; the
// SPIR-V operations are written out to say exactly what is meant.
void KernelBuilder::workgroupBarrier() {
  spirv::ControlBarrierOp::create(ir(), loc(), spirv::Scope::Workgroup,
                                  spirv::Scope::Workgroup,
                                  spirv::MemorySemantics::AcquireRelease |
                                      spirv::MemorySemantics::WorkgroupMemory);
}

void KernelBuilder::stepBarrier() {
  spirv::ControlBarrierOp::create(ir(), loc(), spirv::Scope::Workgroup,
                                  spirv::Scope::Workgroup,
                                  spirv::MemorySemantics::AcquireRelease |
                                      spirv::MemorySemantics::UniformMemory |
                                      spirv::MemorySemantics::WorkgroupMemory);
}

void KernelBuilder::subgroupBarrier() {
  spirv::ControlBarrierOp::create(ir(), loc(), spirv::Scope::Subgroup,
                                  spirv::Scope::Subgroup,
                                  spirv::MemorySemantics::AcquireRelease |
                                      spirv::MemorySemantics::WorkgroupMemory);
}

void KernelBuilder::deviceMemoryBarrier() {
  spirv::MemoryBarrierOp::create(ir(), loc(), spirv::Scope::Device,
                                 spirv::MemorySemantics::AcquireRelease |
                                     spirv::MemorySemantics::UniformMemory);
}
