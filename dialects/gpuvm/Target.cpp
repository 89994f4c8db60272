//===- Target.cpp - the devices that launches are chosen for --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/targets.md says where the numbers come from.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Target.h"

#include "schema/Limits.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct KnownTarget {
  StringLiteral name;
  DeviceKind kind;
  int64_t units, subgroup, workgroupBytes, dispatchNs, bytesPerUs;
  int64_t busyGroups, bindings;
  int64_t exchangeNs, exchangeBytesPerUs;
  ArrayRef<StringRef> features;
  bool closed;
};
} // namespace

static constexpr StringRef kLavapipeFeatures[] = {
    "float64", "int16", "int64", "int8", "storage16", "storage8"};
static constexpr StringRef kH200Features[] = {"float16",
                                              "float64",
                                              "int16",
                                              "int64",
                                              "int64_atomics",
                                              "int8",
                                              "integer_dot_product",
                                              "matrix_f16_f32",
                                              "matrix_i8_i32",
                                              "storage16",
                                              "storage8",
                                              "subgroup_32",
                                              "subgroup_operations",
                                              "unlimited_loops"};

/// Nothing is known of a generic device but what Vulkan promises; it is taken
/// for a large GPU, which is what a kernel with too many workgroups costs
/// least. Lavapipe has layouts for as many workgroups as the others: fewer were
/// not measured. An H200 has 48 KiB of workgroup memory, of which layouts take
/// 32, with which they were measured.
static constexpr KnownTarget kTargets[] = {
    {"generic",
     DeviceKind::any,
     132,
     32,
     32768,
     2070,
     4200000,
     264,
     vm::kMaxBindings,
     40000,
     6000,
     {},
     false},
    {"lavapipe", DeviceKind::cpu, 2, 8, 32768, 20000, 10000, 264,
     vm::kMaxBindings, 50000, 2000, kLavapipeFeatures, true},
    {"h200", DeviceKind::gpu, 132, 32, 32768, 2070, 4200000, 264,
     vm::kMaxBindings, 40000, 6000, kH200Features, true}};

TargetAttr gpuvm::getTarget(MLIRContext *context, StringRef name) {
  for (const KnownTarget &target : kTargets)
    if (target.name == name)
      return TargetAttr::get(
          context, target.name, target.kind, target.units, target.subgroup,
          target.workgroupBytes, target.dispatchNs, target.bytesPerUs,
          target.busyGroups, target.bindings, target.exchangeNs,
          target.exchangeBytesPerUs,
          Builder(context).getStrArrayAttr(target.features), target.closed);
  return {};
}

std::vector<std::string> gpuvm::getTargetNames() {
  std::vector<std::string> names;
  for (const KnownTarget &target : kTargets)
    names.push_back(target.name.str());
  return names;
}

std::string gpuvm::listTargets() { return llvm::join(getTargetNames(), ", "); }

SmallVector<TargetAttr> gpuvm::getTargets(ModuleOp module) {
  SmallVector<TargetAttr> targets;
  if (auto given = module->getAttrOfType<ArrayAttr>(kTargetsAttr))
    llvm::append_range(targets, given.getAsRange<TargetAttr>());
  if (targets.empty())
    for (StringRef name : {"generic", "lavapipe"})
      targets.push_back(getTarget(module.getContext(), name));
  return targets;
}

TargetAttr gpuvm::getMainTarget(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  if (!module)
    return getTarget(op->getContext(), "generic");
  SmallVector<TargetAttr> targets = getTargets(module);
  TargetAttr first = targets.front();
  int64_t workgroupBytes = first.getWorkgroupBytes();
  int64_t bindings = first.getBindings();
  for (TargetAttr target : targets) {
    workgroupBytes = std::min(workgroupBytes, target.getWorkgroupBytes());
    bindings = std::min(bindings, target.getBindings());
  }
  return TargetAttr::get(first.getContext(), first.getName(), first.getKind(),
                         first.getUnits(), first.getSubgroup(), workgroupBytes,
                         first.getDispatchNs(), first.getBytesPerUs(),
                         first.getBusyGroups(), bindings, first.getExchangeNs(),
                         first.getExchangeBytesPerUs(), first.getFeatures(),
                         first.getClosed());
}

bool gpuvm::hasFeature(TargetAttr target, StringRef feature) {
  return llvm::any_of(target.getFeatures().getAsRange<StringAttr>(),
                      [&](StringAttr own) { return own == feature; });
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult checkRange(EmitError emitError, StringRef what,
                                int64_t value, int64_t most) {
  if (value >= 1 && value <= most)
    return success();
  InFlightDiagnostic error = emitError();
  error << "C1: " << what << " = " << value;
  if (most == std::numeric_limits<int64_t>::max())
    return error << " (at least 1 is needed)";
  return error << " (1 to " << most << " are allowed)";
}

LogicalResult TargetAttr::verify(EmitError emitError, StringRef, DeviceKind,
                                 int64_t units, int64_t subgroup,
                                 int64_t workgroupBytes, int64_t dispatchNs,
                                 int64_t bytesPerUs, int64_t busyGroups,
                                 int64_t bindings, int64_t exchangeNs,
                                 int64_t exchangeBytesPerUs, ArrayAttr features,
                                 bool) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (auto [what, value, most] :
       {std::tuple("units", units, kMost),
        std::tuple("subgroup", subgroup, int64_t(128)),
        std::tuple("workgroup_bytes", workgroupBytes, kMost),
        std::tuple("dispatch_ns", dispatchNs, kMost),
        std::tuple("bytes_per_us", bytesPerUs, kMost),
        std::tuple("busy_groups", busyGroups, kMost),
        std::tuple("bindings", bindings, kMost),
        std::tuple("exchange_ns", exchangeNs, kMost),
        std::tuple("exchange_bytes_per_us", exchangeBytesPerUs, kMost)})
    if (failed(checkRange(emitError, what, value, most)))
      return failure();
  for (Attribute feature : features)
    if (!isa<StringAttr>(feature))
      return emitError() << "C1: " << feature
                         << " is not the name of a feature";
  return success();
}

LogicalResult LaunchAttr::verify(EmitError emitError, DeviceKind, StringRef,
                                 int64_t groups, int64_t lanes, int64_t vector,
                                 int64_t unroll, DictionaryAttr) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (auto [what, value, most] : {std::tuple("groups", groups, int64_t(65535)),
                                   std::tuple("lanes", lanes, int64_t(1024)),
                                   std::tuple("vector", vector, kMost),
                                   std::tuple("unroll", unroll, kMost)})
    if (failed(checkRange(emitError, what, value, most)))
      return failure();
  return success();
}
