// Ranks by a communicator of Python: python/giga/_ranks.py has its operations on bytes, which are those of
// mpi4py. So the extension needs no MPI, and takes whichever mpi4py was built with.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

#include "call.hpp"
#include "giga/dist/rank_executor.hpp"
#include "giga/dist/ranks.hpp"
#include "giga/dist/transport.hpp"

namespace giga::python {

/// Takes the GIL for each call. What a call raises is an IoError.
class PythonTransport final : public Transport {
 public:
  /// With the GIL; the object must outlive this one.
  explicit PythonTransport(const pybind11::object& operations);

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int fair_threads() const override { return fair_threads_; }
  void largest(std::span<std::int64_t> values) override;
  void unite(std::span<std::byte> bytes) override;
  void broadcast(std::span<std::byte> bytes, int from) override;
  void send(std::span<const std::byte> bytes, int to) override;
  void receive(std::span<std::byte> bytes, int from) override;

 private:
  pybind11::handle operations_;
  int rank_ = 0, size_ = 1, fair_threads_ = 1;
};

/// job(executor) as a rank among the others, who end together with it: what one throws, all throw.
template <typename Job>
void run_as_rank(PythonTransport& transport, const tool::Resources& resources, const Work& work,
                 const Job& job) {
  constexpr int kAsked = 1;
  Ranks ranks(transport, [&work] { return work.stop_requested() ? kAsked : 0; });
  std::exception_ptr failure;
  try {
    RowMemory memory(resources.memory, resources.scratch, resources.scratch_given);
    const RankExecutor executor(ranks, resources.threads, RankExecutor::kBytesHeld, memory);
    job(executor);
  } catch (...) {
    failure = std::current_exception();
  }
  failure = ranks.conclude(failure);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace giga::python
