//===- PlaceState.cpp - registers for the iteration values of loops -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each iteration value is stored before the loop, loaded at the beginning of
// the body, stored at its end and loaded after the loop; CarriedState says in
// which registers. What a dispatch chooses otherwise, in an iteration after the
// last one, becomes what is in the register that it stores to, so that it need
// not run then.
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Alternative.h"
#include "passes/Passes.h"
#include "passes/analysis/AddMap.h"
#include "passes/analysis/Commands.h"
#include "passes/analysis/PruneKernel.h"
#include "passes/expand/ElementBuilder.h"
#include "passes/plan/CarriedState.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_PLACESTATE
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

struct PlaceState : gpuvm::impl::PlaceStateBase<PlaceState> {
  void runOnOperation() override;
};

/// Places the values of one loop.
class StatePlacer {
public:
  explicit StatePlacer(flow::LoopOp loop)
      : loop(loop), program(loop->getParentOfType<ProgramOp>()),
        loc(loop.getLoc()), b(loop),
        stages(b.getStrArrayAttr(loop.getSymName().value_or("loop"))) {}
  void run();

private:
  void addStage();
  std::optional<unsigned> getNumber() const;
  bool needsNumber();
  void dropNumber();
  void addRegisters();
  StringAttr addRegister(const Twine &suffix, Type type);
  Value load(unsigned i, StringAttr symbol) {
    return LoadOp::create(b, loc, loop.getInitial()[i].getType(), symbol,
                          IntegerAttr());
  }
  void store(Value value, unsigned i, StringAttr symbol);
  bool keepOtherwise(OpResult value, unsigned i, StringAttr symbol,
                     bool isFirst);
  flow::DispatchOp addOwnMap(const Twine &name, ValueRange inputs,
                             MapBody body);
  void dropExposures(Value value);
  Value copyIfOverwritten(Value value);
  void start();
  void lowerBody();
  void finish();
  SmallVector<Value> settle(ArrayRef<unsigned> which);
  StringAttr symbolOf(const CarriedState::Place &place) const {
    return (place.isNext ? nexts : carried)[place.number];
  }

  flow::LoopOp loop;
  ProgramOp program;
  Location loc;
  OpBuilder b;
  ArrayAttr stages;
  std::optional<CarriedState> state;
  SmallVector<StringAttr> carried; ///< The registers.
  SmallVector<StringAttr> nexts;   ///< Those for the next iteration, or null.
  std::optional<unsigned> dropped; ///< The value that nothing reads.
};

} // namespace

//===----------------------------------------------------------------------===//
// The number of the iteration
//===----------------------------------------------------------------------===//

/// Which value counts the iterations, of a loop that the device ends.
std::optional<unsigned> StatePlacer::getNumber() const {
  std::optional<uint64_t> go = flow::LoopOp(loop).getGo();
  return go ? std::optional<unsigned>(*go - 1) : std::nullopt;
}

/// Whether nothing but result `number` of `dispatch` depends on `input`.
static bool isOnlyFor(flow::DispatchOp dispatch, Value input, unsigned number) {
  SmallVector<Value> open;
  for (auto [operand, argument] :
       llvm::zip_equal(dispatch.getInputs(), dispatch.getBody().getArguments()))
    if (operand == input)
      open.push_back(argument);
  Block &body = dispatch.getBody().front();
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *op = body.findAncestorOpInBlock(*use.getOwner());
      if (isa<YieldOp>(op) && use.getOperandNumber() != number)
        return false;
      llvm::append_range(open, op->getResults());
    }
  return true;
}

/// Whether the number of the iteration is read.
bool StatePlacer::needsNumber() {
  unsigned number = *getNumber();
  BlockArgument argument = loop.getBody().getArgument(number);
  Value next = loop.getEnd().getValues()[number];
  if (!state->getRotations().empty() || !loop.getResult(number).use_empty())
    return true;
  if (next == argument)
    return !argument.hasOneUse();
  auto maker = next.getDefiningOp<flow::DispatchOp>();
  auto isMaker = [&](Operation *user) { return user == maker; };
  return !maker || !next.hasOneUse() ||
         !llvm::all_of(argument.getUsers(), isMaker) ||
         !isOnlyFor(maker, argument, cast<OpResult>(next).getResultNumber());
}

