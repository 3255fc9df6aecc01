# GIGA_HAS_MPI: whether there is an MPI to build with, and GIGA_MPI does not forbid it. The bindings for C++
# that MPI once had are left out.
set(GIGA_HAS_MPI FALSE)
if(NOT GIGA_MPI STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX ON)
  if(GIGA_MPI STREQUAL "ON")
    find_package(MPI REQUIRED COMPONENTS CXX)
  else()
    find_package(MPI QUIET COMPONENTS CXX)
  endif()
  set(GIGA_HAS_MPI ${MPI_CXX_FOUND})
endif()
