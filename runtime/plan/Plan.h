//===- Plan.h - the in-memory form of a .gvplan file ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan is everything the runtime needs to replay its programs: how large the
// five regions are, what they contain at first, the kernels, and the commands
// of each program's command buffer. The compiler fills this structure and
// PlanFile writes it; PlanFile reads it back and PlanVerifier says whether it
// can be trusted. docs/plan-format.md specifies the file.
//
// One execution of a program is: upload each of its inputs whose residency is
// Execution from staging memory, one barrier, its commands, one barrier,
// download each of its outputs to staging memory - all of it in one submit, but
// for long loops. The two I/O phases are the runtime's; only what lies between
// them is in `commands`.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "schema/Features.h"
#include "schema/Machine.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vm {

const char *toString(Region region); ///< "registers", "metrics", ...
const char *toString(DType dtype);   ///< "i1", "f32", ...
uint64_t byteSize(DType dtype);      ///< Bytes of one stored element.

/// The bytes [offset, offset + length) of one region.
struct Window {
  Region region = Region::Registers;
  uint64_t offset = 0; ///< A multiple of kWindowAlignment.
  uint64_t length = 0; ///< In bytes; greater than zero.
  bool operator==(const Window &) const = default;
};

/// A typed, dense, row-major tensor that lives in a window.
struct Slot {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape; ///< Empty for a scalar.
  Window window;
};

/// When an input's bytes reach the device.
enum class Residency : uint8_t {
  Execution, ///< Copied from staging memory in every execution.
  Load,      ///< Copied once, when bound (heap columns, weights, parameters).
};

struct Input : Slot {
  Residency residency = Residency::Execution;
  /// The symbol, a word with a bound, that says how many rows there are of
  /// `shape[0]`, or empty: all of them. The host gives it with the rows; inputs
  /// with the same symbol have as many.
  std::string rows;
};
struct Output : Slot {
  std::string rows; ///< Likewise, but the device counts.
};

/// A region symbol the host can address by name (a metric, a global, ...).
struct Symbol : Slot {
  /// Of Control: no word may be more when an execution has ended; 0 if there is
  /// no bound.
  uint32_t bound = 0;
};

/// Register `reg` of VM instance `instance`. A register whose message
/// was fused away has no slot.
struct RegisterSlot : Slot {
  uint32_t instance = 0;
  uint32_t reg = 0;
};

/// One stage of the program as the user wrote it: VM instance `instance`.
struct Stage {
  std::string name;
  uint32_t instance = 0;
  std::string location;          ///< "q6.mlir:12:5", or empty.
  std::vector<uint32_t> kernels; ///< Indices of the kernels that do its work.
};

/// Bytes a region holds after load; everything else is zero.
struct InitialData {
  Region region = Region::Heap;
  uint64_t offset = 0;
  std::vector<uint8_t> bytes;
};

/// One descriptor of a kernel. Window k of region r has binding r + 5 * k.
struct Binding {
  uint32_t binding = 0;
  bool reads = false;
  bool writes = false;
};

/// The devices that a kernel is for.
enum class DeviceKind : uint8_t {
  Cpu, ///< Those that are the host's processor.
  Gpu, ///< All others.
};
inline constexpr DeviceKind kLastDeviceKind = DeviceKind::Gpu;
const char *toString(DeviceKind kind); ///< "cpu", "gpu"

struct Kernel {
  std::string name;
  std::string entryPoint = "main";
  std::array<uint32_t, 3> localSize = {1, 1, 1};
  uint32_t workgroupMemoryBytes = 0;
  std::vector<Feature> features; ///< Sorted, unique.
  std::vector<Binding> bindings; ///< Sorted by binding, unique.
  /// Kernels that may run in its place, the best one first. They follow all
  /// other kernels, and no command or stage names them. Dispatches have the
  /// windows of their bindings, too.
  std::vector<uint32_t> variants;
  /// Of a variant: the devices that it is for; all if not given.
  std::optional<DeviceKind> device = {};
  /// Of a variant: its workgroups in every dispatch; if not given, those of the
  /// dispatch.
  std::optional<uint32_t> groups = {};
  /// A binding whose first word the kernel sets to other than zero if it had to
  /// give up a loop that was not over.
  std::optional<uint32_t> unfinished;
  std::vector<uint32_t> spirv;
};

/// Binds one window to one descriptor of the dispatched kernel.
struct BoundWindow {
  uint32_t binding = 0;
  Window window;
};

struct Dispatch {
  uint32_t kernel = 0;
  std::vector<BoundWindow> windows; ///< Those of dispatchBindings(), in order.
  std::array<uint32_t, 3> groups = {1, 1, 1};
};

/// A dispatch whose group counts are three u32 words of Control.
struct DispatchIndirect {
  uint32_t kernel = 0;
  std::vector<BoundWindow> windows;
  uint64_t controlOffset = 0; ///< Bytes into Control; a multiple of 4.
};

enum class HazardKind : uint8_t {
  ReadAfterWrite,
  WriteAfterRead,
  WriteAfterWrite
};
const char *toString(HazardKind kind); ///< "RAW", "WAR", "WAW"

/// Why a barrier is there: `second` may not start before `first` is done. In a
/// repeat, `first` may be a command of the time before.
struct BarrierReason {
  HazardKind kind = HazardKind::ReadAfterWrite;
  uint32_t first = 0;  ///< Index of the earlier command.
  uint32_t second = 0; ///< Index of the later command.
  Window window;       ///< The bytes both touch (offset need not be aligned).
};

