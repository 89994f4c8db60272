//===- Diagnostics.cpp - diagnostics of the compiler ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Diagnostics.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "runtime/base/NearName.h"
#include "runtime/base/Printable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace mlir;
using namespace mlir::gpuvm;

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

/// What to do with a message that an operation takes as a tensor.
static std::string explainMessage(const TypeMismatch &mismatch) {
  auto [name, operation, written, actual] = mismatch;
  bool isOurs =
      operation.empty() ||
      operation.starts_with(GpuvmDialect::getDialectNamespace().str() + ".");
  if (isOurs)
    return llvm::formatv("{0} is a message, not a tensor: write {1}, not {2}",
                         name, toText(actual), toText(written));
  return llvm::formatv("{0} is a message, which stages receive, and {1} cannot "
                       "stand between stages: put it into the body of a stage",
                       name, operation);
}

std::string gpuvm::explain(const TypeMismatch &mismatch) {
  auto [name, operation, written, actual] = mismatch;
  std::string writtenText = toText(written), actualText = toText(actual);
  if (isa<MessageType>(actual) && !isa<MessageType>(written))
    return explainMessage(mismatch);
  if (isa<MessageType>(written) && !isa<MessageType>(actual))
    return llvm::formatv("{0} is no message (in the body of a stage, a message "
                         "is its payload): write {1}, not {2}",
                         name, actualText, writtenText);
  auto tensor = dyn_cast<RankedTensorType>(written);
  if (tensor && actual.isIntOrIndexOrFloat())
    return llvm::formatv("{0} is a number ({1}), not a {2}: write a constant "
                         "as arith.constant dense<...> : {2}, and make any "
                         "other number a tensor with tensor.splat {0} : {2}",
                         name, actualText, writtenText);
  if (isa<RankedTensorType>(actual) && written.isIntOrIndexOrFloat())
    return llvm::formatv("{0} is a {1}, not a number ({2}): an element of it "
                         "is read with tensor.extract",
                         name, actualText, writtenText);
  return llvm::formatv("{0} is a {1}, not a {2}", name, actualText,
                       writtenText);
}

/// What to convert a dialect to whose programs people bring along.
static StringRef conversionOf(StringRef dialect) {
  return llvm::StringSwitch<StringRef>(dialect)
      .Case("tosa", "; convert to linalg first: mlir-opt "
                    "--pass-pipeline='builtin.module(func.func("
                    "tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith))'")
      .Cases({"stablehlo", "mhlo", "chlo"},
             "; convert to linalg first: stablehlo-opt "
             "--stablehlo-legalize-to-linalg")
      .Cases({"torch", "onnx", "tfl"}, "; export the model to linalg first")
      .Case("complex", "; real and imaginary parts are two tensors, as "
                       "gpuvm.fft has them: of e^(x + iy) they are math.exp of "
                       "x times math.cos and math.sin of y")
      .Default("");
}

/// The dialect of the word that `text` begins with; empty if it names none.
static StringRef dialectOf(StringRef text) {
  StringRef dialect = text.take_while(
      [](char c) { return llvm::isLower(c) || llvm::isDigit(c) || c == '_'; });
  bool isNumber = !text.empty() && llvm::isDigit(text.front());
  bool isDialect = text.drop_front(dialect.size()).starts_with(".");
  return isDialect && !isNumber ? dialect : "";
}

static StringRef lastOperation(StringRef text);

/// The dialect that an error between `before` and `rest` is about. The parser
/// points at an operation, after its name if that is quoted, after types and
/// attributes, and an operation at what it takes.
static StringRef dialectAt(StringRef before, StringRef rest) {
  if (StringRef dialect = dialectOf(rest); !dialect.empty())
    return dialect;
  if (rest.starts_with("(") && before.consume_back("\""))
    return dialectOf(before.substr(before.rfind('"') + 1));
  size_t sigil = before.find_last_of("!#");
  bool isText = before.take_front(sigil).count('"') % 2 != 0;
  StringRef dialect = sigil == StringRef::npos || isText
                          ? ""
                          : dialectOf(before.drop_front(sigil + 1));
  return dialect.empty() ? dialectOf(lastOperation(before)) : dialect;
}

