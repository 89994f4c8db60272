//===- KernelReflection.cpp - the interface of a kernel, by SPIRV-Cross ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KernelReflection.h"

#include "runtime/base/Printable.h"
#include "runtime/plan/KnownModule.h"

#include <fmt/format.h>
#include <spirv_cross/spirv_cross_c.h>

#include <algorithm>

namespace vm {
namespace {

/// Owns the context, which owns everything SPIRV-Cross returns.
class Cross {
public:
  Cross() {
    if (spvc_context_create(&context) != SPVC_SUCCESS)
      context = nullptr;
  }
  ~Cross() {
    if (context)
      spvc_context_destroy(context);
  }
  Cross(const Cross &) = delete;
  Cross &operator=(const Cross &) = delete;

  bool load(std::span<const uint32_t> spirv, spvc_backend backend) {
    spvc_parsed_ir ir = nullptr;
    return context &&
           spvc_context_parse_spirv(context, spirv.data(), spirv.size(), &ir) ==
               SPVC_SUCCESS &&
           spvc_context_create_compiler(context, backend, ir,
                                        SPVC_CAPTURE_MODE_TAKE_OWNERSHIP,
                                        &compiler) == SPVC_SUCCESS;
  }

  Status failure(const std::string &name) const {
    if (!context)
      return Status(Code::OutOfMemory, "Host memory is exhausted.");
    return Status(
        Code::BadInput,
        fmt::format(
            "Kernel \"{}\" cannot be reflected ({}).", name,
            printable(spvc_context_get_last_error_string(context), 200)));
  }

  bool readEntryPoints(ReflectedKernel &kernel);
  bool readResources(ReflectedKernel &kernel);

