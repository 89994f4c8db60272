//===- CommandLine.cpp - options of gpuvm-token ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-token/CommandLine.h"

#include "frontends/token/ground/ModuleInfo.h"
#include "frontends/token/reference/Reference.h"
#include "tools/common/CommandLineText.h"

namespace vm::token_tool {

static CLI::Option *addPairs(CLI::App *command, const char *name,
                             std::vector<std::string> &pairs,
                             const char *help) {
  return command->add_option(name, pairs, help)
      ->allow_extra_args(false)
      ->check(isPair());
}

CLI::Option *addInputFlags(CLI::App *command, Options &options,
                           const char *help) {
  CLI::Option *inputs = command->add_option("inputs", options.inputs, help);
  addPairs(command, "--arg", options.arguments,
           "NAME=VALUE: an argument of the workflows; once for each");
  command->add_option("--seed", options.seed, "Of what resources draw")
      ->check(countIn(0, UINT64_MAX))
      ->capture_default_str();
  command->add_option("--tokenizer", options.tokenizer,
                      "bytes, greedy:FILE or gguf:FILE, of what names none: "
                      "tensors, wire forms, some workflows. Default: bytes");
  command->add_flag("--allow-outside", options.allowOutside,
                    "Let a workflow name prompts and a tokenizer that are not "
                    "in its folder or below");
  return inputs;
}

void addStreamFlags(CLI::App *command, Options &options, const char *streams,
                    const char *budget) {
  command->add_option("--streams", options.streams, streams)
      ->check(countIn(1, token::kMaxStreams));
  command->add_option("--budget", options.budget, budget)
      ->check(countIn(0, INT32_MAX));
  command
      ->add_option("--model-seed", options.modelSeed,
                   "Of the model's proposals")
      ->check(countIn(0, UINT32_MAX))
      ->capture_default_str();
}

void addRunFlags(CLI::App *command, Options &options) {
  addPairs(command, "--tool", options.tools,
           "NAME=COMMAND: a program that answers; once for each tool");
  command
      ->add_option("--tool-timeout", options.toolTimeoutMs,
                   "Milliseconds that an answer may take")
      ->check(countIn(1, INT32_MAX))
      ->capture_default_str();
  command->add_option("--report", options.reportPath,
                      "Write all that streams did into this file, as JSON");
  command
      ->add_option("--iterations", options.iterations,
                   "Do it all so often; the last one is reported")
      ->check(countIn(1, 1000000))
      ->capture_default_str();
  command
      ->add_flag("--stats{text}", options.stats,
                 "text (the default) or json: print what was measured. Of a "
                 "device it is the time of its submits, of the reference all")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("[FORMAT]");
}

void addReference(CLI::App *command, Options &options) {
  addInputFlags(command, options, "Workflows, tensors, wire forms")->required();
  addStreamFlags(command, options, "How many. Default: one a workflow",
                 "End a stream after this many tokens. Default: 4096");
  command
      ->add_option("--capture-tokens", options.captureTokens,
                   "Room for what a tool is asked. Default: the largest limit "
                   "of a zone that asks")
      ->check(countIn(0, INT32_MAX));
  command
      ->add_option("--answer-tokens", options.answerTokens,
                   "Room for an answer of a tool")
      ->check(countIn(0, INT32_MAX))
      ->capture_default_str();
  command
      ->add_option("--module", options.modules,
                   "STAGE:FILE: a function of an MLIR file that is called at "
                   "the end of manipulation, transition or post; once for each")
      ->type_name("STAGE:FILE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(token::checkModuleName, ""));
  addRunFlags(command, options);
  command
      ->add_option("--threads", options.threads,
                   "Run on this many threads; no result depends on it. "
                   "Default: as many as there are processors")
      ->check(countIn(1, token::kMaxThreads));
  addStepsFlag(*command, options.maxSteps,
               "tokens of all streams, or on a thread what the functions of "
               "--module do");
}

} // namespace vm::token_tool
