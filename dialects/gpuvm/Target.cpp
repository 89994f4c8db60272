//===- Target.cpp - the devices that launches are chosen for --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/targets.md says where the numbers come from.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Target.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct KnownTarget {
  StringLiteral name;
  DeviceKind kind;
  int64_t units, subgroup, workgroupBytes, dispatchNs, bytesPerUs;
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
/// least.
static constexpr KnownTarget kTargets[] = {
    {"generic", DeviceKind::any, 132, 32, 32768, 2070, 4200000, {}, false},
    {"lavapipe", DeviceKind::cpu, 2, 8, 32768, 20000, 10000, kLavapipeFeatures,
     true},
    {"h200", DeviceKind::gpu, 132, 32, 49152, 2070, 4200000, kH200Features,
     true}};

TargetAttr gpuvm::getTarget(MLIRContext *context, StringRef name) {
  for (const KnownTarget &target : kTargets)
    if (target.name == name)
      return TargetAttr::get(
          context, target.name, target.kind, target.units, target.subgroup,
          target.workgroupBytes, target.dispatchNs, target.bytesPerUs,
          Builder(context).getStrArrayAttr(target.features), target.closed);
  return {};
}

std::string gpuvm::listTargets() {
  std::string names;
  llvm::raw_string_ostream os(names);
  llvm::interleaveComma(kTargets, os,
                        [&](const KnownTarget &target) { os << target.name; });
  return names;
}

SmallVector<TargetAttr> gpuvm::getTargets(ModuleOp module) {
  SmallVector<TargetAttr> targets;
  if (auto given = module->getAttrOfType<ArrayAttr>(kTargetsAttr))
    llvm::append_range(targets, given.getAsRange<TargetAttr>());
  if (targets.empty())
    for (StringRef name : {"generic", "lavapipe"})
      targets.push_back(getTarget(module.getContext(), name));
  return targets;
}

bool gpuvm::hasFeature(TargetAttr target, StringRef feature) {
  return llvm::any_of(target.getFeatures().getAsRange<StringAttr>(),
                      [&](StringAttr own) { return own == feature; });
}
