// An executor that pretends to be several ranks in one process, to see that nothing depends on who does what.
//
// A fold gives each rank a contiguous range of blocks. A rank fills its parts in an order of its own (from
// the last block to the first, piece by piece), copies the total that it received as a message of bytes into
// memory of its own, joins its parts to it in block order, and sends it on. Loops run in scrambled order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>
#include <vector>

#include "giga/base/executor.hpp"

namespace giga::test {

class PretendRanks final : public Executor {
 public:
  /// In which order the total passes through the ranks. Backwards breaks the rule of executor.hpp: results
  /// then have other bits, which tests are expected to notice.
  enum class Way { Forwards, Backwards };

  explicit PretendRanks(Index ranks, Way way = Way::Forwards) : ranks_(ranks), way_(way) {}

  [[nodiscard]] int num_threads() const override { return 1; }

  void for_each(Index count, const std::function<void(Index)>& body) const override {
    Index lowest = std::numeric_limits<Index>::max();
    std::exception_ptr failure;
    for (Index k = 0; k < count; ++k) {
      const Index i = scrambled(k, count);
      try {
        body(i);
      } catch (...) {
        if (i > lowest) continue;
        lowest = i;
        failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  void fold(const BlockFold& work, std::byte* total) const override {
    std::vector<std::byte> message(total, total + work.total_bytes);
    Index done = 0;
    for (Index k = 0; k < ranks_; ++k) {
      const Index rank = way_ == Way::Forwards ? k : ranks_ - 1 - k;
      const Index begin = rank * work.num_blocks / ranks_, end = (rank + 1) * work.num_blocks / ranks_;
      message = at_rank(work, begin, end, message);
      done += end - begin;
      if (work.progress && end > begin) work.progress(done);
    }
    std::copy(message.begin(), message.end(), total);
  }

 private:
  using Room = std::vector<std::max_align_t>;  // aligned for any number

  static Room room_for(std::size_t bytes) { return Room(bytes / sizeof(std::max_align_t) + 1); }
  static std::byte* bytes_of(Room& room) { return reinterpret_cast<std::byte*>(room.data()); }

  // Every number below `count` once.
  static Index scrambled(Index k, Index count) {
    Index step = count / 2 + 1;
    while (std::gcd(step, count) != 1) ++step;
    return (k * step + count / 3) % count;
  }

  static std::vector<std::byte> at_rank(const BlockFold& work, Index begin, Index end,
                                        const std::vector<std::byte>& received) {
    std::vector<Room> parts;
    for (Index block = begin; block < end; ++block) {
      parts.push_back(room_for(work.part_bytes));
      std::fill_n(bytes_of(parts.back()), work.part_bytes, std::byte{0});
    }
    for (Index piece = work.num_pieces - 1; piece >= 0; --piece) {
      for (Index block = end - 1; block >= begin; --block)
        work.fill(block, piece, bytes_of(parts[at(block - begin)]));
    }
    Room own = room_for(received.size());
    std::memcpy(bytes_of(own), received.data(), received.size());
    for (Room& part : parts) work.join(bytes_of(part), bytes_of(own));
    return {bytes_of(own), bytes_of(own) + received.size()};
  }

  Index ranks_;
  Way way_;
};

}  // namespace giga::test
