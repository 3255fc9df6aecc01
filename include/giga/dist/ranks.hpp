// Processes that run the same program side by side and end together.
//
// Whatever ranks do together begins with an agreement: a few numbers of each, of which all learn the largest.
// A rank that has failed, or was asked to stop, says so there, and the others throw what it threw; so an
// error on one rank ends all, at the same place, in the ordinary way. A rank that fails where nobody waits
// for it goes to conclude(), and tells the others at their next agreement.
//
//   MpiTransport transport(MPI_COMM_WORLD);
//   Ranks ranks(transport);
//   std::exception_ptr failure;
//   try {
//     const RankExecutor executor(ranks);
//     ...
//   } catch (...) { failure = std::current_exception(); }
//   failure = ranks.conclude(failure);   // the same on all ranks
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/dist/transport.hpp"

namespace giga {

class Ranks {
 public:
  /// Not 0 asks all ranks to stop. Asked on any thread.
  using StopRequest = std::function<int()>;

  /// `transport` must outlive this object, and nobody else may use it meanwhile.
  explicit Ranks(Transport& transport, StopRequest stop = {});
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] int rank() const { return transport_.rank(); }
  [[nodiscard]] int size() const { return transport_.size(); }
  [[nodiscard]] int fair_threads() const { return transport_.fair_threads(); }

  /// What the stop request of any rank answered, once all ranks know of it; otherwise 0.
  [[nodiscard]] int stop_reason() const { return stop_reason_; }
  /// Whether ranks have agreed to end, for that reason or for a failure.
  [[nodiscard]] bool ending() const { return ending_; }
  /// Whether this rank is asked to stop, of which the others may know nothing yet.
  [[nodiscard]] bool asked_to_stop() const { return stop_ && stop_() != 0; }

  /// What all ranks are about to do together: they must be of one mind. `tag` >= 0 tells what that is,
  /// `failure` what went wrong here on the way to it. The answer is the largest `value` of all ranks. Throws
  /// on all ranks what went wrong on the lowest of them, with its number where the cause may be its machine;
  /// Stopped if one was asked to stop; std::logic_error if the tags differ.
  std::int64_t agree(std::int64_t tag, const std::exception_ptr& failure = {}, std::int64_t value = 0);

  // After an agreement.
  void broadcast(std::span<std::byte> bytes, int from);
  void send(std::span<const std::byte> bytes, int to) { transport_.send(bytes, to); }
  void receive(std::span<std::byte> bytes, int from) { transport_.receive(bytes, from); }
  void largest(std::span<std::int64_t> values);
  void unite(std::span<std::byte> bytes);
  /// What each rank says, by rank.
  [[nodiscard]] std::vector<std::string> texts(const std::string& own);
  /// Messages that others send each other in the same way are counted here too.
  void count(std::int64_t messages, std::int64_t bytes);
  [[nodiscard]] Communication communication() const;

  /// The last call of every rank, with what ended it if it did not end well. Waits for the others, who are
  /// told of it when they next agree. Returns what ended them all, or nothing if all is well.
  [[nodiscard]] std::exception_ptr conclude(const std::exception_ptr& failure);

 private:
  struct Agreement;
  [[nodiscard]] Agreement exchange(std::int64_t tag, bool concluding, const std::exception_ptr& failure,
                                   std::int64_t value);
  [[nodiscard]] std::exception_ptr heard(int from, bool concluding, bool others_go_on,
                                         const std::exception_ptr& own);

  Transport& transport_;
  StopRequest stop_;
  std::atomic<int> stop_reason_{0};
  std::atomic<bool> ending_{false};
  std::exception_ptr first_failure_;  // of a rank that went to its end alone
  std::int64_t messages_ = 0, bytes_ = 0;
};

}  // namespace giga
