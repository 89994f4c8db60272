//===- ProcessIdentityTest.cpp - which process a rank is ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/ProcessIdentity.h"

#include <gtest/gtest.h>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

using namespace vm;

namespace {

TEST(ProcessIdentity, SeesAProcessStopAndEnd) {
  ProcessIdentity own = ProcessIdentity::own();
  EXPECT_EQ(stateOf(own, own), ProcessState::Alive);
  pid_t child = fork();
  if (child == 0)
    for (;;)
      pause();
  ASSERT_GT(child, 0);
  ProcessIdentity other = own;
  other.pid = child;
  EXPECT_EQ(stateOf(other, own), ProcessState::Alive);
  kill(child, SIGSTOP);
  ASSERT_EQ(waitpid(child, nullptr, WUNTRACED), child);
  EXPECT_EQ(stateOf(other, own), ProcessState::Stopped);
  kill(child, SIGKILL);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT),
            0);
  EXPECT_EQ(stateOf(other, own), ProcessState::Ended); // Nothing has waited.
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(stateOf(other, own), ProcessState::Ended);
}

TEST(ProcessIdentity, KnowsNothingOfOtherHostsAndNamespaces) {
  ProcessIdentity own = ProcessIdentity::own(), other = own;
  other.pid = 1 << 30; // There is no such process.
  EXPECT_EQ(stateOf(other, own), ProcessState::Ended);
  other.pidNamespace += 1;
  EXPECT_EQ(stateOf(other, own), ProcessState::Alive);
  other = own;
  other.host += 1;
  other.pid = 1 << 30;
  EXPECT_EQ(stateOf(other, own), ProcessState::Alive);
}

} // namespace
