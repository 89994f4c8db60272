//===- KernelBuilder.h - writing a kernel as if in a kernel language ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emitters say a kernel with: arithmetic as expressions (Expr.h),
// typed views of windows, loops, workgroup memory, barriers. Everything it
// builds is gpu/scf/arith/memref/spirv that LowerToSpirv can convert.
//
// Indices are values of type `index` (32 bits on the device). A tensor element
// of type i1 is stored as a byte, one of bf16 as 16 bits; loads and stores
// convert.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::gpuvm {

/// On an scf.for: its body runs at least once.
inline constexpr llvm::StringLiteral kRunsAttr = "gpuvm.runs";

/// How a kernel uses the window behind a binding.
struct BindingUse {
  bool reads = false;
  bool writes = false;
  bool coherent = false;   ///< Written and read by different workgroups.
  bool isVolatile = false; ///< Others write it while a loop reads it.
};

/// The place of a matrix in left x right + total.
enum class MatrixUse { Left, Right, Total };

class KernelBuilder : public ExprBuilder {
public:
  /// Starts a kernel function named `main` in a new gpu.module at `b`'s
  /// insertion point.
  KernelBuilder(OpBuilder &b, Location loc, StringRef moduleName,
                int64_t lanes);

  /// What is at binding `bindings[0]` has `pieceBytes` bytes there and goes on
  /// in the next ones; accesses to it find their piece (SplitWindows.cpp).
  void splitWindow(ArrayRef<unsigned> bindings, uint64_t pieceBytes);

  /// What `number` stands for, as a binding does, is at `binding` from byte
  /// `offset` on, a multiple of any access.
  void bundleWindow(unsigned number, unsigned binding, uint64_t offset) {
    bundled[number] = {binding, offset};
  }

  /// What `body` makes: values of types `results`. The elements, of type
  /// `element`, of what is at `binding` that it accesses are `first`, `last` or
  /// between them. Where one piece has these, accesses do not look for theirs.
  SmallVector<Value> inOnePiece(unsigned binding, Type element, Value first,
                                Value last, TypeRange results,
                                function_ref<SmallVector<Value>()> body);

  /// What is stored at `binding`, `count` elements of type `element` at most,
  /// is kept in workgroup memory and loaded from there. It is stored to the
  /// windows at `copies`, too.
  void keepInWorkgroup(unsigned binding, Type element, int64_t count,
                       ArrayRef<unsigned> copies);

  /// Elements of what is at `binding` are counted from element `first` on,
  /// which is a multiple of `divisor`.
  void shiftWindow(unsigned binding, Value first, int64_t divisor) {
    shifts[binding] = {first, divisor};
  }

  /// The workgroup's number is from now on said to be `number`.
  void setGroup(Value number) { group = number; }

  /// From now on neighbours are loaded in words of 64 bits, up to four at a
  /// time.
  void useWideLoads() { wideLoads = true; }

  /// Ends the function; returns the module.
  gpu::GPUModuleOp finish();

  const llvm::MapVector<unsigned, BindingUse> &bindings() const { return uses; }
  int64_t workgroupBytes() const { return workgroupMemoryBytes; }

  //===--- Places ---------------------------------------------------------===//
  Expr laneId() const;  ///< 0 .. lanes - 1
  Expr groupId() const; ///< The workgroup's number.

  //===--- Control flow
  //-----------------------------------------------------===//
  /// for (i = lower; i < upper; i += step), carrying values. `runs`: every lane
  /// is known to get there at least once.
  SmallVector<Value>
  loop(Value lower, Value upper, Value step, ValueRange carried,
       function_ref<SmallVector<Value>(Value i, ValueRange carried)> body,
       bool runs = false);
  /// Loads of windows that are only read leave loops whose iterations do not
  /// change them (spirv/HoistLoads.h).
  void hoistLoads() { module->setAttr(kHoistsLoads, ir().getUnitAttr()); }
  static constexpr const char *kHoistsLoads = "hoists_loads";
  /// while (condition(state)) state = body(state); returns the last state.
  SmallVector<Value>
  loopWhile(ValueRange initial, function_ref<Value(ValueRange state)> condition,
            function_ref<SmallVector<Value>(ValueRange state)> body);
  void ifThen(Value condition, function_ref<void()> then);
  /// The values of types `types` that one or the other makes.
  SmallVector<Value> choose(Value condition, TypeRange types,
                            function_ref<SmallVector<Value>()> then,
                            function_ref<SmallVector<Value>()> otherwise);

  //===--- Windows
  //----------------------------------------------------------===//
  /// Element `i` of the window at `binding`, seen as elements of `type`.
  Value load(unsigned binding, Type type, Value i);
  void store(unsigned binding, Value value, Value i);
  /// `count` neighbouring elements from element `i` on, a multiple of `count`;
  /// in loads of up to 16 bytes, or 32 if they are wide.
  SmallVector<Value> loadVector(unsigned binding, Type type, Value i,
                                int64_t count);
  void storeVector(unsigned binding, ArrayRef<Value> values, Value i);
  /// Marks a binding as shared between workgroups of one dispatch.
  void markCoherent(unsigned binding) {
    forEachPiece(binding, [](BindingUse &use) { use.coherent = true; });
  }
  /// Marks a binding that other workgroups write while a loop waits for it.
  void markVolatile(unsigned binding) {
    forEachPiece(binding, [](BindingUse &use) { use.isVolatile = true; });
  }
  /// Element `i` of the window, of the type of `operand`, 32 or 64 bits,
  /// combined with it; returns the old element.
  Value atomic(arith::AtomicRMWKind kind, unsigned binding, Value i,
               Value operand);
  /// Word `i` of the window += 1; returns the old word.
  Value atomicIncrement(unsigned binding, Value i);
  /// Word `i` of the window |= `bits`; returns the old word.
  Value atomicOr(unsigned binding, Value i, Value bits);

