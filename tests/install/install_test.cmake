# Installs BUILD_DIR under WORK_DIR, then configures, builds and runs the consumer project against that.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  message(STATUS "${output}")
endfunction()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")  # the library brings calls to the sanitizer's run-time part
endif()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/prefix)
if(TOOLS)
  foreach(file share/bash-completion/completions/giga share/zsh/site-functions/_giga
               share/fish/vendor_completions.d/giga.fish share/man/man1/giga.1 share/man/man1/giga-build.1)
    if(NOT EXISTS ${WORK_DIR}/prefix/${file})
      message(FATAL_ERROR "${file} is not installed")
    endif()
  endforeach()
endif()
run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
  -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${flags}
  -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix -D GIGA_EXPECTED_VERSION=${VERSION})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --config ${CONFIG})
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build -C ${CONFIG} --output-on-failure)
# The same program without CMake.
find_program(PKG_CONFIG pkg-config REQUIRED)
file(GLOB_RECURSE found ${WORK_DIR}/prefix/*/giga.pc)
cmake_path(GET found PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} ${folder}:$ENV{PKG_CONFIG_PATH})
execute_process(COMMAND ${PKG_CONFIG} --modversion giga OUTPUT_VARIABLE told OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT told STREQUAL VERSION)
  message(FATAL_ERROR "giga.pc is of version '${told}', not ${VERSION}")
endif()
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs giga OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(words UNIX_COMMAND "${words}")
run(${CXX} -std=c++20 ${flags} ${CONSUMER_DIR}/main.cpp -o ${WORK_DIR}/by_pkg_config ${words})
run(${CMAKE_COMMAND} -E chdir ${WORK_DIR} ${WORK_DIR}/by_pkg_config)
# A program of one rank needs no launcher.
if(MPI)
  if(TOOLS AND NOT EXISTS ${WORK_DIR}/prefix/share/man/man1/giga-mpi.1)
    message(FATAL_ERROR "share/man/man1/giga-mpi.1 is not installed")
  endif()
  run(${CMAKE_COMMAND} -S ${CONSUMER_DIR}/../mpi_consumer -B ${WORK_DIR}/mpi_build -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${flags}
    -D MPI_CXX_COMPILER=${MPI_CXX} -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix -D GIGA_EXPECTED_VERSION=${VERSION})
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/mpi_build --config ${CONFIG})
  run(${CMAKE_COMMAND} -E env OMPI_MCA_btl=self ${WORK_DIR}/mpi_build/mpi_consumer)
endif()
