# Installs the modules as a package: find_package(tessera) gives tessera::core, tessera::mesh, ...
#
# io, and distribute which uses it, are exported in a file of their own: they alone need other libraries where they
# are used.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
get_property(modules GLOBAL PROPERTY TESSERA_MODULES)
set(TESSERA_BASE_MODULES "")
foreach(target ${modules})
  get_target_property(name ${target} EXPORT_NAME)
  set(export tesseraTargets)
  if(name STREQUAL "io" OR name STREQUAL "distribute")
    set(export tesseraIoTargets)
  else()
    list(APPEND TESSERA_BASE_MODULES ${name})
  endif()
  install(TARGETS ${target} EXPORT ${export} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${package_dir})
if(TESSERA_HAS_IO)
  install(EXPORT tesseraIoTargets NAMESPACE tessera:: DESTINATION ${package_dir})
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/tessera ${PROJECT_BINARY_DIR}/generated/tessera
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh"
        PATTERN detail EXCLUDE)
if(TARGET tessera)
  install(TARGETS tessera RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # tessera_install_text(FOLDER NAME ARGUMENT ...): installs what the program prints.
  function(tessera_install_text folder name)
    set(file ${PROJECT_BINARY_DIR}/generated/text/${name})
    install(CODE "file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/text)
      execute_process(COMMAND $<TARGET_FILE:tessera> ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  endfunction()
  tessera_install_text(bash-completion/completions tessera completion bash)
  tessera_install_text(zsh/site-functions _tessera completion zsh)
  tessera_install_text(fish/vendor_completions.d tessera.fish completion fish)
  tessera_install_text(man/man1 tessera.1 man)
  get_property(verbs GLOBAL PROPERTY TESSERA_VERBS)
  string(REPLACE "_" "-" verbs "${verbs}")
  foreach(verb ${verbs})
    tessera_install_text(man/man1 tessera-${verb}.1 man ${verb})
  endforeach()
endif()
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindLZ4.cmake DESTINATION ${package_dir})
