//===- Effects.h - what commands read and write -----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of symbols and of values the commands of a program read and
// write, and the order that follows from it. There are no windows yet.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "passes/analysis/Commands.h"

namespace mlir::gpuvm {

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Bytes of a symbol, or of a value that is in no symbol, from its start.
struct Place {
  Operation *symbol = nullptr;
  Value value; ///< Null in a symbol.
  uint64_t begin = 0, end = 0;
  bool operator==(const Place &) const = default;
  bool overlaps(const Place &other) const {
    return symbol == other.symbol && value == other.value &&
           begin < other.end && other.begin < end;
  }
  /// The symbol, or the value.
  const void *getOwner() const {
    return symbol ? static_cast<const void *>(symbol)
                  : value.getAsOpaquePointer();
  }
  /// Of a symbol that has one.
  WindowAttr getWindow() const;
};
Place getPlace(LoadOp op);
Place getPlace(StoreOp op);
Place getPlace(flow::PlaceOp op);

/// Whether one of `a` and one of `b` overlap.
bool overlap(ArrayRef<Place> a, ArrayRef<Place> b);

/// The loads and the stores of a program, which may have no kernels yet.
class SymbolAccesses {
public:
  explicit SymbolAccesses(ProgramOp program);
  /// Those that a load or a store is of.
  Place bytesOf(Operation *access) const { return bytesOfAll.lookup(access); }
  /// Those of some of `bytes`, in the order of the text.
  SmallVector<LoadOp> loadsOf(const Place &bytes) const;
  SmallVector<StoreOp> storesTo(const Place &bytes) const;

private:
  template <typename OpT> struct Touch {
    OpT op;
    Place bytes;
  };
  template <typename OpT>
  using BySymbol = llvm::DenseMap<Operation *, SmallVector<Touch<OpT>>>;
  template <typename OpT>
  static SmallVector<OpT> find(const BySymbol<OpT> &all, const Place &bytes);

  llvm::DenseMap<Operation *, Place> bytesOfAll;
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
// Places
//===----------------------------------------------------------------------===//

struct PlaceAccess {
  Place place;
  bool writes;
};

/// Where the values of a program of dispatches are: in the symbol that they are
/// loaded from, or computed in (flow.place), or that their dispatch updates;
/// tied results where their operand is; all others in a place of their own.
class Places {
public:
  explicit Places(ProgramOp program);
  Place of(Value value) const;
  bool isInSymbol(Value value) const { return of(value).symbol; }
  void set(Value value, const Place &place) { known[value] = place; }

  /// What `command` reads and writes.
  SmallVector<PlaceAccess> access(Operation *command) const;
  /// That of it which more than one command may write: symbols, and operands
  /// that results are tied to.
  SmallVector<PlaceAccess> accessShared(Operation *command) const;

private:
  llvm::DenseMap<Value, Place> known;
  llvm::DenseSet<Value> tied; ///< In no symbol.
};

/// Whether one of `a` and one of `b` may not happen at the same time.
bool conflicts(ArrayRef<PlaceAccess> a, ArrayRef<PlaceAccess> b);

/// Whether one of `accesses` writes some of `place`.
bool writesTo(ArrayRef<PlaceAccess> accesses, const Place &place);

/// The barriers between commands with these accesses.
unsigned countBarriers(ArrayRef<SmallVector<PlaceAccess>> commands);

} // namespace mlir::gpuvm
