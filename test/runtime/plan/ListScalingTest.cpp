//===- ListScalingTest.cpp - every list of a plan, and every two of them --===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Valid plans with n and 4 n entries of each list, and of each two: what is
// linear in either of two lists alone may still compare all of one with all of
// the other. No list can be forgotten: the fields that the reader of manifests
// knows have to be in these plans. PlanScalingTest.cpp has plans that are
// refused.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Limits.h"
#include "runtime/plan/ManifestJson.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/Repeats.h"
#include "test/runtime/plan/OperationCount.h"
#include "test/runtime/plan/Scaling.h"
#include "test/runtime/plan/TestKernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <regex>
#include <set>

using namespace vm;
using test::Measured;
using test::workDone;

namespace {

/// A plan that lists grow in. Its first command is a repeat of all others.
class Growing {
public:
  Growing() {
    plan.program = "p";
    plan.regionBytes.fill(uint64_t(1) << 40);
    plan.instances = 1;
    static const Kernel copy = test::makeKernel("copy", {0}, {5});
    plan.kernels = {copy, copy};
    plan.kernels[1].name = "other";
    plan.commands = {{Repeat()}};
  }

  Window window(Region region = Region::Registers, uint64_t length = 256) {
    uint64_t &end = ends[static_cast<unsigned>(region)];
    Window window = {region, end, length};
    end +=
        (length + kWindowAlignment - 1) / kWindowAlignment * kWindowAlignment;
    return window;
  }

  template <typename T>
  T &slot(std::vector<T> &slots, DType dtype = DType::I32,
          Region region = Region::Registers) {
    T &slot = slots.emplace_back();
    slot.name = name();
    slot.dtype = dtype;
    slot.window = window(region);
    return slot;
  }

  std::string name() { return fmt::format("name{}", numNames++); }

  void add(decltype(Command::op) op) { plan.commands.push_back({op}); }

  /// A command, and a barrier after it.
  void addOrdered(decltype(Command::op) op) {
    add(std::move(op));
    add(Barrier());
  }

  Repeat &outer() { return std::get<Repeat>(plan.commands[0].op); }

  Plan finish() {
    add(Barrier());
    outer().commands = static_cast<uint32_t>(plan.commands.size() - 1);
    outer().times = periodOf(outer());
    if (numPrograms > 0)
      splitPrograms();
    return std::move(plan);
  }

  Plan plan;
  uint32_t numPrograms = 0;

private:
  /// The first program has all there is, and the others a command each.
  void splitPrograms() {
    auto all = [](size_t count) {
      std::vector<uint32_t> indices(count);
      std::iota(indices.begin(), indices.end(), 0u);
      return indices;
    };
    plan.programs = {{"all", all(plan.inputs.size()), all(plan.outputs.size()),
                      all(plan.symbols.size()),
                      static_cast<uint32_t>(plan.stages.size()),
                      static_cast<uint32_t>(plan.commands.size())}};
    for (uint32_t i = 0; i < numPrograms; ++i) {
      plan.programs.push_back({name(), {}, {}, {}, 0, 1});
      add(Barrier());
    }
  }

