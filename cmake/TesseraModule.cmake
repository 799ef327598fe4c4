# tessera_module(NAME [DEPENDS ...] [PRIVATE_LIBRARIES ...]) makes the target tessera_NAME, exported as tessera::NAME,
# of the sources below NAME/detail/. tessera_options() gives a target our flags.

# Floating-point contraction is off on both sides: a * b + c must round the same on every machine.
function(tessera_options target)
  target_compile_options(
    ${target}
    PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -ffp-contract=off>
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers,-ffp-contract=off --fmad=false>
            $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda --expt-relaxed-constexpr>)
  # g++ 12 warns of overlapping copies in "literal" + std::string that do not exist (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
                                             $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-restrict>)
  endif()
  if(TESSERA_NATIVE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  endif()
  # What g++ warns of only as far as its optimizer sees differs by version and level, and has been wrong: these stay
  # warnings.
  if(TESSERA_WERROR)
    set(by_optimizer -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=dangling-pointer)
    list(JOIN by_optimizer "," for_nvcc)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror ${by_optimizer}>
                                             $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Werror,${for_nvcc}>)
  endif()
  if(TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TESSERA_SANITIZE}
                                             -fno-sanitize-recover=all -fno-omit-frame-pointer>)
    target_link_options(${target} PUBLIC -fsanitize=${TESSERA_SANITIZE})
  endif()
endfunction()

function(tessera_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE_LIBRARIES" ${ARGN})
  set(target tessera_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${name}/detail/*.cpp)
  file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${name}/detail/*.cu)
  add_library(${target} ${sources})
  add_library(tessera::${name} ALIAS ${target})
  if(TESSERA_HAS_CUDA AND cuda_sources)
    target_sources(${target} PRIVATE ${cuda_sources})
    # Without its include folder, which nvcc knows: .cpp files compile the same with and without CUDA.
    target_link_libraries(${target} PUBLIC $<LINK_ONLY:CUDA::cudart_static>)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(
    ${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                     $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(${target} PUBLIC tessera_${dependency})
  endforeach()
  target_link_libraries(${target} PRIVATE ${ARG_PRIVATE_LIBRARIES})
  tessera_options(${target})
  set_property(GLOBAL APPEND PROPERTY TESSERA_MODULES ${target})
endfunction()

# What users' own kernels are compiled with: tessera::kernels has the flags that push.cuh and for_each.cuh need,
# tessera::reproducible those with which floating-point results are bitwise equal on host and device.
add_library(tessera_kernels INTERFACE)
target_compile_options(tessera_kernels INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda --expt-relaxed-constexpr>)
add_library(tessera_reproducible INTERFACE)
target_compile_options(
  tessera_reproducible INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
                                 $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false -Xcompiler=-ffp-contract=off>)
foreach(name kernels reproducible)
  add_library(tessera::${name} ALIAS tessera_${name})
  set_target_properties(tessera_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY TESSERA_MODULES tessera_${name})
endforeach()
