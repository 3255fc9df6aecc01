# giga.pc and giga-mpi.pc, for builds without CMake. Paths in them are relative to where they are: `cmake --install
# --prefix` may choose another prefix than the build was configured for.
#
# A static library leaves what it needs to the program, so that even `pkg-config --libs` without --static has to name
# that; programs that link a shared one need not know.
file(RELATIVE_PATH giga_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" giga_pc_prefix "${giga_pc_prefix}")
get_target_property(giga_type giga TYPE)
set(giga_pc_requires Requires)
if(giga_type STREQUAL "SHARED_LIBRARY")
  set(giga_pc_requires Requires.private)
endif()
set(giga_pc_system ${CMAKE_DL_LIBS})
list(TRANSFORM giga_pc_system PREPEND -l)

set(giga_pc_files giga)
if(GIGA_HAS_MPI)
  list(APPEND giga_pc_files giga-mpi)
endif()
foreach(name ${giga_pc_files})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