  std::array<uint64_t, kNumRegions> ends = {};
  uint32_t numNames = 0;
};

struct List {
  const char *name;
  /// In the manifest; those with it that are as long in each of its elements.
  std::vector<const char *> paths;
  void (*grow)(Growing &p, uint32_t n);
  uint64_t limit = UINT64_MAX;
};

/// Kernels with this many bindings, all of them read but for the last one.
const Kernel &kernelWithBindings(uint32_t count) {
  static std::map<uint32_t, Kernel> known;
  auto [entry, isNew] = known.try_emplace(count);
  if (isNew) {
    std::vector<uint32_t> inputs;
    for (uint32_t i = 0; i + 1 < count; ++i)
      inputs.push_back(kNumRegions * i);
    entry->second =
        test::makeKernel("many", inputs, {kNumRegions * (count - 1)});
  }
  return entry->second;
}

#define EACH(statement)                                                        \
  [](Growing &p, uint32_t n) {                                                 \
    for (uint32_t i = 0; i < n; ++i) {                                         \
      statement;                                                               \
    }                                                                          \
  }

/// In an order in which later ones can build on earlier ones.
const List kLists[] = {
    {"inputs", {"inputs"}, EACH(p.slot(p.plan.inputs))},
    {"outputs", {"outputs"}, EACH(p.slot(p.plan.outputs))},
    {"symbols", {"symbols"}, EACH(p.slot(p.plan.symbols))},
    {"outputs with rows",
     {},
     [](Growing &p, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i) {
         Symbol &symbol = p.slot(p.plan.symbols, DType::I32, Region::Control);
         symbol.bound = 8;
         Output &output = p.slot(p.plan.outputs);
         output.shape = {8};
         output.rows = symbol.name;
       }
     }},
    {"registers",
     {"registers"},
     [](Growing &p, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i)
         p.slot(p.plan.registers).reg = i;
     }},
    {"dimensions",
     {"inputs.shape", "outputs.shape", "symbols.shape", "registers.shape"},
     [](Growing &p, uint32_t n) {
       std::vector<int64_t> shape(n, 1);
       p.slot(p.plan.inputs).shape = p.slot(p.plan.outputs).shape = shape;
       p.slot(p.plan.symbols).shape = shape;
       RegisterSlot &slot = p.slot(p.plan.registers);
       slot.shape = shape;
       slot.reg = limits::kMaxSlots - 1;
     },
     limits::kMaxRank},
    {"data",
     {"data"},
     EACH(p.plan.initialData.push_back(
         {Region::Heap, p.window(Region::Heap).offset, {1, 2, 3, 4}}))},
    {"stages",
     {"stages"},
     EACH(p.plan.stages.push_back({p.name(), 0, "x", {0}}))},
    {"kernels of a stage",
     {"stages.kernels"},
     [](Growing &p, uint32_t n) {
       p.plan.stages.push_back({p.name(), 0, "x", {}});
       p.plan.stages.back().kernels.resize(n, 0);
     }},
    {"stages of a command",
     {"commands.stages"},
     [](Growing &p, uint32_t n) {
       p.add(Barrier());
       std::vector<uint32_t> &stages = p.plan.commands.back().stages;
       for (uint32_t i = 0; i < n; ++i) {
         stages.push_back(uint32_t(p.plan.stages.size()));
         p.plan.stages.push_back({p.name(), 0, "x", {}});
       }
     }},
    {"kernels",
     {"kernels"},
     [](Growing &p, uint32_t n) {
       // Each takes as long as some hundred entries of other lists.
       for (uint32_t i = 0; i < (n + 7) / 8; ++i)
         p.plan.kernels.emplace_back(p.plan.kernels[0]).name = p.name();
     }},
    {"features",
     {"kernels.features"},
     [](Growing &p, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i)
         p.plan.kernels[0].features.push_back(Feature(i));
     },
     size_t(Feature::Storage16) + 1},
    {"bindings",
     {"kernels.bindings", "commands.windows"},
     [](Growing &p, uint32_t n) {
       Dispatch dispatch = {uint32_t(p.plan.kernels.size()), {}, {1, 1, 1}};
       Kernel &kernel =
           p.plan.kernels.emplace_back(kernelWithBindings(std::max(n, 1u)));
       kernel.name = p.name();
       kernel.unfinished = kernel.bindings.back().binding;
       Window read = p.window();
       for (const Binding &binding : kernel.bindings)
         dispatch.windows.push_back(
             {binding.binding, binding.writes ? p.window() : read});
       p.addOrdered(dispatch);
     },
     limits::kMaxBindings},
    {"variants",
     {"kernels.variants"},
     [](Growing &p, uint32_t n) {
       uint32_t first = uint32_t(p.plan.kernels.size());
       for (uint32_t i = 0; i < n; ++i) {
         Kernel variant = p.plan.kernels[0];
         variant.name = p.name();
         variant.device = DeviceKind::Gpu;
         variant.groups = 1;
         p.plan.kernels.push_back(variant);
       }
       auto &variants = p.plan.kernels[0].variants;
       variants.resize(n);
       std::iota(variants.begin(), variants.end(), first);
     },
     limits::kMaxVariants},
    {"fills", {"commands"}, EACH(p.addOrdered(Fill{p.window(), 0}))},
    {"commands that some devices do without",
     {},
     [](Growing &p, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i) {
         p.addOrdered(Fill{p.window(), 0});
         p.plan.commands.back().unless = Feature(i % limits::kMaxUnless);
       }
     }},
    {"copies", {}, EACH(p.addOrdered(Copy{p.window(), p.window()}))},
    {"clocks",
     {},
     EACH(p.addOrdered(Clock{p.window(Region::Registers, kClockBytes)}))},
    {"dispatches",
     {},
     [](Growing &p, uint32_t n) {
       // n^2 pairs of a read of a part and one of the whole.
       Window all = p.window(Region::Registers, n * kWindowAlignment);
       for (uint32_t i = 0; i < n; ++i) {
         Window part = {all.region, all.offset + i * kWindowAlignment, 256};
         p.add(Dispatch{
             0, {{0, i % 2 ? all : part}, {5, p.window()}}, {1, 1, 1}});
       }
       p.add(Barrier());
     }},
    {"indirect dispatches",
     {},
     [](Growing &p, uint32_t n) {
       // Of the kernel without variants.
       Window counts = p.window(Region::Control, 12);
       for (uint32_t i = 0; i < n; ++i)
         p.addOrdered(DispatchIndirect{
             1, {{0, p.window()}, {5, p.window()}}, counts.offset});
     }},
    {"exchanges",
     {},
     [](Growing &p, uint32_t n) {
       p.plan.ranks = 1;
       for (uint32_t i = 0; i < n; ++i) {
         p.add(Exchange{{{TransferKind::AllToAll, p.window(), p.window()}}});
         p.add(Await());
       }
     }},
    {"transfers",
     {"commands.transfers"},
     [](Growing &p, uint32_t n) {
       p.plan.ranks = 1;
       Exchange exchange;
       for (uint32_t i = 0; i + 1 < n; ++i)
         exchange.transfers.push_back(
             {TransferKind::AllToAll, p.window(), p.window(), 0, false, 1,
              p.window(Region::Registers, 4), p.window(Region::Registers, 4)});
       exchange.transfers.push_back(
           {TransferKind::ShiftUp, p.window(), p.window(), 1, true});
       p.add(exchange);
       p.add(Await());
     },
     limits::kMaxTransfers},
    {"barriers", {}, EACH(p.add(Barrier()))},
    {"reasons",
     {"commands.reasons"},
     [](Growing &p, uint32_t n) {
       Window window = p.window();
       uint32_t first = uint32_t(p.plan.commands.size());
       p.add(Fill{window, 0});
       p.add(Barrier{std::vector<BarrierReason>(
           n, {HazardKind::WriteAfterWrite, first, first + 2, window})});
       p.addOrdered(Fill{window, 0});
     }},
    {"repeats",
     {},
     [](Growing &p, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i) {
         Window condition = p.window(Region::Registers, 1);
         p.add(Repeat{3, 2, condition});
         p.add(Repeat{2, 2});
         p.addOrdered(Fill{p.window(), 0});
       }
     }},
    {"rotations",
     {"commands.rotations"},
     EACH(p.outer().rotations.push_back({p.window(), p.window()}))},
    {"windows of a rotation",
     {"commands.rotations.windows"},
     [](Growing &p, uint32_t n) {
       constexpr uint32_t kSizes[] = {2, 3, 4, 6, 12}; // Of period 12.
       uint32_t size = *std::lower_bound(std::begin(kSizes), std::end(kSizes),
                                         std::max(n, 2u));
       Rotation &rotation = p.outer().rotations.emplace_back();
       for (uint32_t i = 0; i < size; ++i)
         rotation.push_back(p.window());
     },
     limits::kMaxPeriod},
    {"rotations in repeats in the repeat",
     {},
     [](Growing &p, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i) {
         Rotation rotation = {p.window(), p.window()};
         p.add(Repeat{2, 2, {}, {rotation}});
         p.addOrdered(Fill{rotation[0], 0});
       }
     }},
    {"programs",
     {"programs", "programs.inputs", "programs.outputs", "programs.symbols"},
     [](Growing &p, uint32_t n) { p.numPrograms = n; },
     limits::kMaxPrograms - 1},
    {"parameters",
     {"parameters"},
     EACH(p.plan.parameters.push_back({p.name(), "8"})),
     limits::kMaxParameters},
    {"lines of the module", {}, EACH(p.plan.module += "module {}\n")},
};

