//===- FillText.cpp - values in the text of a program ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/FillText.h"

#include "compiler/Diagnostics.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Location.h"

#include <string>
#include <utility>

using namespace mlir;
using namespace mlir::gpuvm;

struct FillText::Filled {
  std::string file;
  vm::FilledText text;
  bool isParsed = false; ///< Locations are of the file.

  FileLineColLoc moveToFile(FileLineColLoc place) const {
    return FileLineColLoc::get(
        place.getFilename(), place.getLine(),
        text.columnInFile(place.getLine(), place.getColumn()));
  }
  Location moveToFile(Location location) const;
  Diagnostic moveToFile(Diagnostic &diagnostic) const;
  void addValues(Diagnostic &diagnostic) const;
};

static FileLineColLoc placeIn(Location location, StringRef file) {
  FileLineColLoc place;
  location->walk([&](Location part) {
    place = dyn_cast<FileLineColLoc>(part);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place && place.getFilename() == file ? place : FileLineColLoc();
}

Location FillText::Filled::moveToFile(Location location) const {
  FileLineColLoc place = placeIn(location, file);
  return place == location ? Location(moveToFile(place)) : location;
}

/// `copy` becomes what `diagnostic` says.
static void append(Diagnostic &copy, Diagnostic &diagnostic) {
  for (const DiagnosticArgument &argument : diagnostic.getArguments())
    if (argument.getKind() ==
        DiagnosticArgument::DiagnosticArgumentKind::String)
      copy << Twine(argument.getAsString()); // The other one's memory ends.
    else
      copy << DiagnosticArgument(argument);
}

Diagnostic FillText::Filled::moveToFile(Diagnostic &diagnostic) const {
  Diagnostic moved(moveToFile(diagnostic.getLocation()),
                   diagnostic.getSeverity());
  append(moved, diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    append(moved.attachNote(moveToFile(note.getLocation())), note);
  return moved;
}

void FillText::Filled::addValues(Diagnostic &diagnostic) const {
  FileLineColLoc place = placeIn(diagnostic.getLocation(), file);
  if (place)
    nameValues(diagnostic, text.valuesAt(place.getLine()));
}

LogicalResult FillText::fill(const vm::Settings &settings) {
  StringRef name = file.getBufferIdentifier();
  if (isBytecode(file) && !settings.empty())
    return emitError(wholeFile(context, name))
           << "this is bytecode, in which no parameter can be set";
  if (isBytecode(file) ||
      (settings.empty() && !vm::mayHaveParameters(file.getBuffer())))
    return success();
  auto made = std::make_shared<Filled>();
  made->file = name.str();
  vm::ParameterError error;
  if (!vm::fillParameters(file.getBuffer(), settings, made->text, error))
    return emitError(error.line == 0
                         ? wholeFile(context, name)
                         : Location(FileLineColLoc::get(
                               &context, name, error.line, error.column)))
           << error.message;
  filled = std::move(made);
  context.getDiagEngine().registerHandler(
      [filled = filled](Diagnostic &diagnostic) {
        if (!filled->isParsed)
          diagnostic = filled->moveToFile(diagnostic);
        filled->addValues(diagnostic);
        return failure(); // Others print it.
      });
  return success();
}

llvm::MemoryBufferRef FillText::text() const {
  return filled ? llvm::MemoryBufferRef(filled->text.text,
                                        file.getBufferIdentifier())
                : file;
}

void FillText::moveToFile(Operation *op) {
  if (!filled)
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](FileLineColLoc place) -> std::optional<Attribute> {
        if (place.getFilename() != filled->file)
          return std::nullopt;
        return filled->moveToFile(place);
      });
  replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true,
                                        /*replaceTypes=*/false);
}

FillText::~FillText() {
  if (filled)
    filled->isParsed = true;
}
