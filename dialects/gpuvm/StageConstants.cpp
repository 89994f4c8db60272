//===- StageConstants.cpp - constants that stage bodies use ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/StageConstants.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Looking ahead
//===----------------------------------------------------------------------===//

namespace {

/// Walks over the text of a region, which ends with a null character. A name is
/// defined where it stands before `=` (results, loop variables), or with a type
/// in a list in parentheses that belongs to a region: `^bb0(%a: f32)`, and
/// `(%a: f32)` after a space. In `ins(%a : f32)` it is used, and after a space,
/// too, which MLIR's own printer does not write.
class Lookahead {
public:
  explicit Lookahead(const char *text) : at(text) {}

  SmallVector<OpAsmParser::UnresolvedOperand> run();

private:
  struct Bracket {
    char kind;
    bool isArgumentList;
  };

  void readBracket();
  bool isOperandList() const;
  void readName();
  void skipString();
  void skipComment();
  bool isDefined(const char *end) const;

  static const char *skipSpace(const char *p);
  static const char *skipName(const char *p);
  static bool isNameCharacter(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
  }

  const char *at;
  bool afterLabel = false; ///< `at` is directly after `^name`.
  SmallVector<Bracket> open;
  llvm::StringSet<> seen;
  SmallVector<OpAsmParser::UnresolvedOperand> outer;
};

} // namespace

const char *Lookahead::skipSpace(const char *p) {
  while (llvm::isSpace(*p))
    ++p;
  return p;
}

/// Over `%name`, of digits only or of none at its beginning.
const char *Lookahead::skipName(const char *p) {
  ++p;
  if (llvm::isDigit(*p)) {
    while (llvm::isDigit(*p))
      ++p;
    return p;
  }
  while (isNameCharacter(*p))
    ++p;
  return p;
}

void Lookahead::skipString() {
  for (++at; *at && *at != '"'; ++at)
    if (*at == '\\' && at[1])
      ++at;
  if (*at)
    ++at;
}

void Lookahead::skipComment() {
  while (*at && *at != '\n')
    ++at;
}

/// Whether the parenthesis here, in brackets, belongs to the word before it.
bool Lookahead::isOperandList() const {
  const char *end = at;
  while (llvm::isSpace(end[-1]))
    --end;
  const char *begin = end;
  while (isNameCharacter(begin[-1]))
    --begin;
  StringRef word(begin, end - begin);
  return end == at ? !word.empty() : word == "ins" || word == "outs";
}

void Lookahead::readBracket() {
  if (llvm::is_contained({'{', '(', '['}, *at)) {
    bool isList = *at == '(' && (afterLabel || !isOperandList());
    open.push_back({*at, isList});
  } else {
    open.pop_back();
  }
  ++at;
}

/// Whether a name is defined whose text ends at `end`.
bool Lookahead::isDefined(const char *end) const {
  const char *p = end;
  if (*p == ':' && llvm::isDigit(p[1]))
    return true; // %results:2 =
  p = skipSpace(p);
  if (*p == '=')
    return true;
  if (open.back().kind == '(')
    return *p == ':' && open.back().isArgumentList;
  // %a, %b = ...
  while (*p == ',') {
    p = skipSpace(p + 1);
    if (*p != '%')
      return false;
    p = skipName(p);
    if (*p == ':' && llvm::isDigit(p[1]))
      return true;
    p = skipSpace(p);
    if (*p == '=')
      return open.back().kind == '{';
  }
  return false;
}

void Lookahead::readName() {
  const char *begin = at;
  at = skipName(at);
  StringRef name(begin, at - begin);
  bool isNew = seen.insert(name).second;
  if (!isNew || isDefined(at))
    return;
  unsigned number = 0;
  if (*at == '#')
    (void)StringRef(at + 1).take_while(llvm::isDigit).getAsInteger(10, number);
  outer.push_back({SMLoc::getFromPointer(begin), name, number});
}

SmallVector<OpAsmParser::UnresolvedOperand> Lookahead::run() {
  if (*at != '{')
    return {};
  do {
    bool isLabel = false;
    if (*at == '"') {
      skipString();
    } else if (at[0] == '/' && at[1] == '/') {
      skipComment();
    } else if (*at == '%') {
      readName();
    } else if (*at == '^') {
      at = skipName(at);
      isLabel = true;
    } else if (at[0] == '-' && at[1] == '>') {
      at += 2;
    } else if (llvm::is_contained({'{', '(', '[', '}', ')', ']'}, *at)) {
      readBracket();
    } else {
      ++at;
    }
    afterLabel = isLabel;
  } while (*at && !open.empty());
  return std::move(outer);
}