/// Computes it no longer.
void StatePlacer::dropNumber() {
  dropped = getNumber();
  OpOperand &next = loop.getEnd()->getOpOperand(*dropped);
  auto maker = next.get().getDefiningOp<flow::DispatchOp>();
  next.set(loop.getBody().getArgument(*dropped));
  if (maker)
    pruneKernel(maker);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The commands that store and choose the values are for a stage of the loop's
/// name.
void StatePlacer::addStage() {
  auto add = [&](ArrayAttr all, Attribute one) {
    SmallVector<Attribute> more(all.getValue());
    more.push_back(one);
    return b.getArrayAttr(more);
  };
  if (std::optional<ArrayAttr> names = program.getStages())
    program.setStagesAttr(add(*names, stages[0]));
  if (std::optional<ArrayAttr> where = program.getStageLocations())
    program.setStageLocationsAttr(add(*where, LocationAttr(loc)));
}

StringAttr StatePlacer::addRegister(const Twine &suffix, Type type) {
  OpBuilder first = OpBuilder::atBlockBegin(&program.getBody().front());
  StringAttr name =
      freeName(program, loop.getSymName().value_or("loop") + suffix);
  RegisterOp::create(first, loc, name, type, ElementsAttr(), StringAttr(),
                     WindowAttr());
  return name;
}

void StatePlacer::addRegisters() {
  for (auto [i, value] : llvm::enumerate(loop.getInitial())) {
    if (i == dropped) {
      carried.emplace_back();
      nexts.emplace_back();
      continue;
    }
    bool isGo = loop.getGo() == i;
    std::string name = isGo ? ".go" : "." + std::to_string(i);
    carried.push_back(addRegister(name, value.getType()));
    nexts.push_back(state->hasNext(i)
                        ? addRegister(name + ".next", value.getType())
                        : StringAttr());
  }
}

void StatePlacer::store(Value value, unsigned i, StringAttr symbol) {
  auto store = StoreOp::create(b, loc, value, symbol.getValue());
  store.setStagesAttr(stages);
}

/// A map that computes results from `inputs`.
flow::DispatchOp StatePlacer::addOwnMap(const Twine &name, ValueRange inputs,
                                        MapBody body) {
  return addMap(b, loc, loop.getSymName().value_or("loop") + name, stages,
                inputs, body);
}

/// If a dispatch chooses `value` where a loop goes on, it keeps what `symbol`
/// holds where it does not. In the first iteration that may be anything.
bool StatePlacer::keepOtherwise(OpResult value, unsigned i, StringAttr symbol,
                                bool isFirst) {
  auto dispatch =
      dyn_cast_or_null<flow::DispatchOp>(value ? value.getOwner() : nullptr);
  if (!dispatch)
    return false;
  Block &body = dispatch.getBody().front();
  OpOperand &yielded =
      body.getTerminator()->getOpOperand(value.getResultNumber());
  auto generic = yielded.get().getDefiningOp<linalg::GenericOp>();
  std::optional<Alternative> choice =
      generic ? getAlternative(generic) : std::nullopt;
  auto outside = [&](Value inside) {
    auto argument = dyn_cast<BlockArgument>(inside);
    return argument ? dispatch.getInputs()[argument.getArgNumber()] : Value();
  };
  if (!choice ||
      !saysGoesOn(outside(choice->condition),
                  isFirst ? loop->getParentOfType<flow::LoopOp>() : loop))
    return false;
  if (!isFirst && outside(choice->no) != loop.getBody().getArgument(i))
    return false;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(dispatch);
  dispatch.getInputsMutable().append(load(i, symbol));
  Value held = body.addArgument(loop.getInitial()[i].getType(), loc);
  OpBuilder inside(generic);
  yielded.set(chooseElements(inside, generic.getLoc(), choice->condition,
                             choice->yes, held));
  if (generic.use_empty())
    generic.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// What only the loop reads is found in its registers.
void StatePlacer::dropExposures(Value value) {
  auto exposes = [](Operation *user) { return isa<flow::ExposeOp>(user); };
  if (llvm::all_of(value.getUsers(), [&](Operation *user) {
        return user == loop || exposes(user);
      }))
    for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
      if (exposes(user))
        user->erase();
}

/// Stores the first values.
void StatePlacer::start() {
  b.setInsertionPoint(loop);
  for (auto [i, value] : llvm::enumerate(loop.getInitial())) {
    if (i == dropped)
      continue;
    StringAttr symbol = symbolOf(state->getStart(i));
    keepOtherwise(dyn_cast<OpResult>(value), i, symbol, /*isFirst=*/true);
    dropExposures(value);
    store(value, i, symbol);
  }
}

/// A copy of an iteration value that another value becomes, if its register is
/// stored to.
Value StatePlacer::copyIfOverwritten(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &loop.getBody().front() ||
      !state->isStored(argument.getArgNumber()) ||
      state->hasNext(argument.getArgNumber()))
    return value;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(argument.getOwner());
  return flow::CopyOp::create(b, loc, value.getType(), value, stages,
                              ArrayAttr(), ArrayAttr());
}

/// Stores the next values.
void StatePlacer::lowerBody() {
  flow::NextOp end = loop.getEnd();
  b.setInsertionPoint(end);
  for (auto [i, value] : llvm::enumerate(end.getValues())) {
    if (!state->isStored(i) || i == dropped)
      continue;
    StringAttr symbol = (nexts[i] ? nexts : carried)[i];
    Value made = copyIfOverwritten(value);
    if (!keepOtherwise(dyn_cast<OpResult>(made), i, symbol,
                       /*isFirst=*/false) &&
        loop.getGo())
      made = addOwnMap("." + Twine(i) + ".kept",
                       {loop.getWhile(), made, load(i, symbol)},
                       [&](OpBuilder &inside, ValueRange values) {
                         return SmallVector<Value>{chooseElements(
                             inside, loc, values[0], values[1], values[2])};
                       })
                 ->getResult(0);
    store(made, i, symbol);
  }
  end.getValuesMutable().clear();
  b.setInsertionPointToStart(&loop.getBody().front());
  for (BlockArgument argument : loop.getBody().getArguments())
    if (!argument.use_empty())
      argument.replaceAllUsesWith(
          load(argument.getArgNumber(), carried[argument.getArgNumber()]));
}

/// Where the device decides which iteration is the last one, a value may be in
/// any register of its rotation: chooses those `which`, of as many elements.
SmallVector<Value> StatePlacer::settle(ArrayRef<unsigned> which) {
  SmallVector<Value> inputs = {load(*getNumber(), carried[*getNumber()])};
  for (unsigned i : which)
    for (const CarriedState::Place &place : *state->find(i).first)
      inputs.push_back(load(place.number, symbolOf(place)));
  auto settled =
      addOwnMap(".settle", inputs, [&](OpBuilder &inside, ValueRange values) {
        SmallVector<Value> chosen;
        Value went = values.front();
        ValueRange held = values.drop_front();
        for (unsigned i : which) {
          auto [rotation, role] = state->find(i);
          uint32_t length = rotation->size();
          Value value = held[role];
          for (uint32_t at = 1; at < length; ++at) {
            Value is =
                makeElements(inside, loc, {}, inside.getI1Type(), went,
                             [&](ScalarBuilder &, ArrayRef<Expr>,
                                 ArrayRef<Expr> elements) {
                               Expr ran = elements[0] + 1; // The last one.
                               ran = min(ran, uint32_t(loop.getTimes())) +
                                     uint32_t(state->getPhase() % length);
                               return SmallVector<Value>{ran % length == at};
                             })
                    .getResult(0);
            value = chooseElements(inside, loc, is, held[(role + at) % length],
                                   value);
          }
          chosen.push_back(value);
          held = held.drop_front(length);
        }
        return chosen;
      });
  return SmallVector<Value>(settled->getResults());
}

/// Loads the last values.
void StatePlacer::finish() {
  b.setInsertionPointAfter(loop);
  llvm::MapVector<int64_t, SmallVector<unsigned>> unsettled; // By elements.
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    if (result.use_empty())
      continue;
    else if (loop.getGo() && state->find(i).first)
      unsettled[typeOf(result).getNumElements()].push_back(i);
    else
      result.replaceAllUsesWith(load(i, carried[i]));
  for (auto &[elements, which] : unsettled)
    for (auto [i, value] : llvm::zip_equal(which, settle(which)))
      loop.getResult(i).replaceAllUsesWith(value);
}

void StatePlacer::run() {
  SmallVector<unsigned> fixed;
  if (std::optional<uint64_t> go = loop.getGo())
    fixed = {unsigned(*go - 1), unsigned(*go)};
  state.emplace(loop, fixed);
  addStage();
  if (loop.getGo() && !needsNumber())
    dropNumber();
  addRegisters();
  start();
  lowerBody();
  finish();
  SmallVector<Attribute> rotations;
  for (const CarriedState::Rotation &rotation : state->getRotations())
    rotations.push_back(b.getArrayAttr(llvm::map_to_vector(
        rotation, [&](const CarriedState::Place &place) -> Attribute {
          return FlatSymbolRefAttr::get(symbolOf(place));
        })));
  b.setInsertionPoint(loop);
  auto placed =
      flow::LoopOp::create(b, loc, loop.getSymNameAttr(), loop.getTimes(),
                           ValueRange(), TypeRange());
  if (!rotations.empty())
    placed.setRotationsAttr(b.getArrayAttr(rotations));
  placed.setPhase(state->getPhase());
  if (std::optional<uint64_t> go = loop.getGo())
    placed.setConditionAttr(FlatSymbolRefAttr::get(carried[*go]));
  Block &body = loop.getBody().front();
  body.eraseArguments(0, body.getNumArguments());
  placed.getBody().takeBody(loop.getBody());
  Value unread = dropped ? Value(loop.getInitial()[*dropped]) : Value();
  loop.erase();
  if (unread && unread.use_empty())
    if (auto maker = unread.getDefiningOp<flow::DispatchOp>())
      pruneKernel(maker);
}

void PlaceState::runOnOperation() {
  SmallVector<flow::LoopOp> loops = listOps<flow::LoopOp>(getOperation());
  for (flow::LoopOp loop : llvm::reverse(loops)) // Inner ones first.
    if (!loop.getInitial().empty())
      StatePlacer(loop).run();
}
