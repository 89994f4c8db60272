# What applications build with, installed: the libraries and their headers,
# a pkg-config file for each, and a CMake package whose targets are gpuvm::gpuvm,
# gpuvm::gpuvm-compiler and the programs. All of it finds itself, so the prefix may move. docs/c-api.md uses it.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpuvm)
set(glsl_dir ${CMAKE_INSTALL_DATADIR}/gpuvm)

set(headers runtime/include/gpuvm.h runtime/include/gpuvm.hpp)
set(pc_names gpuvm)
install(TARGETS gpuvm EXPORT gpuvmTargets)
if(TARGET gpuvm-compiler)
  list(APPEND headers frontends/include/gpuvm-compiler.h)
  list(APPEND pc_names gpuvm-compiler)
  install(TARGETS gpuvm-compiler EXPORT gpuvmTargets)
endif()
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES kernels/gpuvm.glsl DESTINATION ${glsl_dir})

configure_package_config_file(cmake/gpuvmConfig.cmake.in ${PROJECT_BINARY_DIR}/gpuvmConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS glsl_dir NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gpuvmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT gpuvmTargets NAMESPACE gpuvm:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/gpuvmConfig.cmake ${PROJECT_BINARY_DIR}/gpuvmConfigVersion.cmake cmake/GpuvmGlsl.cmake
  DESTINATION ${package_dir})

# Relative to the file's own folder, unless the folders are given as absolute paths.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${pc_dir})
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${pc_dir} /)
  string(REGEX REPLACE "/$" "" up ${up})
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(name IN ITEMS LIBDIR INCLUDEDIR DATADIR)
  cmake_path(APPEND pc_${name} "\${prefix}" ${CMAKE_INSTALL_${name}})
endforeach()
set(pc_description_gpuvm ${PROJECT_DESCRIPTION})
set(pc_description_gpuvm-compiler "The compiler of gpuvm")
foreach(pc_name IN LISTS pc_names)
  set(pc_description ${pc_description_${pc_name}})
  configure_file(cmake/gpuvm.pc.in ${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${pc_dir})
endforeach()
