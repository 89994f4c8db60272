//===- Status.h - errors as values ----------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime neither throws nor aborts nor prints: everything that can fail
// returns a Status or a Result<T>. A message is a full sentence in the present
// tense with the value and the limit; callers append where they were with
// withContext, so that it ends in ` - while loading "q6.gvplan".`.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace vm {

/// Why an operation failed. The values are the exit codes of the tools.
enum class Code {
  Ok = 0,
  WrongResult = 1, ///< An expected output does not match, or a device ended
                   ///< a loop that was not over.
  Usage = 2,       ///< The caller asks for something that makes no sense.
  BadInput = 3,    ///< A plan or data file is malformed or does not fit.
  NoDevice = 4,    ///< No device has what the plan needs.
  DeviceLost = 5,  ///< The device was lost or a wait timed out.
  OutOfMemory = 6, ///< Host or device memory is exhausted.
  Excess = 7,      ///< The device found more than there is room for.
  Rank = 8,        ///< Another rank has failed, does not answer or disagrees.
};

/// Success, or a code and a sentence.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Code code, std::string message)
      : code_(code), message_(std::move(message)) {
    assert(code != Code::Ok && "a failure needs a failure code");
  }

  bool ok() const { return code_ == Code::Ok; }
  Code code() const { return code_; }
  const std::string &message() const { return message_; }

  /// This failure with ` - while <context>` put before its final full stop.
  Status withContext(const std::string &context) const;

private:
  Code code_ = Code::Ok;
  std::string message_;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {
    assert(!status_.ok() && "a Result without a value needs a failure");
  }

  bool ok() const { return value_.has_value(); }
  const Status &status() const { return status_; }
  T &operator*() { return *value_; }
  const T &operator*() const { return *value_; }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

private:
  std::optional<T> value_;
  Status status_;
};

} // namespace vm

/// Returns the failure of `expr` from the enclosing function.
#define VM_RETURN_IF_ERROR(expr)                                               \
  do {                                                                         \
    if (::vm::Status vmStatus_ = (expr); !vmStatus_.ok())                      \
      return vmStatus_;                                                        \
  } while (false)