/// One global memory barrier: everything before it is visible to everything
/// after it.
struct Barrier {
  std::vector<BarrierReason> reasons;
};

/// Copies source to destination; equal lengths, no overlap, multiples of 4.
struct Copy {
  Window source;
  Window destination;
};

/// Fills a window (a multiple of 4 bytes) with a repeated word.
struct Fill {
  Window window;
  uint32_t value = 0;
};

/// Reads the device's clock when everything before it is done: a u64 count of
/// ticks. After it come the bits of the count that are valid, as a u64, and the
/// nanoseconds of a tick, as an f32 and four zero bytes.
struct Clock {
  Window window; ///< kClockBytes long.
};
inline constexpr uint64_t kClockBytes = 24;

/// Windows that rotate: what is in one of them at the end of an iteration is in
/// the one before it in the next iteration, and what is in the first one in the
/// last one. So in iteration t of a repeat a command that names the bytes of
/// window i accesses those of window (i + phase + t) % size.
using Rotation = std::vector<Window>;

/// The next `commands` commands run `times` times, one iteration after the
/// other, with the same windows but for those in `rotations`, which are in
/// their own places again at the end.
struct Repeat {
  uint32_t commands = 1;
  uint32_t times = 1;
  /// A byte of Registers: once it is 0 at the end of an iteration, later
  /// iterations change nothing, and need not run.
  std::optional<Window> condition = {};
  std::vector<Rotation> rotations = {};
  uint32_t phase = 0;
};

/// How bytes move between ranks: processes that run the same plan, each on a
/// device of its own.
enum class TransferKind : uint8_t {
  AllGather, ///< The source of rank r becomes block r of every destination.
  AllToAll,  ///< Block r of the source of rank s becomes block s of rank r's.
  ShiftUp,   ///< To the rank that is `offset` further.
  ShiftDown, ///< To the rank that is `offset` before.
};
const char *toString(TransferKind kind); ///< "all_gather", ...

/// Bytes that every rank sends and receives. Blocks are as many as there are
/// ranks, and equally long.
struct RankTransfer {
  TransferKind kind = TransferKind::AllGather;
  Window source;
  Window destination;
  uint32_t offset = 0; ///< Of a shift: 1 to the number of ranks - 1.
  /// Of a shift: the first rank comes after the last one. Else a rank without a
  /// source keeps what is in the destination.
  bool rotate = false;
  /// Of AllToAll, if not zero: only the first rows of each block are sent, as
  /// many as `counts` has of it, a word each; `received` gets those of the
  /// blocks that come. What lies after them in the destination is undefined.
  uint32_t rowBytes = 0;
  std::optional<Window> counts = {}, received = {};
};

/// Begins transfers between ranks, when everything before it is done. Until the
/// next Await of the same list, the device may work on what does not touch
/// them.
struct Exchange {
  std::vector<RankTransfer> transfers;
};
/// Everything before it is done, and the transfers.
struct Await {};

/// In memory only: what chooseVariants() leaves of a command that a device does
/// without. The numbers of the others stay as they are.
struct LeftOut {};

struct Command {
  std::variant<Dispatch, DispatchIndirect, Barrier, Copy, Fill, Repeat, Clock,
               Exchange, Await, LeftOut>
      op;
  /// Indices of the stages that it works for, ascending.
  std::vector<uint32_t> stages = {};
  /// Devices with this feature do without it. Not of repeats, clocks and
  /// exchanges.
  std::optional<Feature> unless = {};
};

/// One of several programs of a plan, which share its regions and kernels.
/// Stages and commands of the programs follow one another in their order.
struct Program {
  std::string name;
  std::vector<uint32_t> inputs;  ///< Those it needs: of its own, and shared.
  std::vector<uint32_t> outputs; ///< Of its own.
  std::vector<uint32_t> symbols; ///< Those it uses: of its own, and shared.
  uint32_t stages = 0;
  uint32_t commands = 0;
};

/// A number that the plan was compiled for, such as a size.
struct Parameter {
  std::string name;
  std::string value; ///< As the program writes it: "4096", "0.5".
};

struct Plan {
  std::string program; ///< The name of the plan, and of its only program.
  std::array<uint64_t, kNumRegions> regionBytes = {};
  uint32_t instances = 0; ///< VM instances: metadata of instance i is the
                          ///< symbol "<stage>.metadata" in Metrics, if kept.
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Symbol> symbols;
  std::vector<RegisterSlot> registers;
  std::vector<Stage> stages;
  std::vector<Kernel> kernels;
  std::vector<InitialData> initialData;
  std::vector<Command> commands;
  /// Empty if there is one program, which has all of the plan (Programs.h).
  std::vector<Program> programs = {};
  std::vector<Parameter> parameters = {};
  /// How many ranks run it together; 0: any number, since it has no exchange.
  uint32_t ranks = 0;
  /// The text of the MLIR module that the plan was compiled from, for compilers
  /// that link its programs; or empty. Nothing runs it.
  std::string module = {};
  /// In memory only: the planIdentity (Container.h) of the file that it was
  /// read from; or 0.
  uint64_t identity = 0;
};

} // namespace vm
