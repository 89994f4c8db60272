//===- RunWithModules.cpp - the reference, with modules of the user -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module is a function in MLIR. What reads it is another program, so that
// gpuvm-token starts without MLIR and is there where it is not.
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-token/Commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

namespace vm::token_tool {

int runWithModules(int argc, char **argv) {
  std::error_code error;
  std::filesystem::path own =
      std::filesystem::read_symlink("/proc/self/exe", error);
  std::string path = (own.parent_path() / "gpuvm-token-reference").string();
  std::vector<char *> arguments(argv, argv + argc);
  auto command = std::ranges::find_if(arguments, [](const char *argument) {
    return std::strcmp(argument, "reference") == 0;
  });
  if (command != arguments.end())
    arguments.erase(command);
  arguments.front() = path.data();
  arguments.push_back(nullptr);
  execv(path.c_str(), arguments.data());
  return fail({Code::BadInput,
               fmt::format("Modules take the program {}, which cannot be run: "
                           "{}.",
                           path, std::strerror(errno))});
}

} // namespace vm::token_tool