std::optional<std::string>
gpuvm::explainUnknownDialect(const Diagnostic &diagnostic, StringRef before,
                             StringRef rest) {
  StringRef dialect = dialectAt(before, rest);
  MLIRContext *context = diagnostic.getLocation().getContext();
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
      dialect.empty() ||
      llvm::is_contained(context->getAvailableDialects(), dialect))
    return std::nullopt;
  return llvm::formatv("a program cannot have anything of the dialect '{0}': "
                       "stages are written in arith, math, tensor, linalg, scf "
                       "and gpuvm{1}",
                       dialect, conversionOf(dialect));
}

static bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || llvm::is_contained({'_', '$', '.', '-', '#'}, c);
}

/// The last word of `text` that is the name of an operation with its dialect.
static StringRef lastOperation(StringRef text) {
  StringRef last;
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, " \t(){}[]<>,=:");
  for (StringRef word : words)
    if (llvm::isLower(word.front()) && word.contains('.'))
      last = word;
  return last;
}

std::optional<std::string>
gpuvm::explainUnknownOperation(const Diagnostic &diagnostic, StringRef rest) {
  size_t length = llvm::find_if_not(rest, isNameCharacter) - rest.begin();
  StringRef name = rest.take_front(length);
  StringRef dialect = dialectOf(name);
  MLIRContext *context = diagnostic.getLocation().getContext();
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
      dialect.empty() || RegisteredOperationName::lookup(name, context))
    return std::nullopt;
  context->getOrLoadDialect(dialect);
  std::vector<std::string> known;
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == dialect)
      known.push_back(op.getStringRef().str());
  std::string near = vm::didYouMean(name.str(), known);
  return llvm::formatv("there is no operation '{0}'{1}", name,
                       near.empty() ? "" : " (" + near + ")");
}

/// `%r`, or `%r#0, %r#1` if there are several.
static std::string resultNames(StringRef name, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + name.str() +
            (count > 1 ? "#" + std::to_string(i) : "");
  return text;
}

std::string gpuvm::suggestProgram(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  if (functions.empty())
    return "";
  func::FuncOp function = *functions.begin();
  FunctionType type = function.getFunctionType();
  std::string parameters, arguments, names, inputs, results, messages;
  auto append = [](std::string &list, const std::string &item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  for (auto [i, input] : llvm::enumerate(type.getInputs())) {
    std::string name = "%x" + std::to_string(i), written = toText(input);
    append(parameters, name + ": " + written);
    append(arguments, name + " = " + name + " : " + written);
    append(names, name);
    append(inputs, written);
  }
  size_t count = type.getNumResults();
  std::string program;
  for (auto [i, result] : llvm::enumerate(type.getResults())) {
    append(results, toText(result));
    append(messages, "!gpuvm.message<" + toText(result) + ">");
    append(program, "y" + std::to_string(i) + ": " + toText(result));
  }
  std::string several = count > 1 ? ":" + std::to_string(count) : "";
  std::string tuple = count > 1 ? "(" + results + ")" : results;
  return llvm::formatv(
      "; put func.func @{0} in the place of <@{0}> in gpuvm.program "
      "@program({1}) -> ({2}) {{ <@{0}> %m{3} = gpuvm.stage @stage({4}) -> {5} "
      "{{ %r{3} = func.call "
      "@{0}({6}) : ({7}) -> {5} gpuvm.send {8} : {9} } gpuvm.return "
      "{10} : {11} }",
      function.getSymName(), parameters, program, several, arguments, tuple,
      names, inputs, resultNames("%r", count), results,
      resultNames("%m", count), messages);
}

std::optional<TypeMismatch>
gpuvm::findTypeMismatch(const Diagnostic &diagnostic, StringRef before,
                        StringRef rest) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
      !rest.starts_with("%") || !llvm::hasSingleElement(diagnostic.getNotes()))
    return std::nullopt;
  SmallVector<Type> types;
  for (const DiagnosticArgument &argument : diagnostic.getArguments())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      types.push_back(argument.getAsType());
  if (types.size() != 2)
    return std::nullopt;
  size_t length = 1 + rest.drop_front().take_while(isNameCharacter).size();
  return TypeMismatch{rest.take_front(length), lastOperation(before), types[0],
                      types[1]};
}

