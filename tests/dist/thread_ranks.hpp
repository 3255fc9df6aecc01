// Ranks that are threads of one process: the same protocol as with MPI, where a debugger and the thread
// sanitizer see all of it.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "giga/dist/transport.hpp"

namespace giga::test {

/// What the ranks share.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size) {}
  [[nodiscard]] int size() const { return size_; }

  /// Returns when all ranks are here, after the last to come has called `when_all_are_here`; `come` is called
  /// before by each.
  void meet(const std::function<void()>& come, const std::function<void()>& when_all_are_here) {
    std::unique_lock lock(mutex_);
    come();
    if (++here_ == size_) {
      when_all_are_here();
      here_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [this, round = round_] { return round_ != round; });
  }

  void put(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    mail_[{from, to}].emplace_back(bytes.begin(), bytes.end());
    changed_.notify_all();
  }

  std::vector<std::byte> take(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& box = mail_[{from, to}];
    changed_.wait(lock, [&box] { return !box.empty(); });
    std::vector<std::byte> bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }

  /// Between two meetings.
  std::vector<std::int64_t> values;
  std::vector<std::byte> sent;

 private:
  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int here_ = 0;
  std::uint64_t round_ = 0;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> mail_;
};

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return meeting_.size(); }
  [[nodiscard]] int fair_threads() const override { return 1; }

  void largest(std::span<std::int64_t> values) override {
    meeting_.meet(
        [&] {
          auto& all = meeting_.values;
          if (all.empty()) all.assign(values.begin(), values.end());
          for (std::size_t i = 0; i < values.size(); ++i) all.at(i) = std::max(all.at(i), values[i]);
        },
        [] {});
    meeting_.meet([&] { std::copy(meeting_.values.begin(), meeting_.values.end(), values.begin()); },
                  [this] { meeting_.values.clear(); });
  }

  void unite(std::span<std::byte> bytes) override {
    meeting_.meet(
        [&] {
          auto& all = meeting_.sent;
          if (!uniting()) all.assign(bytes.size(), std::byte{0});
          meeting_.values.assign(1, 0);
          for (std::size_t i = 0; i < bytes.size(); ++i) all.at(i) |= bytes[i];
        },
        [] {});
    meeting_.meet([&] { std::copy(meeting_.sent.begin(), meeting_.sent.end(), bytes.begin()); },
                  [this] { meeting_.values.clear(); });
  }

  void broadcast(std::span<std::byte> bytes, int from) override {
    meeting_.meet(
        [&] {
          if (rank_ == from) meeting_.sent.assign(bytes.begin(), bytes.end());
        },
        [] {});
    meeting_.meet([&] { std::copy(meeting_.sent.begin(), meeting_.sent.end(), bytes.begin()); }, [] {});
  }

  void send(std::span<const std::byte> bytes, int to) override { meeting_.put(rank_, to, bytes); }
  void receive(std::span<std::byte> bytes, int from) override {
    const std::vector<std::byte> got = meeting_.take(from, rank_);
    std::copy(got.begin(), got.end(), bytes.begin());
  }

 private:
  // Whether another rank was here before: values are empty between two operations.
  [[nodiscard]] bool uniting() const { return !meeting_.values.empty(); }

  Meeting& meeting_;
  int rank_;
};

/// Calls body(transport) on each of `size` ranks, and returns when all have ended.
inline void on_ranks(int size, const std::function<void(Transport&)>& body) {
  Meeting meeting(size);
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&meeting, &body, rank] {
      ThreadTransport transport(meeting, rank);
      body(transport);
    });
  }
}

}  // namespace giga::test
