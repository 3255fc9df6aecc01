# Installs BUILD_DIR to the .local of a home folder of its own, as the README says, and follows its C++ example there.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK_DIR})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/home/.local
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND /usr/bin/python3 ${SCRIPT} ${README} ${WORK_DIR}/home ${WORK_DIR}/folder
  COMMAND_ERROR_IS_FATAL ANY)
