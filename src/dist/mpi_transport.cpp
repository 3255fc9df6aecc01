// Every call is begun without waiting and then asked for: first often, then with the core given up in
// between, so that ranks which share a core do not keep it from the one that works.
#include "giga/dist/mpi_transport.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace giga {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // MPI counts in int

// A message of a small fold is there within microseconds.
constexpr int kTests = 2000, kTestsBeforeSleep = 6000;
constexpr auto kNap = std::chrono::microseconds(50);

void wait_for(MPI_Request& request) {
  int done = 0;
  for (int test = 0;; ++test) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (test < kTests) continue;
    if (test < kTestsBeforeSleep) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }
}

// Calls begin(bytes, request) for as much as fits in a message, until all is through.
template <typename Byte, typename Begin>
void in_messages(std::span<Byte> bytes, const Begin& begin) {
  while (!bytes.empty()) {
    const auto some = bytes.first(std::min(bytes.size(), kMostAtOnce));
    MPI_Request request = MPI_REQUEST_NULL;
    begin(some.data(), static_cast<int>(some.size()), &request);
    wait_for(request);
    bytes = bytes.subspan(some.size());
  }
}

// The cores that the ranks of one machine may use, shared out, but no more than this one may use.
int fair_share(MPI_Comm communicator) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int ranks_here = 1;
  MPI_Comm_size(machine, &ranks_here);
  cpu_set_t own, all;
  CPU_ZERO(&own);
  if (::sched_getaffinity(0, sizeof(own), &own) != 0) CPU_ZERO(&own);
  MPI_Allreduce(&own, &all, static_cast<int>(sizeof(own)), MPI_BYTE, MPI_BOR, machine);
  MPI_Comm_free(&machine);
  return std::max(1, std::min(CPU_COUNT(&own), CPU_COUNT(&all) / ranks_here));
}

}  // namespace

MpiEnvironment::MpiEnvironment(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
}

MpiEnvironment::~MpiEnvironment() {
  MPI_Finalize();
}

MpiTransport::MpiTransport(MPI_Comm communicator) : communicator_(communicator) {
  MPI_Comm_rank(communicator, &rank_);
  MPI_Comm_size(communicator, &size_);
  fair_threads_ = fair_share(communicator);
}

void MpiTransport::largest(std::span<std::int64_t> values) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_MAX,
                 communicator_, &request);
  wait_for(request);
}

void MpiTransport::unite(std::span<std::byte> bytes) {
  in_messages(bytes, [&](std::byte* data, int count, MPI_Request* request) {
    MPI_Iallreduce(MPI_IN_PLACE, data, count, MPI_BYTE, MPI_BOR, communicator_, request);
  });
}

void MpiTransport::broadcast(std::span<std::byte> bytes, int from) {
  in_messages(bytes, [&](std::byte* data, int count, MPI_Request* request) {
    MPI_Ibcast(data, count, MPI_BYTE, from, communicator_, request);
  });
}

void MpiTransport::send(std::span<const std::byte> bytes, int to) {
  in_messages(bytes, [&](const std::byte* data, int count, MPI_Request* request) {
    MPI_Isend(data, count, MPI_BYTE, to, kTag, communicator_, request);
  });
}

void MpiTransport::receive(std::span<std::byte> bytes, int from) {
  in_messages(bytes, [&](std::byte* data, int count, MPI_Request* request) {
    MPI_Irecv(data, count, MPI_BYTE, from, kTag, communicator_, request);
  });
}

}  // namespace giga