  //===--- Workgroup memory and barriers
  //------------------------------------===//
  Value allocateWorkgroup(Type type, int64_t count);
  /// What was allocated since the last call is no longer needed after the next
  /// barrier: from there on it may be allocated again.
  void releaseWorkgroup();
  Value loadWorkgroup(Value memory, Type type, Value i);
  void storeWorkgroup(Value memory, Value value, Value i);
  /// The same for memory of vectors: all elements, of `type`, of vector `i`.
  SmallVector<Value> loadWorkgroupVector(Value memory, Type type, Value i);
  void storeWorkgroupVector(Value memory, ArrayRef<Value> values, Value i);
  /// All the bytes of `values` to vector `i` of words.
  void storeWorkgroupWords(Value memory, ArrayRef<Value> values, Value i);
  /// Word `i` combined with `word`; returns the old word.
  Value atomicWorkgroup(arith::AtomicRMWKind kind, Value memory, Value i,
                        Value word);
  /// Waits for the workgroup; its workgroup memory is visible to all of it.
  void workgroupBarrier();
  /// The same, and what it has stored to windows is visible to it.
  void stepBarrier();
  /// The same for a subgroup.
  void subgroupBarrier();
  /// Orders window accesses before it and after it for the whole device.
  void deviceMemoryBarrier();

  //===--- Subgroups (KernelScalars.cpp)
  //------------------------------------===//
  Expr subgroupId() const;
  Expr laneInSubgroup() const;
  /// A number that drivers know when they compile the kernel.
  Expr subgroupSize() const;
  /// A bit for each lane of a subgroup of 32, all of which get there.
  Value ballot(Value condition);
  /// The sum of the words of the lanes below in the subgroup, all of which get
  /// there.
  Value sumBelow(Value word);
  /// What the lane of the subgroup has as `value` whose number differs in the
  /// bits of `mask`; all lanes get there.
  Value shuffleXor(Value value, int64_t mask);

  //===--- Matrix units (KernelMatrices.cpp)
  //--------------------------------===//
  /// On a module whose matrices of f16 stand for those of bf16.
  static constexpr const char *kBfloat16Matrices = "bfloat16_matrices";

  /// A matrix that a subgroup holds together.
  Type matrixType(Type element, int64_t rows, int64_t columns, MatrixUse use);
  Value zeroMatrix(Type type);
  /// The matrix that begins at vector `i` of workgroup memory; from one row (by
  /// columns: column) to the next there are `pitch` vectors.
  Value loadMatrix(Value memory, Type type, Value i, int64_t pitch,
                   bool byColumns);
  void storeMatrix(Value matrix, Value memory, Value i, int64_t pitch);
  /// Element by element.
  Value multiplyElements(Value a, Value b);
  /// left x right + total
  Value multiplyMatrices(Value left, Value right, Value total);

private:
  /// The view of a binding as a runtime array of `element`.
  Value view(unsigned binding, Type element);
  /// What an access makes of a view and an index in it.
  using AccessFn = function_ref<SmallVector<Value>(Value memory, Value i)>;
  /// `access` to the piece with element `i` of what is at `binding`, seen as
  /// elements of `memory`; it gives values of types `results`.
  SmallVector<Value> inPiece(unsigned binding, Type memory, Value i,
                             TypeRange results, AccessFn access);
  /// What `emit` makes for the one of `bindings`, the pieces from number
  /// `first` on, that `piece` is the number of.
  SmallVector<Value>
  inOneOf(ArrayRef<unsigned> bindings, int64_t first, Value piece,
          TypeRange results,
          function_ref<SmallVector<Value>(unsigned binding)> emit);
  void forEachPiece(unsigned binding, function_ref<void(BindingUse &)> mark);
  Value toStorage(Value value);
  Value fromStorage(Value value, Type type);

  gpu::GPUModuleOp module;
  gpu::GPUFuncOp function;
  llvm::MapVector<std::pair<unsigned, Type>, BlockArgument> views;
  llvm::MapVector<unsigned, BindingUse> uses;
  struct Split {
    SmallVector<unsigned> bindings;
    uint64_t pieceBytes;
    std::optional<unsigned> only = std::nullopt; ///< All accesses are to this.
  };
  llvm::DenseMap<unsigned, Split> splits; ///< By the first binding.
  struct Bundled {
    unsigned binding;
    uint64_t offset;
  };
  llvm::DenseMap<unsigned, Bundled> bundled; ///< By their numbers.
  struct Kept {
    Value memory;
    SmallVector<unsigned> copies;
  };
  llvm::DenseMap<unsigned, Kept> keptWindows;
  struct Shift {
    Value first;
    int64_t divisor;
  };
  llvm::DenseMap<unsigned, Shift> shifts;
  /// Where element `i` of what is at `binding` is in its window.
  Value shifted(unsigned binding, Value i);
  /// Whether neighbours cannot be accessed at once.
  bool areApart(unsigned binding, int64_t count) const;
  Value group; ///< Null if it is the workgroup's own number.
  SmallVector<Value> ownMemory, freeMemory;
  /// What is allocated next begins where elements of any type may.
  void alignWorkgroup() {
    workgroupMemoryBytes = llvm::alignTo(workgroupMemoryBytes, 8);
  }
  int64_t workgroupMemoryBytes = 0;
  bool wideLoads = false;
};

} // namespace mlir::gpuvm
