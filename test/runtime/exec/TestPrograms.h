//===- TestPrograms.h - plans written by hand -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A builder that lays out regions and keeps the book of commands, and the
// programs that several tests run. The kernels are the GLSL files of kernels/.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vm::test {

enum class TestKernel {
  Affine,
  Times10,
  Triplet,
  Times3,
  Report,
  Lookup,
  Spin,
  Burn,
  Count,
  Echo,
  Accumulate,
  Stray
};

class ProgramBuilder {
public:
  explicit ProgramBuilder(const std::string &name);

  /// New bytes of a region, at the next aligned offset.
  Window allocate(Region region, uint64_t bytes);

  void input(const std::string &name, DType dtype, std::vector<int64_t> shape,
             Window window, Residency residency = Residency::Execution);
  void output(const std::string &name, DType dtype, std::vector<int64_t> shape,
              Window window);
  void symbol(const std::string &name, DType dtype, std::vector<int64_t> shape,
              Window window);
  void reg(uint32_t instance, uint32_t reg, DType dtype,
           std::vector<int64_t> shape, Window window);
  void initial(Window window, std::vector<uint8_t> bytes);

  /// Windows in the order of the kernel's bindings.
  void dispatch(const std::string &stage, TestKernel kernel,
                const std::vector<Window> &windows, uint32_t groups = 1);
  void indirect(const std::string &stage, TestKernel kernel,
                const std::vector<Window> &windows, Window triplet);
  void barrier();
  void copy(Window source, Window destination);
  void fill(Window window, uint32_t value);
  void repeat(uint32_t commands, uint32_t times);
  void clock(Window window);
  void exchange(std::vector<RankTransfer> transfers);
  void await();

  /// The plan, with a stage for each name used and each instance.
  Plan finish() const { return plan_; }

private:
  uint32_t kernelIndex(TestKernel kernel);
  std::vector<BoundWindow> bind(uint32_t kernel,
                                const std::vector<Window> &windows) const;
  uint32_t stageIndex(const std::string &name, uint32_t kernel);

  Plan plan_;
};

/// y = scale * x + shift on `count` f32 elements; {scale, shift} is symbol
/// "parameters" of Globals. x is R0, y is R30 of instance 0.
Plan makeAffineProgram(uint32_t count);

/// Conformance case 3: two instances of 8 f32 elements. R0 * 2 -> R30 of
/// instance 0, copied to R31 of instance 1, * -1 -> R30 of instance 1. One
/// submit, two barriers. `barriers` false leaves them out: a broken plan.
Plan makePipelineProgram(bool barriers = true);

/// Conformance case 7: R0 of 8 f32 elements times 10, twice, the second time by
/// a dormant stage "wake" whose triplet is at the start of Control. Works on a
/// copy of R0, whose result is output "y" and R30.
Plan makeDormantProgram();

/// Sums 8 f32 elements of R0 into metric "sum" and sends status 2.
Plan makeReportProgram();

/// Spins, for a minute at least, until the first word of Control is not 0.
Plan makeSpinProgram();

/// `steps` dispatches one after the other, each of which adds 1 to metric
/// "count" and puts it into both halves of the 64-bit metric "pair".
Plan makeCountProgram(uint32_t steps);

/// Copies control word "said", which must only grow, to metric "heard" again
/// and again, until control word "stop" is set.
Plan makeEchoProgram(uint32_t groups);

/// Stages "quick", "burn", which counts to the control word "rounds" unless the
/// control word named `cancelWord` is set, and "after". Output "x" is a scalar,
/// 100 times itself. Rounds beyond 65,535 are lost on llvmpipe, where a
/// workgroup takes some 300 ms for that many.
Plan makeBurnProgram(const std::string &cancelWord, uint32_t groups);

/// Chunks of `rows` i32 (input "x"): output "sums" has sum and count of those
/// above 5, "doubled" all of them times 2. Global "state" sums up over chunks:
/// {sum, count, stream.rows, stream.chunk, stream.last, limit}; as long as the
/// count is less than a limit above 0, the status is NEED_IO.
Plan makeStreamProgram(uint32_t rows);

} // namespace vm::test