namespace {
/// Standard error without what a program could do to a terminal: names and
/// lines that are quoted may hold any bytes. Colours of LLVM pass where they
/// are seen.
class PrintableErrors : public llvm::raw_ostream {
public:
  PrintableErrors() {
    SetUnbuffered();
    enable_colors(true);
  }
  bool has_colors() const override { return llvm::errs().has_colors(); }

private:
  void write_impl(const char *bytes, size_t size) override;
  uint64_t current_pos() const override { return 0; }

  std::string line; ///< So far.
};
} // namespace

/// Bytes of the colour (ECMA-48, SGR) that `text` begins with, or 0.
static size_t colourLength(StringRef text) {
  if (!text.consume_front("\x1B["))
    return 0;
  size_t digits =
      text.take_while([](char c) { return llvm::isDigit(c) || c == ';'; })
          .size();
  return text.drop_front(digits).starts_with("m") ? digits + 3 : 0;
}

/// A line at a time, so that no character is cut.
void PrintableErrors::write_impl(const char *bytes, size_t size) {
  line.append(bytes, size);
  size_t end = line.rfind('\n') + 1;
  StringRef rest = StringRef(line).take_front(end);
  while (!rest.empty()) {
    size_t colour = has_colors() ? colourLength(rest) : 0;
    size_t next = colour ? colour : std::min(rest.find('\x1B', 1), rest.size());
    StringRef part = rest.take_front(next);
    llvm::errs() << (colour ? part.str() : vm::printableLines(part));
    rest = rest.drop_front(next);
  }
  line.erase(0, end);
}

static llvm::raw_ostream &printableErrors() {
  static PrintableErrors errors;
  return errors;
}

//===--- Messages that are kept -------------------------------------------===//

static thread_local KeptMessages *keptByThread = nullptr;

KeptMessages::KeptMessages() { keptByThread = this; }

KeptMessages::~KeptMessages() { keptByThread = nullptr; }

/// The number that `text` ends with, after a colon; both are taken away.
static unsigned takeNumber(StringRef &text) {
  auto [before, digits] = text.rsplit(':');
  unsigned number = 0;
  if (before.empty() || digits.getAsInteger(10, number))
    return 0;
  text = before;
  return number;
}

/// A line that begins with a place or the name of the tool.
static std::optional<LocatedMessage> parseHead(StringRef line) {
  for (auto [word, severity] :
       {std::pair(": error: ", DiagnosticSeverity::Error),
        std::pair(": warning: ", DiagnosticSeverity::Warning)}) {
    auto [file, message] = line.split(word);
    if (message.empty())
      continue;
    LocatedMessage parsed{severity, "", 0, 0, message.str(), ""};
    parsed.column = takeNumber(file);
    parsed.line = takeNumber(file);
    if (parsed.line == 0) // There is but one number, or none.
      std::swap(parsed.line, parsed.column);
    if (file != "gpuvm-compile")
      parsed.file = file.str();
    return parsed;
  }
  return std::nullopt;
}

std::vector<LocatedMessage> gpuvm::parseMessages(StringRef text) {
  std::vector<LocatedMessage> all;
  for (StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    if (std::optional<LocatedMessage> head = parseHead(line))
      all.push_back(std::move(*head));
    else if (all.empty())
      all.push_back({DiagnosticSeverity::Error, "", 0, 0, text.str(), ""});
    all.back().text += vm::printableLines(line) + '\n';
  }
  return all;
}

void gpuvm::printWarning(StringRef lines) {
  if (lines.empty())
    return;
  if (!keptByThread)
    llvm::errs() << lines << '\n';
  else
    llvm::append_range(keptByThread->all, parseMessages(lines));
}