void grow(Growing &p, const List &list, uint32_t n) {
  list.grow(p, uint32_t(std::min<uint64_t>(n, list.limit)));
}

//===----------------------------------------------------------------------===//
// No list is forgotten
//===----------------------------------------------------------------------===//

Plan makeFullPlan() {
  Growing p;
  for (const List &list : kLists)
    grow(p, list, 3);
  return p.finish();
}

/// What there is in a manifest.
struct Names {
  std::set<std::string> fields, lists, ops;

  void add(const nlohmann::json &json, const std::string &path) {
    if (json.is_array()) {
      lists.insert(path);
      for (const auto &element : json)
        add(element, path);
    }
    if (!json.is_object())
      return;
    for (const auto &[key, value] : json.items()) {
      fields.insert(key);
      if (key == "op")
        ops.insert(value);
      add(value, path.empty() ? key : path + "." + key);
    }
  }
};

/// What the first group of the pattern is wherever the text has it.
std::set<std::string> groupsOf(const std::string &text, const char *pattern) {
  std::set<std::string> found;
  std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end;
       ++it)
    found.insert((*it)[1]);
  return found;
}

TEST(ListScaling, NoListIsForgotten) {
  std::ifstream file(GPUVM_MANIFEST);
  std::string text(std::istreambuf_iterator<char>(file), {});
  auto fields = groupsOf(text, R"re(\.\w+\(\s*"(\w+)")re");
  auto ops = groupsOf(text, R"re(\{"(\w+)", \w+\(\)\})re");
  ASSERT_TRUE(fields.contains("rotations") && ops.contains("repeat"));
  fields.erase("stage"); // Of files before 1.17.

  Plan plan = makeFullPlan();
  EXPECT_EQ(readPlan(writePlan(plan)).status().message(), "");
  Names names;
  names.add(nlohmann::json::parse(manifestToJson(plan)), "");
  for (const std::string &field : fields)
    EXPECT_TRUE(names.fields.contains(field)) << field;
  EXPECT_EQ(names.ops, ops);
  // Those of three elements.
  std::set<std::string> known = {"kernels.local_size", "commands.groups"};
  for (const List &list : kLists)
    known.insert(list.paths.begin(), list.paths.end());
  EXPECT_EQ(names.lists, known);
}

