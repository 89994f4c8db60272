//===- ManifestJson.cpp - the manifest of a plan as JSON text -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function `fields` states the fields of one kind of object once, for the
// writer (with const objects) and for the reader. Keys keep the order in which
// they stand here, which is the order of docs/plan-format.md: equal plans give
// equal text.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ManifestJson.h"

#include "runtime/plan/ManifestParser.h"
#include "runtime/plan/ManifestReader.h"
#include "runtime/plan/ManifestWriter.h"

#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace vm {

/// What an archive reads or writes.
template <typename Archive, typename T>
using Ref = std::conditional_t<Archive::kReads, T &, const T &>;

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Window> window) {
  archive.field("region", window.region);
  archive.field("offset", window.offset);
  archive.field("length", window.length);
}

//===----------------------------------------------------------------------===//
// What commands refer to
//===----------------------------------------------------------------------===//

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Slot> slot) {
  archive.field("name", slot.name);
  archive.field("dtype", slot.dtype);
  archive.field("shape", slot.shape);
  archive.field("window", slot.window);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Input> input) {
  fields(archive, static_cast<Ref<Archive, Slot>>(input));
  archive.field("residency", input.residency);
  archive.optional("rows", input.rows); // Since 1.18.
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Output> output) {
  fields(archive, static_cast<Ref<Archive, Slot>>(output));
  archive.optional("rows", output.rows); // Since 1.5.
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Symbol> symbol) {
  fields(archive, static_cast<Ref<Archive, Slot>>(symbol));
  archive.optional("bound", symbol.bound); // Since 1.5.
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, RegisterSlot> slot) {
  fields(archive, static_cast<Ref<Archive, Slot>>(slot));
  archive.field("instance", slot.instance);
  archive.field("register", slot.reg);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Stage> stage) {
  archive.field("name", stage.name);
  archive.field("instance", stage.instance);
  archive.field("location", stage.location);
  archive.field("kernels", stage.kernels);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Binding> binding) {
  archive.field("binding", binding.binding);
  archive.field("reads", binding.reads);
  archive.field("writes", binding.writes);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Kernel> kernel) {
  archive.field("name", kernel.name);
  archive.field("entry_point", kernel.entryPoint);
  archive.field("local_size", kernel.localSize);
  archive.field("workgroup_memory_bytes", kernel.workgroupMemoryBytes);
  archive.field("features", kernel.features);
  archive.field("bindings", kernel.bindings);
  archive.optional("variants", kernel.variants);     // Since 1.2.
  archive.optional("unfinished", kernel.unfinished); // Since 1.9.
  archive.optional("device", kernel.device);         // Since 1.14.
  archive.optional("groups", kernel.groups);         // Since 1.14.
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, InitialData> data) {
  uint64_t length = data.bytes.size();
  archive.field("region", data.region);
  archive.field("offset", data.offset);
  archive.field("length", length);
  if constexpr (Archive::kReads)
    if (archive.takeRoom("length", length))
      data.bytes.resize(length);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, BoundWindow> bound) {
  archive.field("binding", bound.binding);
  fields(archive, bound.window);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Dispatch> op) {
  archive.field("kernel", op.kernel);
  archive.field("windows", op.windows);
  archive.field("groups", op.groups);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, DispatchIndirect> op) {
  archive.field("kernel", op.kernel);
  archive.field("windows", op.windows);
  archive.field("control_offset", op.controlOffset);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, BarrierReason> reason) {
  archive.field("kind", reason.kind);
  archive.field("first", reason.first);
  archive.field("second", reason.second);
  fields(archive, reason.window);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Barrier> op) {
  archive.field("reasons", op.reasons);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Copy> op) {
  archive.field("source", op.source);
  archive.field("destination", op.destination);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Fill> op) {
  archive.field("window", op.window);
  archive.field("value", op.value);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Clock> op) {
  archive.field("window", op.window);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, RankTransfer> transfer) {
  archive.field("kind", transfer.kind);
  archive.field("source", transfer.source);
  archive.field("destination", transfer.destination);
  archive.optional("offset", transfer.offset);
  archive.optional("rotate", transfer.rotate);
  archive.optional("row_bytes", transfer.rowBytes);
  archive.optional("counts", transfer.counts);
  archive.optional("received", transfer.received);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Exchange> op) {
  archive.field("transfers", op.transfers);
}

template <typename Archive>
static void fields(Archive &, Ref<Archive, Await>) {}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Repeat> op) {
  archive.field("commands", op.commands);
  archive.field("times", op.times);
  archive.optional("while", op.condition);              // Since 1.12.
  if (!archive.has("rotations", !op.rotations.empty())) // Since 1.11.
    return;
  archive.field("phase", op.phase);
  archive.list("rotations", op.rotations,
               [](Archive &rotations, Ref<Archive, Rotation> rotation) {
                 rotations.field("windows", rotation);
               });
}

