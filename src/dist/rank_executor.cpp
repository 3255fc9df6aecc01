// Folds along the ranks, and pieces of work by turns.
#include "giga/dist/rank_executor.hpp"

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/block_parts.hpp"

namespace giga {
namespace {

// What ranks are about to do, as a number that is different for different things.
std::int64_t tag_of(std::initializer_list<std::int64_t> numbers) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, of words
  for (const std::int64_t number : numbers) {
    hash ^= static_cast<std::uint64_t>(number);
    hash *= 0x100000001b3U;
  }
  return static_cast<std::int64_t>(hash >> 1);
}
constexpr std::int64_t kThreads = 0, kFold = 1, kFoldEnd = 2, kSpread = 3, kPieces = 4, kExchange = 5,
                       kExchangeEnd = 6;

// Whether there are too few blocks for each rank to have some of its own.
bool are_few(Index blocks, int ranks) {
  return blocks < Index{2} * ranks;
}

// The blocks of a rank, and who has others: ranks without blocks take no part.
struct Share {
  Index begin, end;
  int before = -1, after = -1;  // the neighbours that have blocks; -1: none
  int last = 0;                 // the last rank that has some

  Share(Index blocks, int rank, int ranks)
      : begin(first(blocks, rank, ranks)), end(first(blocks, rank + 1, ranks)) {
    for (int other = 0; other < ranks; ++other) {
      if (first(blocks, other, ranks) == first(blocks, other + 1, ranks)) continue;
      if (other < rank) before = other;
      if (other > rank && after < 0) after = other;
      last = other;
    }
  }
  [[nodiscard]] Index size() const { return end - begin; }

  static Index first(Index blocks, int rank, int ranks) { return blocks * rank / ranks; }
};

// A rank's part of one fold.
class OwnBlocks {
 public:
  OwnBlocks(const BlockFold& work, const Share& share, const Executor& threads, Index bytes_held)
      : work_(work),
        share_(share),
        threads_(threads),
        held_(std::clamp<Index>(bytes_held / std::max<Index>(1, static_cast<Index>(work.part_bytes)),
                                std::min(work.at_once, share.size()), share.size())),
        parts_(work, held_) {}

  [[nodiscard]] bool holds_all() const { return held_ == share_.size(); }

  // The first blocks, as many as are held.
  void fill() { fill(share_.begin, held_); }

  // Joins what was filled, and then fills and joins the rest.
  void join(std::byte* total) {
    parts_.join(held_, total);
    for (Index begin = share_.begin + held_; begin < share_.end; begin += held_) {
      const Index count = std::min(held_, share_.end - begin);
      fill(begin, count);
      parts_.join(count, total);
    }
  }

 private:
  void fill(Index begin, Index count) {
    for (Index done = 0; done < count; done += work_.at_once) {
      const Index some = std::min(work_.at_once, count - done);
      parts_.fill(threads_, begin + done, some, done);
      // Other ranks are taken to be as far as this one.
      const Index filled = begin - share_.begin + done + some;
      if (work_.progress) work_.progress(filled * work_.num_blocks / share_.size());
    }
  }

