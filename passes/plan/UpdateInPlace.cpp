//===- UpdateInPlace.cpp - symbols that are updated where they are --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scatter begins with a copy of what it updates, and what is stored is copied
// back: for a few elements of a large symbol that is nearly all the work. This
// pass has such kernels update the symbol itself. From then on the order of
// commands keeps the old value as long as it is read (Effects); readers
// that come later keep the copy. docs/rationale/memory-reuse.md has what it
// saves.
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Alternative.h"
#include "kernels/analysis/Updates.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/KernelNeed.h"
#include "passes/analysis/PruneKernel.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_UPDATEINPLACE
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-update-in-place"
ALWAYS_ENABLED_STATISTIC(numUpdated, "Symbols updated where they are");

namespace {

/// A result of a kernel that updates a copy of what a symbol holds, and where
/// that is stored.
struct Update {
  flow::DispatchOp kernel;
  unsigned result;
  unsigned input; ///< The copy's number among the operands.
  LoadOp load;    ///< What is copied.
  StoreOp store;
  /// What is stored if the result is stored on a condition, or in another
  /// shape: a result of another kernel. Else null.
  OpResult stored;
  /// The predicate by which `stored` is selected, in the body of that kernel;
  /// null if always.
  Value condition;
  /// Readers of the old value that run with the kernel or later: they read the
  /// copy.
  SmallVector<std::pair<flow::DispatchOp, unsigned>> late;
};

class Updater {
public:
  Updater(ProgramOp program, const Effects &effects)
      : program(program), effects(effects) {}
  /// Gives one more kernel its symbol; false if there is no other that can have
  /// it.
  bool run();

private:
  std::optional<Update> match(flow::DispatchOp kernel, unsigned result);
  bool matchStore(Update &update);
  SmallVector<StoreOp> storesLike(StoreOp store) const;
  bool isAlone(const Update &update);
  bool isLast(const Update &update);
  bool findLateReaders(Update &update);
  bool mayWait(const Update &update);
  void apply(const Update &update);

