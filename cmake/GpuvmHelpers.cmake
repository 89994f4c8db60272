# Libraries of gpuvm: gpuvm_add_library for the runtime half, and
# gpuvm_add_mlir_library for the compiler half, which adds MLIR's headers and
# flags and links everything against the one shared libMLIR.

# With these, ccache takes a precompiled header for what is in it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(GPUVM_PCH_OPTIONS -fpch-preprocess)
else()
  set(GPUVM_PCH_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
endif()

# gpuvm_add_pch(NAME HEADER LINK...): precompiles HEADER for targets that gpuvm_precompile(TARGET NAME) names.
function(gpuvm_add_pch name header)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "// Holds the precompiled header.\n")
  add_library(${name} STATIC ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PUBLIC ${ARGN})
  target_compile_options(${name} PRIVATE ${GPUVM_PCH_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
endfunction()

# Of the runtime half only clang precompiles headers: GCC builds it for ThreadSanitizer alone.
function(gpuvm_precompile target name)
  if(NOT TARGET ${name})
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.c$")
  set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_precompile_headers(${target} REUSE_FROM ${name})
  target_compile_options(${target} PRIVATE ${GPUVM_PCH_OPTIONS}
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fPIC>) # As the header.
endfunction()

function(gpuvm_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} fmt::fmt)
  gpuvm_precompile(${name} GpuvmHostPch)
  if(TARGET gpuvm_operation_count)
    target_compile_options(${name} PRIVATE -fsanitize-coverage=trace-loads)
    target_link_libraries(${name} PUBLIC gpuvm_operation_count)
  endif()
endfunction()

# A shared library shows the functions of its C interface only, with its version.
function(gpuvm_version_symbols target version pattern)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "${version} {\n  global: ${pattern};\n  local: *;\n};\n")
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

function(gpuvm_use_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  separate_arguments(defs NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_options(${target} PRIVATE -fno-rtti ${defs} -Wno-unused-parameter)
  if(NOT target STREQUAL GpuvmPch)
    gpuvm_precompile(${target} GpuvmPch)
  endif()
endfunction()

# The precompiled headers of MLIR and of the dialects that every target with gpuvm_use_mlir shares.
function(gpuvm_add_mlir_pch)
  gpuvm_add_pch(GpuvmPch MlirPch.h)
  gpuvm_use_mlir(GpuvmPch)
  add_dependencies(GpuvmPch GpuvmDialectIncGen FlowDialectIncGen)
endfunction()

function(gpuvm_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  gpuvm_use_mlir(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(gpuvm_add_mlir_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  gpuvm_use_mlir(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()
