# What Tessera is built with. Everything is found on the machine; nothing is downloaded.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)

# CUDA: found, not required.
set(TESSERA_HAS_CUDA FALSE)
if(TESSERA_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES "80-real;90" CACHE STRING "GPU architectures; 90 adds PTX for newer ones")
    endif()
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    find_package(CUDAToolkit REQUIRED)
    set(TESSERA_HAS_CUDA TRUE)
  endif()
endif()

# io and the command line stand on VTK; the library without them needs only the compiler.
set(TESSERA_VTK_COMPONENTS
    CommonCore CommonDataModel CommonExecutionModel CommonMisc IOCore IOXML IOLegacy IOPLY IOGeometry)
set(TESSERA_HAS_IO FALSE)
find_package(VTK 9.1 QUIET COMPONENTS ${TESSERA_VTK_COMPONENTS} RenderingCore RenderingOpenGL2
             RenderingAnnotation RenderingFreeType IOImage FiltersCore FiltersGeometry FiltersSources
             FiltersGeneral)
find_package(CLI11 QUIET)
find_package(fmt QUIET)
find_package(nlohmann_json QUIET)
if(VTK_FOUND AND CLI11_FOUND AND fmt_FOUND AND nlohmann_json_FOUND)
  set(TESSERA_HAS_IO TRUE)
endif()

if(TESSERA_TESTS)
  find_package(GTest REQUIRED)
endif()

foreach(part CUDA IO)
  if(TESSERA_HAS_${part})
    set(TESSERA_${part}_SAID "yes")
  else()
    set(TESSERA_${part}_SAID "no")
  endif()
endforeach()
message(STATUS "Tessera ${PROJECT_VERSION}: CUDA ${TESSERA_CUDA_SAID}, files and command line ${TESSERA_IO_SAID}")