  ProgramOp program;
  const Effects &effects;
};

struct UpdateInPlace : gpuvm::impl::UpdateInPlaceBase<UpdateInPlace> {
  void runOnOperation() override {
    const Effects *effects = &getAnalysis<Effects>();
    std::optional<Effects> own; // Of the program as it has become.
    while (Updater(getOperation(), *effects).run()) {
      ++numUpdated;
      effects = &own.emplace(getOperation());
      own->orderProgram();
    }
    if (!own)
      markAllAnalysesPreserved();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels that copy or select
//===----------------------------------------------------------------------===//

static YieldOp yieldOf(flow::DispatchOp kernel) {
  return cast<YieldOp>(kernel.getBody().front().getTerminator());
}

static Value outsideOf(flow::DispatchOp kernel, Value inside) {
  auto argument = dyn_cast<BlockArgument>(withoutReshapes(inside));
  return argument ? kernel.getInputs()[argument.getArgNumber()] : Value();
}

/// Whether `op` copies its only operand.
static bool isCopy(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getNumReductionLoops() != 0 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  return op.getBody()->getTerminator()->getOperand(0) ==
         op.getBody()->getArgument(0);
}

/// What `value`, a result of a kernel, copies, perhaps in another shape; null
/// if it is no copy.
static Value copiedFrom(Value value) {
  auto kernel = value.getDefiningOp<flow::DispatchOp>();
  if (!kernel)
    return Value();
  Value inside =
      yieldOf(kernel).getValues()[cast<OpResult>(value).getResultNumber()];
  auto copy = inside.getDefiningOp<linalg::GenericOp>();
  return copy && isCopy(copy) ? outsideOf(kernel, copy.getInputs().front())
                              : Value();
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// The store of `value` to `bytes`.
static StoreOp findStore(Value value, const Place &bytes) {
  for (Operation *user : value.getUsers())
    if (auto store = dyn_cast<StoreOp>(user))
      if (getPlace(store) == bytes)
        return store;
  return StoreOp();
}

/// The predicate of the select between `made` and the present contents of
/// `bytes` that `stored`, a result of a kernel, is; null if it is something
/// else.
static Value findCondition(OpResult stored, Value made, const Place &bytes) {
  auto kernel = cast<flow::DispatchOp>(stored.getOwner());
  auto choice = yieldOf(kernel)
                    .getValues()[stored.getResultNumber()]
                    .getDefiningOp<linalg::GenericOp>();
  std::optional<Alternative> chosen =
      choice ? getAlternative(choice) : std::nullopt;
  if (!chosen || outsideOf(kernel, chosen->yes) != made)
    return Value();
  Value other = outsideOf(kernel, chosen->no);
  auto load = other ? other.getDefiningOp<LoadOp>() : LoadOp();
  return load && getPlace(load) == bytes ? chosen->condition : Value();
}

/// Finds the store of the kernel's result, through a kernel that selects or
/// reshapes it, to the symbol of the update.
bool Updater::matchStore(Update &update) {
  Value made = update.kernel->getResult(update.result);
  Place bytes = getPlace(update.load);
  if (typeOf(made) == update.load.getType())
    update.store = findStore(made, bytes);
  else if (!llvm::all_of(made.getUsers(), llvm::IsaPred<flow::DispatchOp>))
    return false; // Only kernels see another shape in it.
  if (update.store)
    return true;
  for (Operation *user : made.getUsers()) {
    auto kernel = dyn_cast<flow::DispatchOp>(user);
    if (!kernel)
      continue;
    for (OpResult result : kernel->getResults()) {
      update.store = result.hasOneUse() ? findStore(result, bytes) : StoreOp();
      if (!update.store)
        continue;
      update.stored = result;
      update.condition = findCondition(result, made, bytes);
      if (update.condition || copiedFrom(result) == made)
        return true;
    }
  }
  return false;
}

std::optional<Update> Updater::match(flow::DispatchOp kernel, unsigned result) {
  std::optional<unsigned> input = kernel.getTiedOperand(result);
  if (!input)
    return std::nullopt;
  Value copy = kernel.getInputs()[*input];
  Value source = copy.hasOneUse() ? copiedFrom(copy) : Value();
  auto load = source ? source.getDefiningOp<LoadOp>() : LoadOp();
  if (!load)
    return std::nullopt;
  Update update = {kernel, result, *input, load, {}, {}, {}, {}};
  if (!matchStore(update))
    return std::nullopt;
  return update;
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

/// The stores to some of what `store` stores to.
SmallVector<StoreOp> Updater::storesLike(StoreOp store) const {
  return effects.getSymbolAccesses().storesTo(getPlace(store));
}

/// Whether what the symbol holds is what is loaded until that is stored over,
/// and no store but the kernel's changes it meanwhile.
bool Updater::isAlone(const Update &update) {
  StoreOp store = update.store;
  return isBefore(update.load, store) &&
         effects.areTogether(update.load, update.kernel) &&
         effects.areTogether(update.kernel, store) &&
         llvm::none_of(storesLike(store), [&](StoreOp other) {
           return isBefore(update.load, other) && isBefore(other, store);
         });
}

/// Whether all readers of the result come before a later store.
bool Updater::isLast(const Update &update) {
  Value made = update.kernel->getResult(update.result);
  bool isRead = llvm::any_of(made.getUsers(), [&](Operation *user) {
    return user != update.store &&
           !(update.stored && user == update.stored.getOwner());
  });
  return !isRead || llvm::none_of(storesLike(update.store), [&](StoreOp other) {
    return isBefore(update.store, other);
  });
}

/// Whether `kernel` reads operand `input` only for the select of `stored`.
static bool readsOnlyForChoice(flow::DispatchOp kernel, Value input,
                               OpResult stored) {
  Value made = yieldOf(kernel).getValues()[stored.getResultNumber()];
  Operation *choice = made.getDefiningOp();
  if (!made.hasOneUse())
    return false;
  SmallVector<Value> open;
  for (auto [operand, argument] :
       llvm::zip_equal(kernel.getInputs(), kernel.getBody().getArguments()))
    if (operand == input)
      open.push_back(argument);
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (user == choice)
        continue;
      if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
        return false;
      open.push_back(user->getResult(0));
    }
  return true;
}

/// Finds the readers of the old value that cannot come before the kernel; false
/// if what they read is not the copy.
bool Updater::findLateReaders(Update &update) {
  Place bytes = getPlace(update.store);
  for (LoadOp load : effects.getSymbolAccesses().loadsOf(bytes)) {
    if (!isBefore(load, update.store))
      continue;
    for (OpOperand &use : load->getUses()) {
      Operation *user = use.getOwner();
      bool goes = update.stored && user == update.stored.getOwner() &&
                  readsOnlyForChoice(cast<flow::DispatchOp>(user),
                                     load.getValue(), update.stored);
      if (!isa<CommandOpInterface>(user) || goes ||
          !effects.dependsOn(user, update.kernel))
        continue;
      auto reader = dyn_cast<flow::DispatchOp>(user);
      if (!reader || getPlace(load) != bytes)
        return false;
      update.late.push_back({reader, use.getOperandNumber()});
    }
  }
  return true;
}

/// Whether the kernel can run on the condition of the store.
bool Updater::mayWait(const Update &update) {
  if (!update.condition)
    return true;
  auto chooser = cast<flow::DispatchOp>(update.stored.getOwner());
  auto condition = KernelCondition::get(chooser, update.condition);
  if (!condition)
    return false;
  Place bytes = getPlace(update.store);
  for (Value source : condition->getSources()) {
    Operation *maker = source.getDefiningOp();
    auto load = dyn_cast_or_null<LoadOp>(maker);
    if ((load && getPlace(load).overlaps(bytes)) ||
        (maker && effects.dependsOn(maker, update.kernel)))
      return false;
  }
  return Need(*condition, /*unless=*/false)
      .findOtherwise(update.kernel)
      .has_value();
}

//===----------------------------------------------------------------------===//
// Doing
//===----------------------------------------------------------------------===//

static Value reshape(OpBuilder &b, Value value, RankedTensorType type) {
  Location loc = value.getLoc();
  auto all = [](RankedTensorType shape) {
    SmallVector<ReassociationIndices> groups;
    if (shape.getRank() > 0)
      groups.push_back(
          llvm::to_vector<2>(llvm::seq<int64_t>(0, shape.getRank())));
    return groups;
  };
  RankedTensorType from = typeOf(value);
  auto flat =
      RankedTensorType::get(type.getNumElements(), type.getElementType());
  if (from == type)
    return value;
  if (from.getRank() == 0)
    value = tensor::ExpandShapeOp::create(b, loc, flat, value, all(from));
  else if (from.getRank() > 1)
    value = tensor::CollapseShapeOp::create(b, loc, flat, value, all(from));
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, loc, type, value, all(type));
  if (type.getRank() > 1)
    return tensor::ExpandShapeOp::create(b, loc, type, value, all(type));
  return value;
}

/// Makes operand `number` of `kernel` another value with as many elements.
static void replaceInput(flow::DispatchOp kernel, unsigned number,
                         Value value) {
  Block &body = kernel.getBody().front();
  BlockArgument old = body.getArgument(number);
  BlockArgument argument =
      body.insertArgument(number, value.getType(), old.getLoc());
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  old.replaceAllUsesWith(reshape(b, argument, typeOf(old)));
  body.eraseArgument(number + 1);
  kernel.setOperand(number, value);
}

/// Makes result `number` of `kernel`, which commands read, one of type `type`.
static void reshapeResult(flow::DispatchOp kernel, unsigned number,
                          RankedTensorType type) {
  OpResult result = kernel->getResult(number);
  if (typeOf(result) == type)
    return;
  YieldOp yield = yieldOf(kernel);
  OpBuilder b(yield);
  yield->setOperand(number, reshape(b, yield.getValues()[number], type));
  result.setType(type);
  for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
    if (auto reader = dyn_cast<flow::DispatchOp>(user))
      for (unsigned i = 0; i < reader.getInputs().size(); ++i)
        if (reader.getInputs()[i] == result)
          replaceInput(reader, i, result);
}

void Updater::apply(const Update &update) {
  flow::DispatchOp kernel = update.kernel;
  LoadOp load = update.load;
  StoreOp store = update.store;
  auto copier =
      kernel.getInputs()[update.input].getDefiningOp<flow::DispatchOp>();
  if (update.condition) {
    auto chooser = cast<flow::DispatchOp>(update.stored.getOwner());
    auto condition = KernelCondition::get(chooser, update.condition);
    ScatterOp scatter = *kernel.getBody().getOps<ScatterOp>().begin();
    Value own = getUpdateCondition(scatter); // Of another result's store.
    if (!own || !condition->is(kernel, own))
      updateOnCondition(scatter, condition->compute(kernel, scatter));
  }
  for (auto [reader, number] : update.late)
    replaceInput(reader, number, kernel.getInputs()[update.input]);
  reshapeResult(kernel, update.result, typeOf(load.getValue()));
  replaceInput(kernel, update.input, load.getValue());
  store.getValueMutable().assign(kernel->getResult(update.result));
  pruneKernel(copier);
  if (update.stored)
    pruneKernel(cast<flow::DispatchOp>(update.stored.getOwner()));
}

bool Updater::run() {
  for (auto kernel : listOps<flow::DispatchOp>(program))
    for (unsigned i = 0; i < kernel->getNumResults(); ++i) {
      std::optional<Update> update = match(kernel, i);
      if (update && isAlone(*update) && isLast(*update) &&
          findLateReaders(*update) && mayWait(*update)) {
        apply(*update);
        return true;
      }
    }
  return false;
}
