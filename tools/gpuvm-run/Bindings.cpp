//===- Bindings.cpp - command-line tensors matched with a plan ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits "name=tensor", reads the tensor, looks the name up.
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/Bindings.h"

#include "runtime/base/InputFile.h"
#include "runtime/exec/InputRows.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/io/Elements.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/plan/Programs.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

namespace vm::run {

namespace {
struct NamedText {
  std::string name;
  std::string text;
};
} // namespace

static bool isStream(std::string_view flag) {
  return flag.starts_with("--stream");
}

/// Splits at the first '='; `flag` is for the message.
static Result<NamedText> splitName(const std::string &argument,
                                   const char *flag) {
  size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0)
    return Status(Code::Usage,
                  fmt::format("The argument \"{}\" of {} is not of the form "
                              "name={}.",
                              argument, flag,
                              isStream(flag) ? "<file>" : "<tensor>"));
  return NamedText{argument.substr(0, equals), argument.substr(equals + 1)};
}

namespace {
/// A part of a .npy file.
struct FilePartName {
  std::string path;
  uint64_t part = 0, parts = 1;
};
} // namespace

/// The number that `text` is.
static std::optional<uint64_t> parseNumber(std::string_view text) {
  uint64_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

/// `@file.npy[1/4]`: the second of four parts of a file, unless there is a file
/// of that name.
static std::optional<FilePartName> parsePart(std::string_view text) {
  size_t open = text.rfind('['), slash = text.rfind('/');
  std::error_code ignored;
  if (!text.starts_with('@') || !text.ends_with(']') || open == text.npos ||
      slash == text.npos || slash < open ||
      std::filesystem::exists(text.substr(1), ignored))
    return std::nullopt;
  std::optional<uint64_t> part =
      parseNumber(text.substr(open + 1, slash - open - 1));
  std::optional<uint64_t> parts =
      parseNumber(text.substr(slash + 1, text.size() - slash - 2));
  if (!part || !parts || *part >= *parts)
    return std::nullopt;
  return FilePartName{std::string(text.substr(1, open - 1)), *part, *parts};
}

static Result<HostTensor> readTensor(const NamedText &argument,
                                     const char *kind, const TypeCheck &check) {
  Status refused;
  auto checkAndNote = [&](DType dtype, const std::vector<int64_t> &shape) {
    refused = check(dtype, shape);
    return refused;
  };
  std::optional<FilePartName> part = parsePart(argument.text);
  Result<HostTensor> tensor =
      part ? readNpyPart(part->path, part->part, part->parts, checkAndNote)
           : parseTensor(argument.text, checkAndNote);
  if (!refused.ok())
    return refused;
  if (!tensor.ok())
    return tensor.status().withContext(
        fmt::format("reading {} \"{}\"", kind, argument.name));
  return tensor;
}

const Slot &slotOf(const Plan &plan, const Source &source) {
  if (source.isSymbol)
    return plan.symbols[source.index];
  return plan.outputs[source.index];
}

//===--- Inputs -----------------------------------------------------------===//

/// How an array gets the elements of `dtype`.
static std::string conversionTo(DType dtype) {
  if (dtype == DType::BF16)
    return "astype(ml_dtypes.bfloat16)";
  if (dtype == DType::I1)
    return "astype(bool)";
  std::string name = toString(dtype);
  return fmt::format("astype(\"{}{}\")", name[0] == 'f' ? "float" : "int",
                     name.substr(1));
}

static bool hasShape(const Slot &slot, const std::vector<int64_t> &shape) {
  return slot.shape == shape;
}

/// Of one whose rows are counted there may be fewer.
static bool hasShape(const Input &input, const std::vector<int64_t> &shape) {
  if (input.rows.empty() || shape.size() != input.shape.size())
    return input.shape == shape;
  return shape[0] <= input.shape[0] &&
         std::equal(shape.begin() + 1, shape.end(), input.shape.begin() + 1);
}

static const char *rowsOf(const Slot &) { return ""; }
static const char *rowsOf(const Input &input) {
  return input.rows.empty() ? "" : " or fewer rows";
}

/// Says what is wrong with a type before there is memory for its elements.
template <typename T> static TypeCheck mustBe(const T &slot, const char *kind) {
  return [&slot, kind](DType dtype, const std::vector<int64_t> &shape) {
    if (slot.dtype == dtype && hasShape(slot, shape))
      return Status();
    bool isOther = slot.dtype != dtype;
    std::string hint =
        isOther ? " (NumPy converts: " + conversionTo(slot.dtype) + ")" : "";
    return Status(Code::BadInput,
                  fmt::format("{} \"{}\" has the wrong {}: {} is given, but "
                              "the program takes {}{}{}.",
                              kind, slot.name, isOther ? "type" : "shape",
                              typeString(dtype, shape), typeString(slot),
                              rowsOf(slot), hint));
  };
}

/// An element type is unsigned where all files that are given say so.
static void noteSign(const HostTensor &tensor, std::set<DType> &given,
                     std::set<DType> &unsignedTypes) {
  bool first = given.insert(tensor.dtype).second;
  if (!tensor.isUnsigned)
    unsignedTypes.erase(tensor.dtype);
  else if (first)
    unsignedTypes.insert(tensor.dtype);
}

static Status givenTwice(const Input &input) {
  return Status(
      Code::Usage,
      fmt::format("Input \"{}\" is given more than once.", input.name));
}

/// `@file+offset`: a range of a file, unless there is a file of that name.
static std::optional<FileRange> parseRange(std::string_view text) {
  size_t plus = text.rfind('+');
  if (!text.starts_with('@') || plus == text.npos)
    return std::nullopt;
  std::optional<uint64_t> offset = parseNumber(text.substr(plus + 1));
  std::error_code ignored;
  if (!offset || std::filesystem::exists(text.substr(1), ignored))
    return std::nullopt;
  return FileRange{std::string(text.substr(1, plus - 1)), *offset};
}

/// The bytes of a file from `offset` on, as many as the input takes.
static uint64_t bytesFor(const Input &input, uint64_t fileBytes,
                         uint64_t offset) {
  return input.rows.empty() ? byteSizeOf(input)
                            : fileBytes - std::min(offset, fileBytes);
}

static Status checkRange(const FileRange &range, const Input &input) {
  Result<InputFile> file = InputFile::open(range.path);
  if (!file.ok())
    return file.status()
        .withContext(fmt::format("reading \"{}\"", range.path))
        .withContext(fmt::format("reading input \"{}\"", input.name));
  uint64_t bytes = bytesFor(input, file->sizeBytes(), range.offset);
  if (!input.rows.empty())
    return rowsIn(input, bytes)
        .status()
        .withContext(fmt::format("reading \"{}\"", range.path));
  if (range.offset <= file->sizeBytes() &&
      bytes <= file->sizeBytes() - range.offset)
    return {};
  return Status(Code::BadInput,
                fmt::format("Input \"{}\" ({}) has {} bytes, from byte {} of "
                            "the file \"{}\" on, which has only {}.",
                            input.name, typeString(input), bytes, range.offset,
                            range.path, file->sizeBytes()));
}

Status readFiles(const Plan &plan, Bindings &bindings) {
  for (size_t i = 0; i < bindings.files.size(); ++i) {
    if (!bindings.files[i])
      continue;
    const FileRange &range = *bindings.files[i];
    const Input &input = plan.inputs[i];
    Result<InputFile> file = InputFile::open(range.path);
    if (!file.ok())
      return file.status();
    HostTensor tensor;
    tensor.dtype = input.dtype;
    tensor.shape = input.shape;
    tensor.bytes.resize(bytesFor(input, file->sizeBytes(), range.offset));
    if (!input.rows.empty()) {
      Result<uint64_t> rows = rowsIn(input, tensor.bytes.size());
      if (!rows.ok())
        return rows.status();
      tensor.shape[0] = static_cast<int64_t>(*rows);
    }
    VM_RETURN_IF_ERROR(file->readAt(range.offset, tensor.bytes));
    bindings.inputs[i] = std::move(tensor);
    bindings.files[i].reset();
  }
  return {};
}

static Status bindInputs(const Plan &plan, const CommandLine &options,
                         Bindings &bindings) {
  std::vector<std::optional<HostTensor>> &tensors = bindings.inputs;
  tensors.resize(plan.inputs.size());
  bindings.files.resize(plan.inputs.size());
  std::vector<bool> given(plan.inputs.size(), false);
  std::set<DType> types;
  for (const StreamedInput &stream : bindings.streams) {
    if (given[stream.index])
      return givenTwice(plan.inputs[stream.index]);
    given[stream.index] = true;
  }
  for (const std::string &argument : options.inputs) {
    Result<NamedText> named = splitName(argument, "--input");
    if (!named.ok())
      return named.status();
    Result<uint32_t> index = findInput(plan, named->name);
    if (!index.ok())
      return index.status();
    if (given[*index])
      return givenTwice(plan.inputs[*index]);
    given[*index] = true;
    if (std::optional<FileRange> range = parseRange(named->text)) {
      VM_RETURN_IF_ERROR(checkRange(*range, plan.inputs[*index]));
      bindings.files[*index] = std::move(range);
      continue;
    }
    Result<HostTensor> tensor =
        readTensor(*named, "input", mustBe(plan.inputs[*index], "Input"));
    if (!tensor.ok())
      return tensor.status();
    noteSign(*tensor, types, bindings.unsignedTypes);
    tensors[*index] = std::move(*tensor);
  }
  std::vector<Program> programs = programsOf(plan);
  for (uint32_t program : bindings.programs)
    for (uint32_t i : programs[program].inputs)
      if (!given[i])
        return Status(Code::Usage, fmt::format("Input \"{}\" is not given ({}; "
                                               "--input={}=<tensor>).",
                                               plan.inputs[i].name,
                                               typeString(plan.inputs[i]),
                                               plan.inputs[i].name));
  return {};
}

static Status bindSymbol(const Plan &plan, const std::string &argument,
                         std::vector<SymbolValue> &values) {
  Result<NamedText> named = splitName(argument, "--set");
  if (!named.ok())
    return named.status();
  Result<uint32_t> index = findSymbol(plan, named->name);
  if (!index.ok())
    return index.status();
  Result<HostTensor> tensor =
      readTensor(*named, "symbol", mustBe(plan.symbols[*index], "Symbol"));
  if (!tensor.ok())
    return tensor.status();
  values.push_back({*index, std::move(*tensor)});
  return {};
}

//===--- Outputs ----------------------------------------------------------===//

static Result<Source> findSource(const Plan &plan, const std::string &name) {
  if (Result<uint32_t> index = findOutput(plan, name); index.ok())
    return Source{false, *index};
  if (Result<uint32_t> index = findSymbol(plan, name); index.ok())
    return Source{true, *index};
  std::vector<std::string> known;
  for (const Output &output : plan.outputs)
    known.push_back(output.name);
  for (const Symbol &symbol : plan.symbols)
    known.push_back(symbol.name);
  return noSuchName("output, metric, global or control word", name, known);
}

static Status bindOutput(const Plan &plan, const std::string &argument,
                         std::vector<OutputRequest> &requests) {
  if (argument.empty())
    return {};
  OutputRequest request;
  size_t equals = argument.find('=');
  request.name = argument.substr(0, equals);
  if (equals != std::string::npos) {
    std::string target = argument.substr(equals + 1);
    if (target.size() < 2 || target[0] != '@')
      return Status(Code::Usage,
                    fmt::format("The argument \"{}\" of --output is not of the "
                                "form name or name=@file.npy.",
                                argument));
    request.path = target.substr(1);
  }
  Result<Source> source = findSource(plan, request.name);
  if (!source.ok())
    return source.status();
  request.source = *source;
  requests.push_back(std::move(request));
  return {};
}

static Status bindExpected(const Plan &plan, const std::string &argument,
                           std::vector<ExpectedOutput> &expected) {
  Result<NamedText> named = splitName(argument, "--expected_output");
  if (!named.ok())
    return named.status();
  Result<Source> source = findSource(plan, named->name);
  if (!source.ok())
    return source.status();
  // A shorter one is compared; rows that the device counts can be fewer.
  const Slot &slot = slotOf(plan, *source);
  auto fits = [&](DType dtype, const std::vector<int64_t> &shape) {
    if (tensorByteSize(dtype, shape).value_or(UINT64_MAX) <= byteSizeOf(slot))
      return Status();
    return Status(Code::BadInput,
                  fmt::format("Expected output \"{}\" is larger than the "
                              "output: {} is given, but that is {}.",
                              slot.name, typeString(dtype, shape),
                              typeString(slot)));
  };
  Result<HostTensor> tensor = readTensor(*named, "expected output", fits);
  if (!tensor.ok())
    return tensor.status();
  expected.push_back({named->name, *source, std::move(*tensor)});
  return {};
}

//===--- Streams ----------------------------------------------------------===//

static Status bindStream(const Plan &plan, const std::string &argument,
                         Bindings &bindings) {
  Result<NamedText> named = splitName(argument, "--stream");
  if (!named.ok())
    return named.status();
  Result<uint32_t> index = findInput(plan, named->name);
  if (!index.ok())
    return index.status();
  Result<StreamReader> reader =
      StreamReader::open(named->text, plan.inputs[*index]);
  if (!reader.ok())
    return reader.status();
  bindings.streams.push_back({*index, std::move(*reader)});
  return {};
}

static Status bindStreamOutput(const Plan &plan, const std::string &argument,
                               Bindings &bindings) {
  Result<NamedText> named = splitName(argument, "--stream-output");
  if (!named.ok())
    return named.status();
  Result<uint32_t> index = findOutput(plan, named->name);
  if (!index.ok())
    return index.status();
  Result<StreamWriter> writer = StreamWriter::create(named->text);
  if (!writer.ok())
    return writer.status();
  bindings.streamOutputs.push_back({*index, std::move(*writer)});
  return {};
}

static bool isStreamed(const Bindings &bindings, uint32_t output) {
  for (const StreamedOutput &stream : bindings.streamOutputs)
    if (stream.index == output)
      return true;
  return false;
}

static Status findPrograms(const Plan &plan, const CommandLine &options,
                           Bindings &bindings) {
  if (!bindings.streams.empty()) {
    bindings.programs = {programOfInput(plan, bindings.streams.front().index)};
    return {};
  }
  std::vector<std::string> names = options.programs;
  if (names.empty())
    names.emplace_back();
  for (const std::string &name : names) {
    Result<uint32_t> number = findProgram(plan, name);
    if (!number.ok())
      return number.status();
    bindings.programs.push_back(*number);
  }
  return {};
}

/// Outputs of the programs that run, each once.
static void addAllOutputs(const Plan &plan, Bindings &bindings) {
  std::vector<Program> programs = programsOf(plan);
  std::set<uint32_t> outputs;
  for (uint32_t program : bindings.programs)
    outputs.insert(programs[program].outputs.begin(),
                   programs[program].outputs.end());
  for (uint32_t i : outputs)
    if (!isStreamed(bindings, i))
      bindings.outputs.push_back({plan.outputs[i].name, {false, i}, ""});
}

Result<Bindings> bindTensors(const Plan &plan, const CommandLine &options) {
  Bindings bindings;
  for (const std::string &argument : options.outputs)
    VM_RETURN_IF_ERROR(bindOutput(plan, argument, bindings.outputs));
  for (const std::string &argument : options.expected)
    VM_RETURN_IF_ERROR(bindExpected(plan, argument, bindings.expected));
  for (const std::string &argument : options.streams)
    VM_RETURN_IF_ERROR(bindStream(plan, argument, bindings));
  VM_RETURN_IF_ERROR(findPrograms(plan, options, bindings));
  VM_RETURN_IF_ERROR(bindInputs(plan, options, bindings));
  for (const std::string &argument : options.sets)
    VM_RETURN_IF_ERROR(bindSymbol(plan, argument, bindings.symbols));
  for (const std::string &argument : options.streamOutputs)
    VM_RETURN_IF_ERROR(bindStreamOutput(plan, argument, bindings));
  if (options.outputs.empty() && options.expected.empty())
    addAllOutputs(plan, bindings);
  return bindings;
}

} // namespace vm::run
