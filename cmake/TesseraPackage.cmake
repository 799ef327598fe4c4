# Installs the modules as a package: find_package(tessera) gives tessera::core, tessera::mesh, ...
#
# io is exported in a file of its own, because it alone needs VTK where it is used.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
get_property(modules GLOBAL PROPERTY TESSERA_MODULES)
set(TESSERA_BASE_MODULES "")
foreach(target ${modules})
  get_target_property(name ${target} EXPORT_NAME)
  set(export tesseraTargets)
  if(name STREQUAL "io")
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
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
        DESTINATION ${package_dir})