SmallVector<OpAsmParser::UnresolvedOperand>
gpuvm::findOuterNames(const char *text) {
  return Lookahead(text).run();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The value of a name; null if there is none yet. The parser resolves a name
/// only with its type: a first attempt, with type none, fails with a diagnostic
/// that has the type.
static Value lookUp(OpAsmParser &parser,
                    const OpAsmParser::UnresolvedOperand &name) {
  Type type;
  SmallVector<Value> found;
  {
    ScopedDiagnosticHandler handler(
        parser.getContext(), [&](Diagnostic &diagnostic) {
          for (const DiagnosticArgument &argument : diagnostic.getArguments())
            if (argument.getKind() ==
                DiagnosticArgument::DiagnosticArgumentKind::Type)
              type = argument.getAsType();
        });
    Type none = parser.getBuilder().getNoneType();
    if (succeeded(parser.resolveOperand(name, none, found)) || !type)
      return Value();
  }
  if (failed(parser.resolveOperand(name, type, found)))
    return Value();
  return found.front();
}

/// Says how to give the stage the value of `name`, in words that can be copied.
static ParseResult refuse(OpAsmParser &parser,
                          const OpAsmParser::UnresolvedOperand &name,
                          Type type) {
  std::string written;
  llvm::raw_string_ostream stream(written);
  stream << name.name << " = " << name.name;
  if (name.number)
    stream << '#' << name.number;
  stream << " : " << type;
  return emitError(parser.getEncodedSourceLoc(name.location))
         << name.name
         << " comes from outside of the stage, and its body sees only what the "
            "stage is given: write "
         << written << " among its operands";
}

ParseResult
gpuvm::parseOuterConstants(OpAsmParser &parser, OperationState &stage,
                           SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  llvm::StringSet<> given;
  for (const OpAsmParser::Argument &argument : arguments)
    given.insert(argument.ssaName.name);
  const char *body = parser.getCurrentLocation().getPointer();
  for (const auto &name : findOuterNames(body)) {
    if (given.contains(name.name))
      continue;
    Value value = lookUp(parser, name);
    if (!value)
      return emitError(parser.getEncodedSourceLoc(name.location))
             << name.name << " is defined neither in the stage nor before it";
    Operation *source = value.getDefiningOp();
    if (!source || !source->hasTrait<OpTrait::ConstantLike>())
      return refuse(parser, name, value.getType());
    stage.operands.push_back(value);
    OpAsmParser::Argument &argument = arguments.emplace_back();
    argument.ssaName = name;
    argument.type = value.getType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Into the bodies
//===----------------------------------------------------------------------===//

/// Whether the body of a stage may have the constant that is operand `i`.
static bool canSink(StageOp stage, unsigned i) {
  Operation *source = stage.getInputs()[i].getDefiningOp();
  BlockArgument argument = stage.getBody().getArgument(i);
  return source && source->hasTrait<OpTrait::ConstantLike>() &&
         argument.getType() == source->getResult(0).getType() &&
         argument != stage.getCondition() &&
         !llvm::is_contained(stage.getSend().getOtherwise(), argument);
}

static void sinkConstants(StageOp stage) {
  Block &body = stage.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  llvm::BitVector sunk(stage->getNumOperands());
  for (auto [i, input] : llvm::enumerate(stage.getInputs())) {
    if (!canSink(stage, i))
      continue;
    Value constant = builder.clone(*input.getDefiningOp())->getResult(0);
    body.getArgument(i).replaceAllUsesWith(constant);
    sunk.set(i);
  }
  body.eraseArguments(sunk);
  stage->eraseOperands(sunk);
}

void gpuvm::sinkConstants(ProgramOp program) {
  program.walk([](StageOp stage) { ::sinkConstants(stage); });
  program.walk([](Operation *op) {
    bool isOutside = op->getParentOp()->hasTrait<HoldsStages>();
    if (isOutside && op->hasTrait<OpTrait::ConstantLike>() && op->use_empty())
      op->erase();
  });
}