template <typename Archive>
static void fields(Archive &, Ref<Archive, LeftOut>) {}

/// LeftOut has no name: it is in no plan that is written.
static const std::pair<const char *, decltype(Command::op)> kOps[] = {
    {"dispatch", Dispatch()}, {"dispatch_indirect", DispatchIndirect()},
    {"barrier", Barrier()},   {"copy", Copy()},
    {"fill", Fill()},         {"clock", Clock()},  // Since 1.7.
    {"repeat", Repeat()},                          // Since 1.7.
    {"exchange", Exchange()}, {"await", Await()}}; // Since 1.19.

/// The stages of the labels that commands had before 1.17: "filter+revenue",
/// the first eight of many.
class StageLabels {
public:
  explicit StageLabels(const std::vector<Stage> &stages) {
    for (uint32_t i = 0; i < stages.size(); ++i)
      byName.emplace(stages[i].name, i);
  }

  std::vector<uint32_t> stagesOf(std::string_view label) const {
    std::set<uint32_t> stages;
    if (label.ends_with(" more")) // "a+b and 3 more"
      label = label.substr(0, label.rfind(" and "));
    while (!label.empty()) {
      size_t plus = label.find('+');
      if (auto found = byName.find(label.substr(0, plus));
          found != byName.end())
        stages.insert(found->second);
      label = plus == label.npos ? "" : label.substr(plus + 1);
    }
    return {stages.begin(), stages.end()};
  }

private:
  std::unordered_map<std::string_view, uint32_t> byName;
};

template <typename Archive>
static void commandFields(Archive &archive, Ref<Archive, Plan> plan) {
  std::optional<StageLabels> labels;
  if (archive.minor() < kMinorOfStageIndices)
    labels.emplace(plan.stages);
  archive.list("commands", plan.commands,
               [&](Archive &object, Ref<Archive, Command> command) {
                 object.choice("op", command.op, kOps);
                 if constexpr (Archive::kReads) {
                   if (labels) {
                     std::string label;
                     object.field("stage", label);
                     command.stages = labels->stagesOf(label);
                   }
                 }
                 if (!labels)
                   object.field("stages", command.stages);
                 object.optional("unless", command.unless); // Since 1.10.
               });
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Program> program) {
  archive.field("name", program.name);
  archive.field("inputs", program.inputs);
  archive.field("outputs", program.outputs);
  archive.field("symbols", program.symbols);
  archive.field("stages", program.stages);
  archive.field("commands", program.commands);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Parameter> parameter) {
  archive.field("name", parameter.name);
  archive.field("value", parameter.value);
}

template <typename Archive>
static void fields(Archive &archive, Ref<Archive, Plan> plan) {
  archive.field("program", plan.program);
  archive.object("regions", [&](Archive &regions) {
    for (unsigned i = 0; i < kNumRegions; ++i)
      regions.field(kRegionNames[i], plan.regionBytes[i]);
  });
  archive.field("instances", plan.instances);
  archive.field("inputs", plan.inputs);
  archive.field("outputs", plan.outputs);
  archive.field("symbols", plan.symbols);
  archive.field("registers", plan.registers);
  archive.field("stages", plan.stages);
  archive.field("kernels", plan.kernels);
  archive.field("data", plan.initialData);
  commandFields(archive, plan);
  archive.optional("programs", plan.programs);     // Since 1.13.
  archive.optional("parameters", plan.parameters); // Since 1.18.
  archive.optional("ranks", plan.ranks);           // Since 1.19.
}

std::string manifestToJson(const Plan &plan, int indent) {
  ManifestWriter writer;
  fields(writer, plan);
  // The replacing handler keeps dump() from throwing on names that verifyPlan
  // would refuse.
  return writer.json.dump(indent, ' ', /*ensure_ascii=*/false,
                          ManifestWriter::Json::error_handler_t::replace);
}

Result<Plan> manifestFromJson(std::string_view text, uint16_t minor,
                              uint64_t maxDataBytes, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(prescanJson(text, deadline));
  nlohmann::json root;
  VM_RETURN_IF_ERROR(parseJson(text, root, deadline));
  Plan plan;
  ManifestFile file = {minor, maxDataBytes, deadline};
  ManifestPath path(file);
  ManifestReader reader(root, path);
  fields(reader, plan);
  VM_RETURN_IF_ERROR(reader.finish());
  return plan;
}

} // namespace vm
