//===- Connection.h - whether a client is still there -----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <httplib.h>

namespace vm::serve {

/// The connection that a request came by. For the thread that answers it, until
/// the answer is sent.
class Connection {
public:
  explicit Connection(const httplib::Request &request);

  /// False once the client has closed it, or its half of it.
  bool isOpen() const;

private:
  int socket_ = -1; ///< Negative: not found, and taken for open.
};

} // namespace vm::serve
