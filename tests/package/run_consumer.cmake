# Installs, moves, configures, builds and runs; see tessera_consumer_test(). Any step that fails is an error.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --config ${config} --prefix ${work}/installed)

# The package may be moved and knows nothing of the tree it was made in.
file(RENAME ${work}/installed ${work}/prefix)
file(GLOB_RECURSE package_files ${work}/prefix/*.cmake)
if(NOT package_files)
  message(FATAL_ERROR "no package file was installed under ${work}/prefix")
endif()
foreach(file ${package_files})
  file(READ ${file} text)
  foreach(path ${build} ${source})
    string(FIND "${text}" "${path}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} names a path of the tree it was made in: ${path}")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${work}/build -G ${generator}
    -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_BUILD_TYPE=${config} ${options})
run(${CMAKE_COMMAND} --build ${work}/build --config ${config})
run(${CMAKE_COMMAND} -E chdir ${work}/build ./consumer)

# Two tetrahedra that share a face: 5 vertices, 2 cells.
if(NOT output STREQUAL "5 vertices, 2 tetrahedra\n")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
