//===- KernelFeatures.cpp - SPIR-V capabilities against declared features -===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KernelFeatures.h"

#include "runtime/base/Printable.h"
#include "runtime/plan/PlanNames.h"

#include <fmt/format.h>
#include <spirv_cross/spirv.h>

#include <algorithm>
#include <optional>
#include <set>

namespace vm {
namespace {

template <typename... Args>
Status bad(fmt::format_string<Args...> format, Args &&...args) {
  return Status(Code::BadInput,
                fmt::format(format, std::forward<Args>(args)...));
}

/// Capabilities that need no feature: Vulkan 1.2 guarantees them, or what they
/// allow is checked where it is used.
constexpr uint32_t kFreeCapabilities[] = {
    SpvCapabilityShader,
    SpvCapabilityMatrix,
    // Subgroup operations BASIC: Vulkan 1.2, "Required Limits" of
    // subgroupSupportedOperations.
    SpvCapabilityGroupNonUniform,
    // Cooperative matrices: their types say which feature (KernelScan.h).
    SpvCapabilityVulkanMemoryModel,
    SpvCapabilityCooperativeMatrixNV,
    // Float controls need a feature a width: their execution modes are checked.
    SpvCapabilityRoundingModeRTE,
    SpvCapabilitySignedZeroInfNanPreserve,
};

// The numbers of the schema are those of SPIR-V.
constexpr auto SpvCapabilityBFloat16TypeKHR = kCapabilityBfloat16Type;
constexpr auto SpvCapabilityBFloat16CooperativeMatrixKHR =
    kCapabilityBfloat16Matrix;
#define GPUVM_CAPABILITY(NUMBER, NAME)                                         \
  static_assert(SpvCapability##NAME == NUMBER);
#define GPUVM_FEATURE(ENUMERATOR, NAME, SINCE, CAPABILITIES, ...) CAPABILITIES
#include "schema/Features.def"
#undef GPUVM_CAPABILITY

/// Extensions whose instructions the rules above cover, or that add none.
constexpr const char *kExtensions[] = {
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_8bit_storage",
    "SPV_KHR_16bit_storage",
    "SPV_KHR_float_controls",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_vulkan_memory_model",
    "SPV_NV_cooperative_matrix",
    "SPV_KHR_non_semantic_info",
    "SPV_GOOGLE_decorate_string",
    "SPV_GOOGLE_hlsl_functionality1",
};

using Scalar = MatrixType::Scalar;

const char *nameOf(Scalar scalar) {
  switch (scalar) {
  case Scalar::Integer:
    return "integers";
  case Scalar::Float:
    return "floats";
  case Scalar::Bfloat:
    return "bfloats";
  case Scalar::Other:
    break;
  }
  return "unknown elements";
}

/// The matrices that a feature stands for.
struct MatrixRule {
  Feature feature;
  MatrixType matrix;
};
constexpr MatrixRule kMatrices[] = {
    {Feature::MatrixF16F32, {Scalar::Float, 16, 16, 16, true}},
    {Feature::MatrixF16F32, {Scalar::Float, 32, 16, 16, true}},
    {Feature::MatrixI8I32, {Scalar::Integer, 8, 16, 32, true}},
    {Feature::MatrixI8I32, {Scalar::Integer, 8, 32, 16, true}},
    {Feature::MatrixI8I32, {Scalar::Integer, 32, 16, 16, true}},
    {Feature::MatrixBf16F32, {Scalar::Bfloat, 16, 16, 16, true}},
    {Feature::MatrixBf16F32, {Scalar::Float, 32, 16, 16, true}},
};

bool declares(const Kernel &kernel, Feature feature) {
  return std::find(kernel.features.begin(), kernel.features.end(), feature) !=
         kernel.features.end();
}

Status checkCapability(const Kernel &kernel, uint32_t capability) {
  std::optional<Feature> feature = featureOfCapability(capability);
  if (!feature &&
      std::find(std::begin(kFreeCapabilities), std::end(kFreeCapabilities),
                capability) == std::end(kFreeCapabilities))
    return bad("Kernel \"{}\" needs SPIR-V capability {}, which no feature of "
               "a plan covers.",
               kernel.name, capability);
  if (feature && !declares(kernel, *feature))
    return bad("Kernel \"{}\" needs feature \"{}\" (SPIR-V capability {}) and "
               "does not declare it.",
               kernel.name, toString(*feature), capability);
  return {};
}

Status checkMatrix(const Kernel &kernel, const MatrixType &matrix) {
  for (const MatrixRule &rule : kMatrices)
    if (rule.matrix == matrix && declares(kernel, rule.feature))
      return {};
  return bad("Kernel \"{}\" has cooperative matrices of {}x{} {} of {} bits "
             "and declares no feature with such.",
             kernel.name, matrix.rows, matrix.columns, nameOf(matrix.scalar),
             matrix.width);
}

/// The feature of a float control; nullopt if plans have none for its width.
std::optional<Feature>
featureOf(const KernelFacts::ExecutionMode &executionMode) {
  bool rounding = executionMode.mode == SpvExecutionModeRoundingModeRTE;
  bool preserving =
      executionMode.mode == SpvExecutionModeSignedZeroInfNanPreserve;
  uint32_t width = executionMode.operand;
  if ((!rounding && !preserving) || (width != 32 && width != 64))
    return std::nullopt;
  if (rounding)
    return width == 32 ? Feature::RoundToEven32 : Feature::RoundToEven64;
  return width == 32 ? Feature::SignedZeroInfNan32
                     : Feature::SignedZeroInfNan64;
}

Status checkExecutionMode(const Kernel &kernel,
                          const KernelFacts::ExecutionMode &mode) {
  if (mode.mode == SpvExecutionModeLocalSize)
    return {};
  auto feature = featureOf(mode);
  if (!feature)
    return bad("Kernel \"{}\" has SPIR-V execution mode {} {}, which no "
               "feature of a plan covers.",
               kernel.name, mode.mode, mode.operand);
  if (!declares(kernel, *feature))
    return bad("Kernel \"{}\" needs feature \"{}\" (SPIR-V execution mode {}) "
               "and does not declare it.",
               kernel.name, toString(*feature), mode.mode);
  return {};
}

} // namespace

std::vector<Feature> requiredFeatures(const KernelFacts &facts) {
  std::set<Feature> features;
  for (uint32_t capability : facts.capabilities)
    if (std::optional<Feature> feature = featureOfCapability(capability))
      features.insert(*feature);
  for (const KernelFacts::ExecutionMode &mode : facts.executionModes)
    if (auto feature = featureOf(mode))
      features.insert(*feature);
  return {features.begin(), features.end()};
}

Status checkFeatures(const Kernel &kernel, const KernelFacts &facts) {
  for (uint32_t capability : facts.capabilities)
    VM_RETURN_IF_ERROR(checkCapability(kernel, capability));
  for (const std::string &extension : facts.extensions)
    if (std::find(std::begin(kExtensions), std::end(kExtensions), extension) ==
        std::end(kExtensions))
      return bad("Kernel \"{}\" uses SPIR-V extension \"{}\", which plans "
                 "do not allow.",
                 kernel.name, printable(extension));
  for (const MatrixType &matrix : facts.matrices)
    VM_RETURN_IF_ERROR(checkMatrix(kernel, matrix));
  for (const KernelFacts::ExecutionMode &mode : facts.executionModes)
    VM_RETURN_IF_ERROR(checkExecutionMode(kernel, mode));
  return {};
}

} // namespace vm