//===----------------------------------------------------------------------===//
// They are read in linear time
//===----------------------------------------------------------------------===//

std::vector<uint8_t> makeFile(const List &a, const List &b, uint32_t n) {
  Growing p;
  grow(p, a, n);
  if (&a != &b)
    grow(p, b, n);
  return writePlan(p.finish());
}

TEST(ListScaling, EachTwoListsAreReadInLinearTime) {
  for (const List &a : kLists)
    for (const List *b = &a; b != std::end(kLists); ++b) {
      auto measure = [&](uint32_t n) {
        std::vector<uint8_t> file = makeFile(a, *b, n);
        double start = workDone();
        Status status = readPlan(file).status();
        EXPECT_EQ(status.message(), "") << a.name << ", " << b->name;
        return Measured{workDone() - start, status.message()};
      };
      EXPECT_EQ(test::findSuperlinear(measure, 200), "")
          << a.name << ", " << b->name;
    }
}

//===----------------------------------------------------------------------===//
// The deadline is looked at
//===----------------------------------------------------------------------===//

#ifdef GPUVM_COUNTS_OPERATIONS

thread_local uint64_t lastLook = 0;

/// A clock that is ahead by one with each load.
uint64_t operations() { return lastLook = test::operationCount(); }

TEST(ListScaling, ReadingEndsSoonAfterItsDeadline) {
  // As many as a kernel with all bindings takes, and some.
  constexpr uint64_t kSoon = 1'000'000;
  for (const List &list : kLists) {
    std::vector<uint8_t> file = makeFile(list, list, 3000);
    uint64_t start = test::operationCount();
    ASSERT_EQ(readPlan(file).status().message(), "") << list.name;
    uint64_t all = test::operationCount() - start;
    for (uint64_t eighth : {1, 3, 5, 7}) {
      uint64_t timeout = all * eighth / 8;
      start = test::operationCount();
      Status status = readPlan(file, Deadline(timeout, operations)).status();
      EXPECT_EQ(status.code(), Code::DeviceLost) << list.name;
      EXPECT_LT(lastLook - start, timeout + kSoon)
          << list.name << ": " << status.message();
    }
  }
}

#endif

} // namespace