  const BlockFold& work_;
  const Share& share_;
  const Executor& threads_;
  Index held_;
  BlockParts parts_;
};

template <typename Action>
std::exception_ptr failure_in(const Action& action) {
  try {
    action();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

RankExecutor::RankExecutor(Ranks& ranks, int num_threads, Index bytes_held, RowMemory& memory)
    : ranks_(ranks), bytes_held_(bytes_held) {
  const std::exception_ptr wrong = failure_in([&] {
    if (num_threads < 0)
      throw std::invalid_argument("num_threads is " + std::to_string(num_threads) + ", must be at least 0");
  });
  const int asked = num_threads > 0 ? num_threads : ranks.fair_threads();
  const std::int64_t smallest = -ranks.agree(tag_of({kThreads}), wrong, -std::int64_t{asked});
  threads_ = std::make_unique<Threads>(
      static_cast<int>(smallest), [&ranks] { return ranks.ending() || ranks.asked_to_stop(); }, memory);
}

bool RankExecutor::stop_requested() const {
  const bool alone = spreading_ || ranks_.size() == 1;
  return ranks_.ending() || (alone && ranks_.asked_to_stop());
}

void RankExecutor::for_each(Index count, const std::function<void(Index)>& body) const {
  threads_->for_each(count, body);
}

// Tasks run over (block, piece), pieces fastest; those of a rank are a range, so that the lowest rank that
// failed has the lowest block.
void RankExecutor::fold_by_pieces(const BlockFold& work, std::byte* total) const {
  const Index tasks = work.num_blocks * work.num_pieces, ranks = ranks_.size(), rank = ranks_.rank();
  const Index begin = tasks * rank / ranks, end = tasks * (rank + 1) / ranks;
  std::optional<BlockParts> parts;
  const std::exception_ptr failure = failure_in([&] {
    parts.emplace(work, work.num_blocks);
    parts->clear(work.num_blocks);
    threads_->for_each(end - begin, [&](Index i) {
      const Index block = (begin + i) / work.num_pieces;
      parts->fill_piece(block, (begin + i) % work.num_pieces, block);
    });
    if (work.progress) work.progress(work.num_blocks);
  });
  ranks_.agree(tag_of({kPieces, tasks, static_cast<std::int64_t>(work.part_bytes)}), failure);
  ranks_.unite(parts->bytes(work.num_blocks));
  parts->join(work.num_blocks, total);
}

void RankExecutor::fold(const BlockFold& work, std::byte* total) const {
  if (ranks_.size() == 1) return threads_->fold(work, total);
  const bool few = work.num_blocks > 0 && are_few(work.num_blocks, ranks_.size());
  const bool small = work.num_blocks * static_cast<Index>(work.part_bytes) <= bytes_held_;
  if (few && small && work.num_pieces > 1) return fold_by_pieces(work, total);
  // One block is sooner filled by every rank than sent.
  if (work.num_blocks <= 1) return threads_->fold(work, total);
  const Share share(work.num_blocks, ranks_.rank(), ranks_.size());
  std::optional<OwnBlocks> own;
  std::exception_ptr failure = failure_in([&] {
    if (share.size() == 0) return;
    own.emplace(work, share, *threads_, bytes_held_);
    own->fill();
  });
  // Parts lie in block order along the ranks: the lowest rank that failed has the lowest block.
  const auto bytes = static_cast<std::int64_t>(work.total_bytes);
  const bool fills_later =
      ranks_.agree(tag_of({kFold, work.num_blocks, bytes}), failure, own && !own->holds_all() ? 1 : 0) == 1;
  const std::span<std::byte> message(total, work.total_bytes);
  // Invariant: what is sent holds the parts of all blocks before share.end, joined in their order.
  if (own) {
    if (share.before >= 0) ranks_.receive(message, share.before);
    failure = failure_in([&] { own->join(total); });
    if (share.after >= 0) ranks_.send(message, share.after);
  }
  ranks_.count(std::min<std::int64_t>(ranks_.size(), work.num_blocks) - 1, bytes);
  if (fills_later) ranks_.agree(tag_of({kFoldEnd, work.num_blocks, bytes}), failure);
  ranks_.broadcast(message, share.last);
  if (failure) std::rethrow_exception(failure);  // by join(), which has no reason to
}

RowRange RankExecutor::rows_of(int rank, Index num_rows) const {
  const Index blocks = num_blocks(num_rows);
  if (ranks_.size() == 1 || are_few(blocks, ranks_.size())) return {0, num_rows};
  const auto edge = [&](int k) {
    return std::min(num_rows, Share::first(blocks, k, ranks_.size()) * kBlockRows);
  };
  return {edge(rank), edge(rank + 1)};
}

// Lengths first, so that all ranks know whether each has room for what it gets. Pairs of ranks come in one
// order, which all of them follow: the first pair that is not done has both its ranks waiting for it.
std::vector<Bytes> RankExecutor::exchange(std::vector<Bytes> given) const {
  const int ranks = ranks_.size(), rank = ranks_.rank();
  if (std::ssize(given) != ranks) throw std::invalid_argument("there must be bytes for every rank");
  if (ranks == 1) return given;
  const auto with_each = [&](const auto& send, const auto& receive) {
    for (int low = 0; low <= rank; ++low) {
      for (int high = low + 1; high < ranks; ++high) {
        if (low == rank) {
          send(high);
          receive(high);
        } else if (high == rank) {
          receive(low);
          send(low);
        }
      }
    }
  };
  ranks_.agree(tag_of({kExchange}));
  std::vector<std::int64_t> lengths(given.size(), 0);
  with_each(
      [&](int to) {
        const auto length = std::ssize(given[at(to)]);
        ranks_.send(std::as_bytes(std::span(&length, 1)), to);
      },
      [&](int from) { ranks_.receive(std::as_writable_bytes(std::span(&lengths[at(from)], 1)), from); });
  std::vector<Bytes> got(given.size());
  const std::exception_ptr failure = failure_in([&] {
    for (int from = 0; from < ranks; ++from)
      got[at(from)].resize(static_cast<std::size_t>(lengths[at(from)]));
  });
  ranks_.agree(tag_of({kExchangeEnd}), failure);
  std::vector<std::int64_t> sent(2 * given.size(), 0);  // messages of each rank, then bytes
  with_each(
      [&](int to) {
        if (given[at(to)].empty()) return;
        ranks_.send(given[at(to)], to);
        ++sent[at(rank)];
        sent[at(ranks + rank)] += std::ssize(given[at(to)]);
        given[at(to)] = Bytes();
      },
      [&](int from) {
        if (!got[at(from)].empty()) ranks_.receive(got[at(from)], from);
      });
  got[at(rank)] = std::move(given[at(rank)]);
  ranks_.largest(sent);
  ranks_.count(std::int64_t{ranks} * (ranks - 1), sizeof(std::int64_t));
  for (int from = 0; from < ranks; ++from) {
    if (sent[at(from)] == 0) continue;
    ranks_.count(1, sent[at(ranks + from)]);  // the bytes of all its messages
    ranks_.count(sent[at(from)] - 1, 0);
  }
  return got;
}

std::vector<Bytes> RankExecutor::spread(Index count, const std::function<Bytes(Index)>& piece) const {
  const int ranks = ranks_.size(), rank = ranks_.rank();
  std::vector<Bytes> results(at(count));
  const std::exception_ptr failure = failure_in([&] {
    // Piece i belongs to rank i mod P.
    const Index own = count > rank ? (count - 1 - rank) / ranks + 1 : 0;
    if (own == 0) return;
    spreading_ = true;
    const std::exception_ptr thrown = failure_in([&] {
      threads_->for_each(own, [&](Index k) { results[at(rank + k * ranks)] = piece(rank + k * ranks); });
    });
    spreading_ = false;
    if (thrown) std::rethrow_exception(thrown);
  });
  ranks_.agree(tag_of({kSpread, count}), failure);
  if (ranks == 1) return results;
  std::vector<std::int64_t> sizes;
  for (const Bytes& result : results) sizes.push_back(std::ssize(result));
  ranks_.largest(sizes);
  for (Index i = 0; i < count; ++i) {
    results[at(i)].resize(static_cast<std::size_t>(sizes[at(i)]));
    if (!results[at(i)].empty()) ranks_.broadcast(results[at(i)], static_cast<int>(i % ranks));
  }
  return results;
}

}  // namespace giga
