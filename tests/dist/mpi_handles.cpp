#include "dist/mpi_handles.hpp"

#include <mpi.h>

namespace {

giga::test::MpiHandles g_handles;

int begun(int code, const MPI_Request* request) {
  if (code != MPI_SUCCESS || *request == MPI_REQUEST_NULL) return code;
  ++g_handles.begun;
  ++g_handles.open_requests;
  return code;
}

int made(int code, const MPI_Comm* communicator) {
  if (code != MPI_SUCCESS || *communicator == MPI_COMM_NULL) return code;
  ++g_handles.made;
  ++g_handles.open_communicators;
  return code;
}

}  // namespace

namespace giga::test {

MpiHandles mpi_handles() {
  return g_handles;
}

}  // namespace giga::test

extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return begun(PMPI_Isend(data, count, type, to, tag, comm, request), request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return begun(PMPI_Irecv(data, count, type, from, tag, comm, request), request);
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  return begun(PMPI_Ibcast(data, count, type, root, comm, request), request);
}

int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm,
                   MPI_Request* request) {
  return begun(PMPI_Iallreduce(from, to, count, type, operation, comm, request), request);
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const bool open = *request != MPI_REQUEST_NULL;
  const int code = PMPI_Test(request, done, status);
  if (open && *request == MPI_REQUEST_NULL) --g_handles.open_requests;
  return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out) {
  return made(PMPI_Comm_split_type(comm, type, key, info, out), out);
}

int MPI_Comm_free(MPI_Comm* communicator) {
  const bool open = *communicator != MPI_COMM_NULL;
  const int code = PMPI_Comm_free(communicator);
  if (open && *communicator == MPI_COMM_NULL) --g_handles.open_communicators;
  return code;
}

}  // extern "C"
