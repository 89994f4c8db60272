//===- Effects.h - what commands read and write -----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes the commands of a program read and write, and the order that
// follows from it: bytes of symbols, as soon as there are loads and stores, and
// bytes of windows, as soon as values have them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/analysis/Commands.h"

namespace mlir::gpuvm {

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// A part of a symbol, in bytes from its start.
struct SymbolBytes {
  Operation *symbol = nullptr;
  uint64_t begin = 0, end = 0;
  bool operator==(const SymbolBytes &) const = default;
  bool overlaps(const SymbolBytes &other) const {
    return symbol == other.symbol && begin < other.end && other.begin < end;
  }
  /// Symbols have windows.
  WindowAttr getWindow() const;
};
SymbolBytes getSymbolBytes(LoadOp op);
SymbolBytes getSymbolBytes(StoreOp op);

/// Whether one of `a` and one of `b` overlap.
bool overlap(ArrayRef<SymbolBytes> a, ArrayRef<SymbolBytes> b);

/// The loads and the stores of a program, which may have no kernels yet.
class SymbolAccesses {
public:
  explicit SymbolAccesses(ProgramOp program);
  /// Those that a load or a store is of.
  SymbolBytes bytesOf(Operation *access) const {
    return bytesOfAll.lookup(access);
  }
  /// Those of some of `bytes`, in the order of the text.
  SmallVector<LoadOp> loadsOf(const SymbolBytes &bytes) const;
  SmallVector<StoreOp> storesTo(const SymbolBytes &bytes) const;

private:
  template <typename OpT> struct Touch {
    OpT op;
    SymbolBytes bytes;
  };
  template <typename OpT>
  using BySymbol = llvm::DenseMap<Operation *, SmallVector<Touch<OpT>>>;
  template <typename OpT>
  static SmallVector<OpT> find(const BySymbol<OpT> &all,
                               const SymbolBytes &bytes);

  llvm::DenseMap<Operation *, SymbolBytes> bytesOfAll;
  BySymbol<LoadOp> loads;
  BySymbol<StoreOp> stores;
};

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// What must precede what in a program of kernels according to values and
/// symbols alone (no windows). The order of the loads and stores of a symbol is
/// their program order. Nothing passes the beginning or the end of a loop. As
/// an analysis it is valid until operations come or go.
class Effects {
public:
  explicit Effects(ProgramOp program);

  const SymbolAccesses &getSymbolAccesses() const { return symbols; }
  /// Whether no loop begins or ends between `a` and `b`.
  bool areTogether(Operation *a, Operation *b) const {
    return parts.areTogether(a, b);
  }
  /// The commands that must directly precede a command or a load.
  ArrayRef<Operation *> before(Operation *op) const;
  /// `ops`, and all commands that must precede any of them.
  llvm::DenseSet<Operation *> withAllBefore(ArrayRef<Operation *> ops) const;
  /// Whether `op` is `on`, or must come after it.
  bool dependsOn(Operation *op, Operation *on) const;
  /// Sorts the blocks of the program so that everything comes after what it
  /// depends on, keeping the program order otherwise.
  void orderProgram();

private:
  void orderSymbolAccesses();
  void orderLoops();
  void orderBlock(Block &block) const;
  bool isReady(Operation *op, const llvm::DenseSet<Operation *> &placed) const;

  ProgramOp program;
  Parts parts;
  SymbolAccesses symbols;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> predecessors;
};

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The window of a value of a program that has windows.
WindowAttr getWindow(ProgramOp program, Value value);

/// The windows of values, as far as they have one.
using ValueHomes = llvm::DenseMap<Value, WindowAttr>;

/// What `command` reads and writes of the windows that are known: those of its
/// values in `homes`, and that of the symbol it stores to.
SmallVector<Access> getAccesses(Operation *command, const ValueHomes &homes);

/// Whether one of `a` and one of `b` may not happen at the same time.
bool conflicts(ArrayRef<Access> a, ArrayRef<Access> b);

/// Whether one of `accesses` writes some of `window`.
bool writesTo(ArrayRef<Access> accesses, WindowAttr window);

/// The barriers between commands with these accesses.
unsigned countBarriers(ArrayRef<SmallVector<Access>> commands);

} // namespace mlir::gpuvm
