//===- ManifestReader.cpp - from JSON text to a plan ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per kind of object, each naming its fields once.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Printable.h"
#include "runtime/plan/ManifestFields.h"
#include "runtime/plan/ManifestJson.h"
#include "runtime/plan/ManifestParser.h"
#include "runtime/plan/PlanNames.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vm {
namespace {

using nlohmann::json;
using At = ManifestPath;

/// Appends what `readOne` reads from every element of an array.
template <typename T, typename Function>
void readList(ManifestObject &object, const char *field, std::vector<T> &list,
              Function readOne) {
  object.readArray(field, [&](const json &value, const At &at) {
    return readOne(value, at, list.emplace_back());
  });
}

void readWindowFields(ManifestObject &object, Window &window) {
  object.readEnum("region", window.region, regionFromString);
  object.read("offset", window.offset);
  object.read("length", window.length);
}

void readWindow(ManifestObject &object, const char *field, Window &window) {
  object.readValue(field, [&](const json &value, const At &at) {
    ManifestObject fields(value, at);
    readWindowFields(fields, window);
    return fields.finish();
  });
}

void readSlotFields(ManifestObject &object, Slot &slot) {
  object.read("name", slot.name);
  object.readEnum("dtype", slot.dtype, dtypeFromString);
  object.read("shape", slot.shape);
  readWindow(object, "window", slot.window);
}

Status readInput(const json &value, const At &at, Input &input) {
  ManifestObject object(value, at);
  readSlotFields(object, input);
  object.readEnum("residency", input.residency, residencyFromString);
  return object.finish();
}

Status readOutput(const json &value, const At &at, Output &output) {
  ManifestObject object(value, at);
  readSlotFields(object, output);
  object.readOptional("rows", output.rows); // Since 1.5.
  return object.finish();
}

Status readSymbol(const json &value, const At &at, Symbol &symbol) {
  ManifestObject object(value, at);
  readSlotFields(object, symbol);
  object.readOptional("bound", symbol.bound); // Since 1.5.
  return object.finish();
}

Status readRegister(const json &value, const At &at, RegisterSlot &slot) {
  ManifestObject object(value, at);
  readSlotFields(object, slot);
  object.read("instance", slot.instance);
  object.read("register", slot.reg);
  return object.finish();
}

Status readStage(const json &value, const At &at, Stage &stage) {
  ManifestObject object(value, at);
  object.read("name", stage.name);
  object.read("instance", stage.instance);
  object.read("location", stage.location);
  object.read("kernels", stage.kernels);
  return object.finish();
}

Status readBinding(const json &value, const At &at, Binding &binding) {
  ManifestObject object(value, at);
  object.read("binding", binding.binding);
  object.read("reads", binding.reads);
  object.read("writes", binding.writes);
  return object.finish();
}

Status readFeature(const json &value, const At &at, Feature &feature) {
  const auto *name = value.get_ptr<const std::string *>();
  std::optional<Feature> found;
  if (name)
    found = featureFromString(*name);
  if (!found)
    return Status(Code::BadInput,
                  fmt::format("Manifest field \"{}\" is not the name of a "
                              "feature.",
                              at.str()));
  feature = *found;
  return {};
}

Status readKernel(const json &value, const At &at, Kernel &kernel) {
  ManifestObject object(value, at);
  object.read("name", kernel.name);
  object.read("entry_point", kernel.entryPoint);
  object.read("local_size", kernel.localSize.data(), 3);
  object.read("workgroup_memory_bytes", kernel.workgroupMemoryBytes);
  readList(object, "features", kernel.features, readFeature);
  readList(object, "bindings", kernel.bindings, readBinding);
  object.readOptional("variants", kernel.variants);     // Since 1.2.
  object.readOptional("unfinished", kernel.unfinished); // Since 1.9.
  object.readOptionalEnum("device", kernel.device,      // Since 1.14.
                          deviceKindFromString);
  object.readOptional("groups", kernel.groups); // Since 1.14.
  return object.finish();
}

/// `budget` is what the chunks read so far leave of the file.
Status readData(const json &value, const At &at, InitialData &data,
                uint64_t &budget) {
  Window window;
  ManifestObject object(value, at);
  readWindowFields(object, window);
  VM_RETURN_IF_ERROR(object.finish());
  if (window.length > budget)
    return Status(
        Code::BadInput,
        fmt::format("Manifest field \"{}.length\" is {} (the file has "
                    "room for {} bytes).",
                    at.str(), window.length, budget));
  budget -= window.length;
  data.region = window.region;
  data.offset = window.offset;
  data.bytes.resize(window.length);
  return {};
}

Status readRotation(const json &value, const At &at, Rotation &rotation) {
  ManifestObject object(value, at);
  readList(object, "windows", rotation,
           [](const json &element, const At &where, Window &window) {
             ManifestObject fields(element, where);
             readWindowFields(fields, window);
             return fields.finish();
           });
  return object.finish();
}

Status readBoundWindow(const json &value, const At &at, BoundWindow &bound) {
  ManifestObject object(value, at);
  object.read("binding", bound.binding);
  readWindowFields(object, bound.window);
  return object.finish();
}

Status readReason(const json &value, const At &at, BarrierReason &reason) {
  ManifestObject object(value, at);
  object.readEnum("kind", reason.kind, hazardKindFromString);
  object.read("first", reason.first);
  object.read("second", reason.second);
  readWindowFields(object, reason.window);
  return object.finish();
}

/// The fields of a command besides `op` and `stage`.
bool readOp(ManifestObject &object, const std::string &name, Command &command) {
  if (name == "dispatch") {
    auto &op = command.op.emplace<Dispatch>();
    object.read("kernel", op.kernel);
    readList(object, "windows", op.windows, readBoundWindow);
    object.read("groups", op.groups.data(), 3);
  } else if (name == "dispatch_indirect") {
    auto &op = command.op.emplace<DispatchIndirect>();
    object.read("kernel", op.kernel);
    readList(object, "windows", op.windows, readBoundWindow);
    object.read("control_offset", op.controlOffset);
  } else if (name == "barrier") {
    auto &op = command.op.emplace<Barrier>();
    readList(object, "reasons", op.reasons, readReason);
  } else if (name == "copy") {
    auto &op = command.op.emplace<Copy>();
    readWindow(object, "source", op.source);
    readWindow(object, "destination", op.destination);
  } else if (name == "fill") {
    auto &op = command.op.emplace<Fill>();
    readWindow(object, "window", op.window);
    object.read("value", op.value);
  } else if (name == "clock") { // Since 1.7.
    readWindow(object, "window", command.op.emplace<Clock>().window);
  } else if (name == "repeat") { // Since 1.7.
    auto &op = command.op.emplace<Repeat>();
    object.read("commands", op.commands);
    object.read("times", op.times);
    if (object.has("while")) // Since 1.12.
      readWindow(object, "while", op.condition.emplace());
    if (object.has("rotations")) { // Since 1.11.
      readList(object, "rotations", op.rotations, readRotation);
      object.read("phase", op.phase);
    }
  } else {
    return false;
  }
  return true;
}

Status readCommand(const json &value, const At &at, Command &command) {
  ManifestObject object(value, at);
  std::string op;
  object.read("op", op);
  object.read("stage", command.stage);
  object.readOptionalEnum("unless", command.unless,
                          featureFromString); // Since 1.10.
  if (object.ok() && !readOp(object, op, command))
    return Status(
        Code::BadInput,
        fmt::format("Manifest field \"{}.op\" is \"{}\", which is not "
                    "one of its values.",
                    at.str(), printable(op)));
  return object.finish();
}

Status readRegions(const json &value, const At &at, Plan &plan) {
  ManifestObject object(value, at);
  for (unsigned i = 0; i < kNumRegions; ++i)
    object.read(toString(static_cast<Region>(i)), plan.regionBytes[i]);
  return object.finish();
}

Status readProgram(const json &value, const At &at, Program &program) {
  ManifestObject object(value, at);
  object.read("name", program.name);
  object.read("inputs", program.inputs);
  object.read("outputs", program.outputs);
  object.read("symbols", program.symbols);
  object.read("stages", program.stages);
  object.read("commands", program.commands);
  return object.finish();
}

Status readManifest(const json &root, Plan &plan, uint64_t maxDataBytes,
                    const Deadline &deadline) {
  At at(deadline);
  ManifestObject object(root, at);
  object.read("program", plan.program);
  object.readValue("regions", [&](const json &value, const At &regionsAt) {
    return readRegions(value, regionsAt, plan);
  });
  object.read("instances", plan.instances);
  readList(object, "inputs", plan.inputs, readInput);
  readList(object, "outputs", plan.outputs, readOutput);
  readList(object, "symbols", plan.symbols, readSymbol);
  readList(object, "registers", plan.registers, readRegister);
  readList(object, "stages", plan.stages, readStage);
  readList(object, "kernels", plan.kernels, readKernel);
  readList(object, "data", plan.initialData,
           [&](const json &value, const At &dataAt, InitialData &data) {
             return readData(value, dataAt, data, maxDataBytes);
           });
  readList(object, "commands", plan.commands, readCommand);
  if (object.has("programs")) // Since 1.13.
    readList(object, "programs", plan.programs, readProgram);
  return object.finish();
}

} // namespace

Result<Plan> manifestFromJson(std::string_view text, uint64_t maxDataBytes,
                              const Deadline &deadline) {
  VM_RETURN_IF_ERROR(prescanJson(text, deadline));
  json root;
  VM_RETURN_IF_ERROR(parseJson(text, root, deadline));
  Plan plan;
  VM_RETURN_IF_ERROR(readManifest(root, plan, maxDataBytes, deadline));
  return plan;
}

} // namespace vm
