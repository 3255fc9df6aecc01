// giga-mpi: the same command as ranks of MPI, which mpirun or srun starts. Verbs that pay in parallel run on
// all ranks, the others on rank 0 alone.
//
// Ranks first see that they are of one mind: the same program, arguments and files. At the end all know what
// went wrong, if anything did on any of them; rank 0 says it, and all end with its exit code.
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <system_error>

#include "command.hpp"
#include "giga/dist/mpi_transport.hpp"
#include "giga/dist/rank_executor.hpp"
#include "giga/dist/ranks.hpp"
#include "programs/one_mind.hpp"
#include "support/exit_codes.hpp"
#include "support/memory_reserve.hpp"
#include "support/process.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

// Other ranks may be in the middle of a long block of rows.
constexpr int kPatience_s = 4;

Process& process() noexcept {
  static Process rank;
  return rank;
}

int code_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (...) {
    return report_exception();
  }
}

// By the variables of Open MPI, of PMIx and PMI (MPICH, Slurm); 0 without a launcher.
int rank_by_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    const char* value = std::getenv(name);
    int rank = 0;
    if (value != nullptr && std::from_chars(value, value + std::strlen(value), rank).ec == std::errc())
      return rank;
  }
  return 0;
}

int run_rank(int argc, char** argv) {
  MpiTransport transport(MPI_COMM_WORLD);
  Ranks ranks(transport, signal_received);
  process().make_executor = [&ranks](int threads, RowMemory& memory) {
    return std::make_unique<RankExecutor>(ranks, threads, RankExecutor::kBytesHeld, memory);
  };
  process().rank = ranks.rank();
  process().patience_s = kPatience_s;
  process().meets_others = true;
  std::exception_ptr failure;
  int code = kOk;
  try {
    require_one_mind(ranks, argc, argv);
    code = run_command(argc, argv);
  } catch (...) {
    failure = std::current_exception();
  }
  failure = ranks.conclude(failure);
  if (ranks.stop_reason() != 0) take_signal_of_another(ranks.stop_reason());
  if (failure) code = code_of(failure);
  ranks.broadcast(std::as_writable_bytes(std::span(&code, 1)), 0);
  return code;
}

}  // namespace

const Process& this_process() noexcept {
  return process();
}

}  // namespace giga::tool

int main(int argc, char** argv) {
  giga::tool::keep_memory_back();
  giga::tool::process().rank = giga::tool::rank_by_launcher();
  giga::tool::process().meets_others = false;
  const giga::tool::SignalWatch watch;  // before MPI makes threads
  const giga::MpiEnvironment mpi(argc, argv);
  giga::tool::take_bus_errors();  // UCX, which MPI may load, takes them for itself
  return giga::tool::run_rank(argc, argv);
}