  spvc_context context = nullptr;
  spvc_compiler compiler = nullptr;

private:
  ReflectedBuffer readBuffer(const spvc_reflected_resource &resource);
  bool isNonWritable(spvc_variable_id id);
  std::optional<DType> elementOf(spvc_type_id block);
};

struct OtherResource {
  spvc_resource_type type;
  const char *name;
};

/// Everything but storage buffers. Stage inputs and outputs exclude built-ins;
/// ray queries, which the C interface does not list, need a capability.
constexpr OtherResource kOtherResources[] = {
    {SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, "uniform buffer"},
    {SPVC_RESOURCE_TYPE_STAGE_INPUT, "stage input"},
    {SPVC_RESOURCE_TYPE_STAGE_OUTPUT, "stage output"},
    {SPVC_RESOURCE_TYPE_SUBPASS_INPUT, "subpass input"},
    {SPVC_RESOURCE_TYPE_STORAGE_IMAGE, "storage image"},
    {SPVC_RESOURCE_TYPE_SAMPLED_IMAGE, "sampled image"},
    {SPVC_RESOURCE_TYPE_ATOMIC_COUNTER, "atomic counter"},
    {SPVC_RESOURCE_TYPE_PUSH_CONSTANT, "push constant block"},
    {SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, "separate image"},
    {SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, "sampler"},
    {SPVC_RESOURCE_TYPE_ACCELERATION_STRUCTURE, "acceleration structure"},
    {SPVC_RESOURCE_TYPE_SHADER_RECORD_BUFFER, "shader record buffer"},
};

/// A plan kernel has one entry point; its local size is read if it has.
bool Cross::readEntryPoints(ReflectedKernel &kernel) {
  const spvc_entry_point *points = nullptr;
  size_t count = 0;
  if (spvc_compiler_get_entry_points(compiler, &points, &count) != SPVC_SUCCESS)
    return false;
  kernel.isCompute = true;
  for (size_t i = 0; i < count; ++i) {
    kernel.entryPoints.push_back(points[i].name);
    kernel.isCompute &= points[i].execution_model == SpvExecutionModelGLCompute;
  }
  for (unsigned axis = 0; axis < 3 && count == 1; ++axis)
    kernel.localSize[axis] = spvc_compiler_get_execution_mode_argument_by_index(
        compiler, SpvExecutionModeLocalSize, axis);
  return true;
}

bool Cross::isNonWritable(spvc_variable_id id) {
  const SpvDecoration *decorations = nullptr;
  size_t count = 0;
  if (spvc_compiler_get_buffer_block_decorations(compiler, id, &decorations,
                                                 &count) != SPVC_SUCCESS)
    return false;
  return std::find(decorations, decorations + count,
                   SpvDecorationNonWritable) != decorations + count;
}

static std::optional<DType> toDType(spvc_basetype type) {
  switch (type) {
  case SPVC_BASETYPE_INT8:
  case SPVC_BASETYPE_UINT8:
    return DType::I8;
  case SPVC_BASETYPE_INT16:
  case SPVC_BASETYPE_UINT16:
    return DType::I16;
  case SPVC_BASETYPE_INT32:
  case SPVC_BASETYPE_UINT32:
    return DType::I32;
  case SPVC_BASETYPE_INT64:
  case SPVC_BASETYPE_UINT64:
    return DType::I64;
  case SPVC_BASETYPE_FP16:
    return DType::F16;
  case SPVC_BASETYPE_FP32:
    return DType::F32;
  case SPVC_BASETYPE_FP64:
    return DType::F64;
  default:
    return std::nullopt;
  }
}

std::optional<DType> Cross::elementOf(spvc_type_id block) {
  spvc_type type = spvc_compiler_get_type_handle(compiler, block);
  if (!type || spvc_type_get_num_member_types(type) != 1)
    return std::nullopt;
  spvc_type array = spvc_compiler_get_type_handle(
      compiler, spvc_type_get_member_type(type, 0));
  return array ? toDType(spvc_type_get_basetype(array)) : std::nullopt;
}

ReflectedBuffer Cross::readBuffer(const spvc_reflected_resource &resource) {
  spvc_type type = spvc_compiler_get_type_handle(compiler, resource.type_id);
  ReflectedBuffer buffer;
  buffer.id = resource.id;
  buffer.set = spvc_compiler_get_decoration(compiler, resource.id,
                                            SpvDecorationDescriptorSet);
  buffer.binding =
      spvc_compiler_get_decoration(compiler, resource.id, SpvDecorationBinding);
  buffer.nonWritable = isNonWritable(resource.id);
  buffer.isArray = type && spvc_type_get_num_array_dimensions(type) > 0;
  buffer.element = elementOf(resource.base_type_id);
  buffer.isLegacy =
      type && spvc_type_get_storage_class(type) != SpvStorageClassStorageBuffer;
  return buffer;
}

bool Cross::readResources(ReflectedKernel &kernel) {
  spvc_resources resources = nullptr;
  if (spvc_compiler_create_shader_resources(compiler, &resources) !=
      SPVC_SUCCESS)
    return false;
  const spvc_reflected_resource *list = nullptr;
  size_t count = 0;
  if (spvc_resources_get_resource_list_for_type(
          resources, SPVC_RESOURCE_TYPE_STORAGE_BUFFER, &list, &count) !=
      SPVC_SUCCESS)
    return false;
  for (size_t i = 0; i < count; ++i)
    kernel.buffers.push_back(readBuffer(list[i]));
  for (const OtherResource &other : kOtherResources) {
    if (spvc_resources_get_resource_list_for_type(resources, other.type, &list,
                                                  &count) != SPVC_SUCCESS)
      return false;
    if (count > 0)
      kernel.otherResources.push_back(
          fmt::format("{} {}{}", count, other.name, count > 1 ? "s" : ""));
  }
  return true;
}

} // namespace

Result<ReflectedKernel> reflectKernel(const std::string &name,
                                      std::span<const uint32_t> spirv) {
  Cross cross;
  ReflectedKernel kernel;
  if (!cross.load(withoutMatrixTypes(toKnownModule(spirv).words),
                  SPVC_BACKEND_NONE) ||
      !cross.readEntryPoints(kernel) || !cross.readResources(kernel))
    return cross.failure(name);
  return kernel;
}

Result<std::string> decompileToGlsl(const std::string &name,
                                    std::span<const uint32_t> spirv) {
  Cross cross;
  spvc_compiler_options options = nullptr;
  const char *source = nullptr;
  if (!cross.load(spirv, SPVC_BACKEND_GLSL) ||
      spvc_compiler_create_compiler_options(cross.compiler, &options) !=
          SPVC_SUCCESS)
    return cross.failure(name);
  spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_GLSL_VERSION,
                                 460);
  spvc_compiler_options_set_bool(
      options, SPVC_COMPILER_OPTION_GLSL_VULKAN_SEMANTICS, SPVC_TRUE);
  spvc_compiler_install_compiler_options(cross.compiler, options);
  if (spvc_compiler_compile(cross.compiler, &source) != SPVC_SUCCESS)
    return cross.failure(name);
  return std::string(source);
}

} // namespace vm
