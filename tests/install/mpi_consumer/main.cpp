// A sum over the rows of all ranks, with a communicator of the program's own.
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "giga/dist/mpi_transport.hpp"
#include "giga/dist/rank_executor.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  giga::Extended sum = 0;
  constexpr giga::Index kRows = 100'000;
  {
    giga::MpiTransport transport(own);
    giga::Ranks ranks(transport);
    std::exception_ptr failure;
    try {
      const giga::RankExecutor executor(ranks, 1);
      sum = giga::sum_blocks(executor, kRows, 1, [](giga::Index first, giga::Index count, double* part) {
        for (giga::Index n = first; n < first + count; ++n) *part += static_cast<double>(n);
      })[0];
    } catch (...) {
      failure = std::current_exception();
    }
    if (ranks.conclude(failure)) sum = 0;
  }
  MPI_Comm_free(&own);
  MPI_Finalize();
  const bool right = sum == giga::Extended{kRows} * (kRows - 1) / 2;
  std::printf("the sum is %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
