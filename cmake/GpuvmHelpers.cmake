# Libraries of gpuvm: gpuvm_add_library for the runtime half, and
# gpuvm_add_mlir_library for the compiler half, which adds MLIR's headers and
# flags and links everything against the one shared libMLIR.

function(gpuvm_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(TARGET gpuvm_operation_count)
    target_compile_options(${name} PRIVATE -fsanitize-coverage=trace-pc)
    target_link_libraries(${name} PUBLIC gpuvm_operation_count)
  endif()
endfunction()

# With these, ccache takes a precompiled header for what is in it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(GPUVM_PCH_OPTIONS -fpch-preprocess)
else()
  set(GPUVM_PCH_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
endif()

function(gpuvm_use_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  separate_arguments(defs NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_options(${target} PRIVATE -fno-rtti ${defs} -Wno-unused-parameter ${GPUVM_PCH_OPTIONS})
  if(TARGET GpuvmPch)
    target_precompile_headers(${target} REUSE_FROM GpuvmPch)
    target_compile_options(${target} PRIVATE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fPIC>) # As the header.
  endif()
endfunction()

# The precompiled MLIR headers that every target with gpuvm_use_mlir shares.
function(gpuvm_add_mlir_pch)
  file(WRITE ${CMAKE_BINARY_DIR}/GpuvmPch.cpp "// Holds the precompiled header.\n")
  add_library(GpuvmPch STATIC ${CMAKE_BINARY_DIR}/GpuvmPch.cpp)
  separate_arguments(defs NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_include_directories(GpuvmPch SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(GpuvmPch PRIVATE -fno-rtti ${defs} -Wno-unused-parameter ${GPUVM_PCH_OPTIONS})
  target_precompile_headers(GpuvmPch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/MlirPch.h)
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