/// The place that is shown first of `location`.
static FileLineColLoc placeOf(Location location) {
  FileLineColLoc place;
  location->walk([&](Location part) {
    place = dyn_cast<FileLineColLoc>(part);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

static LocatedMessage messageOf(const Diagnostic &diagnostic) {
  LocatedMessage message{diagnostic.getSeverity(), "", 0, 0,
                         diagnostic.str(),         ""};
  if (auto place = placeOf(diagnostic.getLocation())) {
    message.file = place.getFilename().str();
    message.line = place.getLine();
    message.column = place.getColumn();
  } else if (auto file = dyn_cast<NameLoc>(diagnostic.getLocation())) {
    message.file = file.getName().str();
  }
  return message;
}

//===--- Values -----------------------------------------------------------===//

/// MLIR keeps what is not printed with a diagnostic.
void gpuvm::nameValues(Diagnostic &diagnostic, StringRef values) {
  if (!values.empty())
    diagnostic.getMetadata().push_back(DiagnosticArgument(Attribute(
        StringAttr::get(diagnostic.getLocation().getContext(), values))));
}

/// In parentheses, after a blank; or "".
static std::string valuesOf(Diagnostic &diagnostic) {
  for (const DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() ==
        DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      if (auto values = dyn_cast<StringAttr>(argument.getAsAttribute()))
        return (" (" + values.getValue() + ")").str();
  return "";
}

//===--- Printing ---------------------------------------------------------===//

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext &context)
    : SourceMgrDiagnosticHandler(
          sources, &context,
          keptByThread ? static_cast<llvm::raw_ostream &>(keptByThread->stream)
                       : printableErrors()),
      kept(keptByThread) {
  // A program may name any place, as in loc("/dev/zero":1:1), and MLIR opens
  // that file to show its line.
  sources.setVirtualFileSystem(
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>());
  context.printOpOnDiagnostic(false);
  setHandler([this](Diagnostic &diagnostic) { print(diagnostic); });
}

/// The line of the source, from its beginning; empty if there is none.
StringRef DiagnosticPrinter::lineOf(FileLineColLoc place) {
  const llvm::MemoryBuffer *buffer = getBufferForFile(place.getFilename());
  StringRef rest = buffer ? buffer->getBuffer() : "";
  for (unsigned line = 1; line < place.getLine(); ++line)
    rest = rest.split('\n').second;
  return rest.split('\n').first;
}

/// What gpuvm says instead of a message of MLIR's parser.
std::optional<std::string>
DiagnosticPrinter::rephrase(const Diagnostic &diagnostic) {
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  StringRef line = place ? lineOf(place) : "";
  if (!place || place.getColumn() == 0 || place.getColumn() > line.size())
    return std::nullopt;
  StringRef before = line.take_front(place.getColumn() - 1);
  StringRef rest = line.drop_front(before.size());
  if (auto mismatch = findTypeMismatch(diagnostic, before, rest))
    return explain(*mismatch);
  if (auto unknown = explainUnknownDialect(diagnostic, before, rest))
    return unknown;
  return explainUnknownOperation(diagnostic, rest);
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  auto file = dyn_cast<NameLoc>(diagnostic.getLocation());
  std::optional<std::string> own = rephrase(diagnostic);
  std::string values = valuesOf(diagnostic);
  if (own)
    *own += values;
  else if (!values.empty())
    diagnostic << Twine(values);
  if (file && isa<UnknownLoc>(file.getChildLoc()))
    llvm::SMDiagnostic(file.getName(), llvm::SourceMgr::DK_Error,
                       diagnostic.str())
        .print(/*ProgName=*/nullptr, os);
  else if (own)
    emitDiagnostic(diagnostic.getLocation(), *own, diagnostic.getSeverity());
  else
    emitDiagnostic(diagnostic);
  if (kept)
    keep(diagnostic, own);
}

/// With what has just been printed of it.
void DiagnosticPrinter::keep(const Diagnostic &diagnostic,
                             const std::optional<std::string> &own) {
  LocatedMessage message = messageOf(diagnostic);
  if (own)
    message.message = *own;
  message.text = vm::printableLines(std::exchange(kept->printed, ""));
  kept->all.push_back(std::move(message));
  if (!own)
    for (const Diagnostic &note : diagnostic.getNotes())
      kept->all.push_back(messageOf(note));
}
