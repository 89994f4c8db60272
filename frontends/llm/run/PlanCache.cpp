//===- PlanCache.cpp - the plan of a model, compiled once -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/PlanCache.h"

#include "runtime/base/CacheFolder.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char **environ;

namespace vm::llm {

namespace fs = std::filesystem;

namespace {
constexpr char kCompiler[] = "gpuvm-compile";

/// The one in the folder of this program; empty if there is none.
fs::path compilerPath() {
  std::error_code error;
  fs::path own = fs::read_symlink("/proc/self/exe", error);
  fs::path compiler = own.parent_path() / kCompiler;
  return fs::exists(compiler, error) ? compiler : fs::path();
}

/// Of all that a plan depends on.
std::string keyOf(const GgufFile &file, const std::vector<std::string> &options,
                  const std::string &compiler) {
  XXH3_state_t *state = XXH3_createState();
  XXH3_128bits_reset(state);
  auto add = [&](const void *data, size_t bytes) {
    uint64_t size = bytes; // So that two texts are not one.
    XXH3_128bits_update(state, &size, sizeof size);
    XXH3_128bits_update(state, data, bytes);
  };
  std::span<const uint8_t> head = file.headBytes();
  add(head.data(), head.size());
  for (const std::string &option : options)
    add(option.data(), option.size());
  add(compiler.data(), compiler.size());
  XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// Runs it to its end; what it prints goes where this program's messages go.
Status runCompiler(const fs::path &compiler,
                   const std::vector<std::string> &arguments) {
  std::vector<char *> words = {const_cast<char *>(compiler.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  if (int error = posix_spawn(&child, compiler.c_str(), nullptr, nullptr,
                              words.data(), environ))
    return {Code::OutOfMemory,
            fmt::format("{} cannot be started: {}.", compiler.string(),
                        std::generic_category().message(error))};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {};
  if (WIFSIGNALED(status))
    return {Code::BadInput, fmt::format("{} ended with signal {}.", kCompiler,
                                        WTERMSIG(status))};
  int code = WEXITSTATUS(status);
  return {code > 0 && code <= static_cast<int>(Code::Excess) ? Code(code)
                                                             : Code::BadInput,
          fmt::format("{} cannot compile the model (exit code {}).", kCompiler,
                      code)};
}
} // namespace

Result<ModelCompiler> ownCompiler(const std::function<void()> &onCompile) {
  fs::path path = compilerPath();
  struct stat status = {};
  if (path.empty() || stat(path.c_str(), &status) != 0)
    return Status(Code::Usage,
                  fmt::format("There is no {} in the folder of this program; "
                              "with --plan it is not needed.",
                              kCompiler));
  const int64_t numbers[] = {status.st_size, status.st_mtim.tv_sec,
                             status.st_mtim.tv_nsec};
  std::string identity(reinterpret_cast<const char *>(numbers), sizeof numbers);
  return ModelCompiler{std::move(identity),
                       [=](const std::vector<std::string> &arguments) {
                         onCompile();
                         return runCompiler(path, arguments);
                       }};
}

Result<std::string> findPlan(const GgufFile &file,
                             const std::vector<std::string> &options,
                             const ModelCompiler &compiler) {
  std::string cache = defaultCacheDirectory();
  if (cache.empty())
    return Status(Code::Usage,
                  "There is no folder to keep the plan in: neither "
                  "XDG_CACHE_HOME nor HOME is an absolute path; "
                  "with --plan it is not needed.");
  fs::path folder = fs::path(cache) / "models";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return Status(Code::Usage, fmt::format("The folder \"{}\" cannot be made: "
                                           "{}.",
                                           folder.string(), error.message()));
  fs::path plan =
      folder / (keyOf(file, options, compiler.identity) + ".gvplan");
  if (fs::exists(plan, error))
    return plan.string();
  std::vector<std::string> arguments = {file.path(), "-o", plan.string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  VM_RETURN_IF_ERROR(compiler.run(arguments));
  return plan.string();
}

} // namespace vm::llm
