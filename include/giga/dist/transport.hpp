// What ranks need of each other: a few operations on bytes, which MPI has (mpi_transport.hpp), and threads of
// one process can do as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace giga {

/// All ranks make the same calls in the same order, except for send() and receive(), which pair up. Calls
/// come from one thread at a time.
class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] virtual int rank() const = 0;  ///< From 0.
  [[nodiscard]] virtual int size() const = 0;  ///< Ranks.
  /// Threads that this rank may have without taking cores from others on its machine; at least 1.
  [[nodiscard]] virtual int fair_threads() const = 0;

  /// Every value becomes the largest that any rank has in its place.
  virtual void largest(std::span<std::int64_t> values) = 0;
  /// Every bit is set that any rank has set.
  virtual void unite(std::span<std::byte> bytes) = 0;
  /// All ranks get the bytes of rank `from`; each gives room for as many.
  virtual void broadcast(std::span<std::byte> bytes, int from) = 0;
  virtual void send(std::span<const std::byte> bytes, int to) = 0;
  virtual void receive(std::span<std::byte> bytes, int from) = 0;
};

}  // namespace giga
