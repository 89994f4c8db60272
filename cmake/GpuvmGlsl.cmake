# gpuvm_add_glsl_kernel(TARGET SOURCE): compiles a compute shader to SPIR-V for
# gpuvm.extern_kernel. SOURCE.comp becomes SOURCE.spv in the current build folder;
# TARGET, which is part of "all", makes it, and its property GPUVM_SPIRV is the
# path of the file. Shaders find gpuvm.glsl and what lies next to them by
# #include. A second compile after a change of an included file is automatic.

if(NOT GPUVM_GLSL_INCLUDE) # The installed package knows its own.
  cmake_path(SET GPUVM_GLSL_INCLUDE NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../kernels)
endif()

function(gpuvm_add_glsl_kernel target source)
  find_program(GPUVM_GLSLANG NAMES glslangValidator)
  if(NOT GPUVM_GLSLANG)
    message(FATAL_ERROR "gpuvm_add_glsl_kernel(${target}) needs glslangValidator (Debian: glslang-tools).")
  endif()
  cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE input)
  cmake_path(GET source STEM LAST_ONLY stem)
  cmake_path(GET input PARENT_PATH folder)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${stem}.spv)
  # Vulkan 1.1 means SPIR-V 1.3, storage buffers without an extension.
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${GPUVM_GLSLANG} -V --quiet --target-env vulkan1.1 -S comp -I${GPUVM_GLSL_INCLUDE} -I${folder}
            --depfile ${output}.d -o ${output} ${input}
    DEPENDS ${input}
    DEPFILE ${output}.d
    COMMENT "GLSL kernel ${stem}.spv"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${output})
  set_target_properties(${target} PROPERTIES GPUVM_SPIRV ${output})
endfunction()
