//===- gpuvm-tokenize.cpp - texts to tokens and back ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model reads of a text: for tests, and to look at prompts.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/GgufVocabulary.h"
#include "frontends/llm/tokenizer/Tokenizer.h"
#include "runtime/base/FileLimit.h"
#include "runtime/base/Printable.h"
#include "tools/common/CommandLineText.h"
#include "tools/common/StandardOutput.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <new>

using namespace vm;
using namespace vm::llm;

static const char *const kHelp =
    R"(Turns texts into the tokens of a language model, or tokens into text.

Example:
  echo -n "Hello, world" | gpuvm-tokenize model.gguf

Reads standard input and prints numbers of tokens, with spaces between them.

Exit codes: 0 ok, 2 usage, 3 bad model file, 6 out of memory.)";

namespace {

struct Options {
  std::string path;
  bool isDecoding = false;
  bool isTemplate = false;
  bool isByLines = false;
};

int fail(const Status &status) {
  fmt::print(stderr, "gpuvm-tokenize: error: {}\n", status.message());
  return static_cast<int>(status.code());
}

std::string readInput() {
  std::string text;
  char buffer[1 << 16];
  while (size_t bytes = std::fread(buffer, 1, sizeof(buffer), stdin))
    text.append(buffer, bytes);
  return text;
}

Result<std::string> encode(const Tokenizer &tokenizer, std::string_view text,
                           bool isTemplate) {
  TextPiece piece{std::string(text), isTemplate};
  Result<std::vector<int32_t>> tokens =
      isTemplate ? tokenizer.encode({&piece, 1}) : tokenizer.encodeText(text);
  if (!tokens.ok())
    return tokens.status();
  return fmt::format("{}\n", fmt::join(*tokens, " "));
}

Result<std::string> encodeLines(const Tokenizer &tokenizer,
                                std::string_view text, bool isTemplate) {
  std::string output;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    Result<std::string> line =
        encode(tokenizer, text.substr(0, end), isTemplate);
    if (!line.ok())
      return line.status();
    output += *line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return output;
}

Result<std::string> decode(const Tokenizer &tokenizer, std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<int32_t> tokens;
  for (size_t at = 0;
       (at = text.find_first_not_of(kSpace, at)) < text.size();) {
    size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    std::string_view word = text.substr(at, end - at);
    int32_t token = -1;
    auto [stop, error] =
        std::from_chars(word.data(), word.data() + word.size(), token);
    if (error != std::errc() || stop != word.data() + word.size() ||
        token < 0 || token >= tokenizer.size())
      return Status(Code::Usage,
                    fmt::format("\"{}\" is no token (0 to {}).",
                                printable(word), tokenizer.size() - 1));
    tokens.push_back(token);
    at = end;
  }
  return tokenizer.decode(tokens);
}

Result<std::string> run(const Options &options) {
  Result<GgufFile> file = GgufFile::open(options.path);
  if (!file.ok())
    return file.status();
  Result<Vocabulary> vocabulary = readVocabulary(*file);
  if (!vocabulary.ok())
    return vocabulary.status();
  Result<Tokenizer> tokenizer = Tokenizer::create(std::move(*vocabulary));
  if (!tokenizer.ok())
    return tokenizer.status().withContext(
        fmt::format("loading \"{}\"", options.path));
  std::string input = readInput();
  if (options.isDecoding)
    return decode(*tokenizer, input);
  return options.isByLines ? encodeLines(*tokenizer, input, options.isTemplate)
                           : encode(*tokenizer, input, options.isTemplate);
}

} // namespace

static int runTool(int argc, char **argv) {
  CLI::App app(kHelp, "gpuvm-tokenize");
  app.set_version_flag("--version",
                       fmt::format("gpuvm-tokenize {}", GPUVM_VERSION));
  Options options;
  app.add_option("model", options.path, "The model file (.gguf)")->required();
  CLI::Option *decoding =
      app.add_flag("--decode", options.isDecoding,
                   "Read numbers of tokens and print their text");
  app.add_flag("--template", options.isTemplate,
               "Take names of control tokens for these tokens, and add BOS and "
               "EOS where the model wants them")
      ->excludes(decoding);
  app.add_flag("--lines", options.isByLines,
               "Each line is a text, and gets a line of numbers")
      ->excludes(decoding);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return answer(app, error);
  }
  Result<std::string> output = run(options);
  if (!output.ok())
    return fail(output.status());
  Status printed = printOutput(*output);
  return printed.ok() ? 0 : fail(printed);
}

int main(int argc, char **argv) {
  surviveFileLimit();
  try {
    return runTool(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fputs("gpuvm-tokenize: error: The host has no memory left.\n", stderr);
    return static_cast<int>(Code::OutOfMemory);
  }
}
