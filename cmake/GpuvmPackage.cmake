# What applications use and build with, installed: the programs with their manual pages, the libraries with their headers,
# a pkg-config file for each, and a CMake package whose targets are gpuvm::gpuvm, gpuvm::gpuvm-models,
# gpuvm::gpuvm-compiler and the programs. All of it finds itself, so the prefix may move. docs/c-api.md uses it.

include(CMakePackageConfigHelpers)
set(headers runtime/include/gpuvm.h runtime/include/gpuvm.hpp frontends/include/gpuvm-models.h)
set(libraries gpuvm gpuvm-models)
if(TARGET gpuvm-compiler)
  list(APPEND headers frontends/include/gpuvm-compiler.h)
  list(APPEND libraries gpuvm-compiler)
endif()
set(description_gpuvm ${PROJECT_DESCRIPTION})
set(description_gpuvm-compiler "The compiler of gpuvm")
set(description_gpuvm-models "Language models and workflows of gpuvm")
add_custom_target(gpuvm-installed DEPENDS gpuvm-man ${libraries})

# gpuvm_install(FOLDER LIBDIR ARGUMENT...): what is written for this LIBDIR lies in FOLDER of the build folder; ARGUMENTs are of each install().
function(gpuvm_install folder libdir)
  set(made ${PROJECT_BINARY_DIR}/${folder})
  set(package_dir ${libdir}/cmake/gpuvm)
  set(glsl_dir ${CMAKE_INSTALL_DATADIR}/gpuvm)
  install(TARGETS ${libraries} EXPORT ${folder}-libraries DESTINATION ${libdir} ${ARGN})
  install(TARGETS ${GPUVM_TOOLS} EXPORT ${folder}-programs ${ARGN})
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${ARGN})
  install(FILES kernels/gpuvm.glsl DESTINATION ${glsl_dir} ${ARGN})
  foreach(tool IN LISTS GPUVM_TOOLS)
    install(FILES ${PROJECT_BINARY_DIR}/share/man/man1/${tool}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${ARGN})
    install(FILES tools/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${tool} ${ARGN})
  endforeach()

  configure_package_config_file(cmake/gpuvmConfig.cmake.in ${made}/gpuvmConfig.cmake
    INSTALL_DESTINATION ${package_dir} PATH_VARS glsl_dir NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(${made}/gpuvmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(EXPORT ${folder}-libraries FILE gpuvmTargets.cmake NAMESPACE gpuvm:: DESTINATION ${package_dir} ${ARGN})
  install(EXPORT ${folder}-programs FILE gpuvmPrograms.cmake NAMESPACE gpuvm:: DESTINATION ${package_dir} ${ARGN})
  install(FILES ${made}/gpuvmConfig.cmake ${made}/gpuvmConfigVersion.cmake cmake/GpuvmGlsl.cmake DESTINATION ${package_dir} ${ARGN})

  # Relative to the file's own folder, unless the folders are given as absolute paths.
  set(pc_dir ${libdir}/pkgconfig)
  if(IS_ABSOLUTE ${pc_dir})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
  else()
    file(RELATIVE_PATH up /${pc_dir} /)
    string(REGEX REPLACE "/$" "" up ${up})
    set(pc_prefix "\${pcfiledir}/${up}")
  endif()
  cmake_path(APPEND pc_LIBDIR "\${prefix}" ${libdir})
  cmake_path(APPEND pc_INCLUDEDIR "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
  cmake_path(APPEND pc_DATADIR "\${prefix}" ${CMAKE_INSTALL_DATADIR})
  foreach(pc_name IN LISTS libraries)
    set(pc_description ${description_${pc_name}})
    configure_file(cmake/gpuvm.pc.in ${made}/${pc_name}.pc @ONLY)
    install(FILES ${made}/${pc_name}.pc DESTINATION ${pc_dir} ${ARGN})
  endforeach()
endfunction()

gpuvm_install(installed ${CMAKE_INSTALL_LIBDIR})
if(CMAKE_LIBRARY_ARCHITECTURE)
  # With --component=debian: where packages of Debian have their libraries, of the same build.
  gpuvm_install(installed-debian lib/${CMAKE_LIBRARY_ARCHITECTURE} COMPONENT debian EXCLUDE_FROM_ALL)
endif()
