//===- Connection.cpp - whether a client is still there -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-serve/Connection.h"

#include <charconv>
#include <filesystem>
#include <string>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace vm::serve {

namespace fs = std::filesystem;

/// Whether its other end is at this address, as httplib writes it.
static bool isPeer(int socket, const std::string &address, int port) {
  sockaddr_storage peer = {};
  socklen_t size = sizeof peer;
  auto *generic = reinterpret_cast<sockaddr *>(&peer);
  char host[NI_MAXHOST], service[NI_MAXSERV];
  return getpeername(socket, generic, &size) == 0 &&
         getnameinfo(generic, size, host, sizeof host, service, sizeof service,
                     NI_NUMERICHOST | NI_NUMERICSERV) == 0 &&
         address == host && std::to_string(port) == service;
}

// httplib gives handlers the client's address, but not the socket (0.11). No
// two connections to the server have the same one.
Connection::Connection(const httplib::Request &request) {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator("/proc/self/fd", error)) {
    std::string name = entry.path().filename().string();
    int socket = -1;
    std::from_chars(name.data(), name.data() + name.size(), socket);
    if (isPeer(socket, request.remote_addr, request.remote_port))
      socket_ = socket;
  }
}

bool Connection::isOpen() const {
  if (socket_ < 0)
    return true;
  pollfd state = {.fd = socket_, .events = POLLRDHUP, .revents = 0};
  return poll(&state, 1, /*timeout=*/0) == 0;
}

} // namespace vm::serve
