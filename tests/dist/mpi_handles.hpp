// Counts what MPI hands out: requests that were begun and communicators that were made, less those that were
// completed and freed. The calls of giga's transport go through the functions of mpi_handles.cpp, which hand
// them on to MPI's own (PMPI). Open MPI's mpi_show_handle_leaks tells of neither.
#pragma once

namespace giga::test {

struct MpiHandles {
  long begun = 0, made = 0;  // requests and communicators, in all
  long open_requests = 0, open_communicators = 0;
};

[[nodiscard]] MpiHandles mpi_handles();

}  // namespace giga::test
