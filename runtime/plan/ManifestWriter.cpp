//===- ManifestWriter.cpp - from a plan to JSON text ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys keep the order in which they are written here, which is the order of
// docs/plan-format.md: equal plans give equal text.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ManifestJson.h"
#include "runtime/plan/PlanNames.h"

#include <nlohmann/json.hpp>

namespace vm {
namespace {

using json = nlohmann::ordered_json;

// Declared before toArray, which finds them here and not by their argument's
// namespace.
json toJson(const Window &window);
json toJson(const Input &input);
json toJson(const Output &output);
json toJson(const Symbol &symbol);
json toJson(const RegisterSlot &slot);
json toJson(const Stage &stage);
json toJson(Feature feature);
json toJson(const Binding &binding);
json toJson(const Kernel &kernel);
json toJson(const InitialData &data);
json toJson(const BoundWindow &bound);
json toJson(const BarrierReason &reason);
json toJson(const Command &command);
json toJson(const Program &program);

template <typename T> json toArray(const std::vector<T> &list) {
  json array = json::array();
  for (const T &element : list)
    array.push_back(toJson(element));
  return array;
}

void putWindow(json &object, const Window &window) {
  object["region"] = toString(window.region);
  object["offset"] = window.offset;
  object["length"] = window.length;
}

json toJson(const Window &window) {
  json object;
  putWindow(object, window);
  return object;
}

json slotToJson(const Slot &slot) {
  json object;
  object["name"] = slot.name;
  object["dtype"] = toString(slot.dtype);
  object["shape"] = slot.shape;
  object["window"] = toJson(slot.window);
  return object;
}

json toJson(const Input &input) {
  json object = slotToJson(input);
  object["residency"] = toString(input.residency);
  return object;
}

json toJson(const Output &output) {
  json object = slotToJson(output);
  if (!output.rows.empty())
    object["rows"] = output.rows;
  return object;
}

json toJson(const Symbol &symbol) {
  json object = slotToJson(symbol);
  if (symbol.bound != 0)
    object["bound"] = symbol.bound;
  return object;
}

json toJson(const RegisterSlot &slot) {
  json object = slotToJson(slot);
  object["instance"] = slot.instance;
  object["register"] = slot.reg;
  return object;
}

json toJson(const Stage &stage) {
  return {{"name", stage.name},
          {"instance", stage.instance},
          {"location", stage.location},
          {"kernels", stage.kernels}};
}

json toJson(Feature feature) { return toString(feature); }

json toJson(const Binding &binding) {
  return {{"binding", binding.binding},
          {"reads", binding.reads},
          {"writes", binding.writes}};
}

json toJson(const Kernel &kernel) {
  json object;
  object["name"] = kernel.name;
  object["entry_point"] = kernel.entryPoint;
  object["local_size"] = kernel.localSize;
  object["workgroup_memory_bytes"] = kernel.workgroupMemoryBytes;
  object["features"] = toArray(kernel.features);
  object["bindings"] = toArray(kernel.bindings);
  if (!kernel.variants.empty())
    object["variants"] = kernel.variants;
  if (kernel.unfinished)
    object["unfinished"] = *kernel.unfinished;
  if (kernel.device)
    object["device"] = toString(*kernel.device);
  if (kernel.groups)
    object["groups"] = *kernel.groups;
  return object;
}

json toJson(const InitialData &data) {
  return toJson(Window{data.region, data.offset, data.bytes.size()});
}

json toJson(const BoundWindow &bound) {
  json object;
  object["binding"] = bound.binding;
  putWindow(object, bound.window);
  return object;
}

json toJson(const BarrierReason &reason) {
  json object;
  object["kind"] = toString(reason.kind);
  object["first"] = reason.first;
  object["second"] = reason.second;
  putWindow(object, reason.window);
  return object;
}

/// Adds the fields of one op to a command's object.
struct OpWriter {
  json &object;

  void operator()(const Dispatch &op) {
    object["op"] = "dispatch";
    object["kernel"] = op.kernel;
    object["windows"] = toArray(op.windows);
    object["groups"] = op.groups;
  }
  void operator()(const DispatchIndirect &op) {
    object["op"] = "dispatch_indirect";
    object["kernel"] = op.kernel;
    object["windows"] = toArray(op.windows);
    object["control_offset"] = op.controlOffset;
  }
  void operator()(const Barrier &op) {
    object["op"] = "barrier";
    object["reasons"] = toArray(op.reasons);
  }
  void operator()(const Copy &op) {
    object["op"] = "copy";
    object["source"] = toJson(op.source);
    object["destination"] = toJson(op.destination);
  }
  void operator()(const Fill &op) {
    object["op"] = "fill";
    object["window"] = toJson(op.window);
    object["value"] = op.value;
  }
  void operator()(const Clock &op) {
    object["op"] = "clock";
    object["window"] = toJson(op.window);
  }
  void operator()(const Repeat &op) {
    object["op"] = "repeat";
    object["commands"] = op.commands;
    object["times"] = op.times;
    if (op.condition)
      object["while"] = toJson(*op.condition);
    if (op.rotations.empty())
      return;
    object["phase"] = op.phase;
    for (const Rotation &rotation : op.rotations)
      object["rotations"].push_back({{"windows", toArray(rotation)}});
  }
  void operator()(const LeftOut &) {} // Not in a plan that is written.
};

json toJson(const Command &command) {
  json object;
  std::visit(OpWriter{object}, command.op);
  object["stage"] = command.stage;
  if (command.unless)
    object["unless"] = toString(*command.unless);
  return object;
}

json toJson(const Program &program) {
  return {{"name", program.name},       {"inputs", program.inputs},
          {"outputs", program.outputs}, {"symbols", program.symbols},
          {"stages", program.stages},   {"commands", program.commands}};
}

json regionsToJson(const Plan &plan) {
  json object;
  for (unsigned i = 0; i < kNumRegions; ++i)
    object[toString(static_cast<Region>(i))] = plan.regionBytes[i];
  return object;
}

} // namespace

std::string manifestToJson(const Plan &plan, int indent) {
  json root;
  root["program"] = plan.program;
  root["regions"] = regionsToJson(plan);
  root["instances"] = plan.instances;
  root["inputs"] = toArray(plan.inputs);
  root["outputs"] = toArray(plan.outputs);
  root["symbols"] = toArray(plan.symbols);
  root["registers"] = toArray(plan.registers);
  root["stages"] = toArray(plan.stages);
  root["kernels"] = toArray(plan.kernels);
  root["data"] = toArray(plan.initialData);
  root["commands"] = toArray(plan.commands);
  if (!plan.programs.empty())
    root["programs"] = toArray(plan.programs);
  // The replacing handler keeps dump() from throwing on names that verifyPlan
  // would refuse.
  return root.dump(indent, ' ', /*ensure_ascii=*/false,
                   json::error_handler_t::replace);
}

} // namespace vm
