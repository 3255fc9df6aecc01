// Ranks as MPI has them. Part of the target giga::mpi, which is there if giga was built with MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "giga/dist/transport.hpp"

namespace giga {

/// MPI from its beginning to its end, for programs that have no other use for it. One in a process.
class MpiEnvironment {
 public:
  MpiEnvironment(int& argc, char**& argv);
  ~MpiEnvironment();
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;
};

class MpiTransport final : public Transport {
 public:
  /// Of MPI that has been initialised, with MPI_THREAD_FUNNELED or more. The communicator must outlive this
  /// object, and nobody else may use it meanwhile: hand in a duplicate (MPI_Comm_dup) if others send on it.
  /// All its ranks make one together. Errors of MPI are handled as the communicator is told to; by default
  /// they end the program.
  explicit MpiTransport(MPI_Comm communicator);

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int fair_threads() const override { return fair_threads_; }
  void largest(std::span<std::int64_t> values) override;
  void unite(std::span<std::byte> bytes) override;
  void broadcast(std::span<std::byte> bytes, int from) override;
  void send(std::span<const std::byte> bytes, int to) override;
  void receive(std::span<std::byte> bytes, int from) override;

 private:
  MPI_Comm communicator_;
  int rank_ = 0, size_ = 1, fair_threads_ = 1;
};

}  // namespace giga
