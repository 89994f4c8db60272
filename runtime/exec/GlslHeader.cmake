# gpuvm_add_glsl_header(<target> <source> <variable>): compiles a GLSL compute
# shader at build time and gives the target a header <variable>.h that holds the
# words as `const uint32_t <variable>[]`.
function(gpuvm_add_glsl_header target source variable)
  find_program(GPUVM_GLSLANG glslangValidator REQUIRED)
  get_filename_component(input ${source} ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/glsl)
  set(output ${folder}/${variable}.h)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${GPUVM_GLSLANG} --quiet -V --target-env vulkan1.2
            --vn ${variable} -o ${output} ${input}
    DEPENDS ${input}
    COMMENT "Compiling ${source} to SPIR-V"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
