// Each rank finds the repeats among its own rows. The first rows that are left are dealt to ranks by their
// hash, which is then judged by one rank:
//
//   1. hash and row of each first row go to its judge;
//   2. the judge asks those who hold them for the values of rows that have a hash in common,
//   3. gets them, and compares;
//   4. it tells those who hold a row that repeats an earlier one which row that is.
//
// That is done for a part of all hashes at a time, so that what is on its way is little. Weights are added in
// the order of the rows, as one process would: the first row's rank gets those of later ranks one by one.
#include "data/shared_duplicates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/byte_buffer.hpp"
#include "data/repeats.hpp"

namespace giga {
namespace {

struct HashedRow {
  std::uint64_t hash;
  Index row;
};

// A row, and the first that equals it.
struct RepeatedRow {
  Index row, first;
};

struct AddedWeight {
  Index first;
  double weight;
};

template <typename Item>
std::vector<Item> items_of(const Bytes& bytes) {
  std::vector<Item> items(bytes.size() / sizeof(Item));
  ByteReader(bytes).get(items.data(), items.size());
  return items;
}

class Judgement {
 public:
  Judgement(const Dataset& data, const Repeats& repeats, const Executor& executor)
      : data_(data), repeats_(repeats), executor_(executor), ranks_(executor.num_ranks()) {
    for (int rank = 0; rank < ranks_; ++rank) ends_.push_back(executor.rows_of(rank, data.num_rows()).end);
  }

  // Calls found(row, first) for those rows of this rank that are first here and repeat a row of another.
  template <typename Found>
  void go(const Found& found) {
    constexpr Index kRowsAtOnce = Index{1} << 21;
    constexpr int kMostBits = 8;
    int bits = 0;
    while (bits < kMostBits && data_.num_rows() / ranks_ >> bits > kRowsAtOnce) ++bits;
    for (Index part = 0; part < Index{1} << bits; ++part) {
      const std::vector<HashedRow> rows = suspects(part, bits);
      bool any = false;  // on any rank
      for (const Bytes& told : gathered(executor_, [&] { return Bytes(rows.empty() ? 0 : 1); }))
        any = any || !told.empty();
      if (!any) continue;
      for (const RepeatedRow& repeat : judged(rows, values_of(rows))) found(repeat.row, repeat.first);
    }
  }

  [[nodiscard]] int holder(Index row) const {
    return static_cast<int>(std::ranges::upper_bound(ends_, row) - ends_.begin());
  }

 private:
  // Step 1: the rows that this rank is to judge and that have a hash in common, by hash and then by row.
  [[nodiscard]] std::vector<HashedRow> suspects(Index part, int bits) const {
    const auto for_dealt = [&](const auto& take) {
      for (Index n = repeats_.rows().begin; n < repeats_.rows().end; ++n) {
        const std::uint64_t hash = repeats_.hash(n);
        if (!repeats_.is_first(n) || top_bits(hash, bits) != part) continue;
        // The top bits are those of the part; a product makes those that are left depend on all others.
        const std::uint64_t mixed = (hash * 0x9E3779B97F4A7C15U) >> 32;
        take(at(static_cast<Index>((mixed * static_cast<std::uint64_t>(ranks_)) >> 32)), HashedRow{hash, n});
      }
    };
    // Counted first: what is given takes most of the memory here, and is written once.
    std::vector<std::size_t> sizes(at(ranks_), 0);
    for_dealt([&](std::size_t judge, const HashedRow& row) { sizes[judge] += sizeof(row); });
    std::vector<Bytes> given(at(ranks_));
    for (std::size_t judge = 0; judge < given.size(); ++judge) given[judge].resize(sizes[judge]);
    std::vector<std::size_t> places(at(ranks_), 0);
    for_dealt([&](std::size_t judge, const HashedRow& row) {
      std::memcpy(given[judge].data() + places[judge], &row, sizeof(row));
      places[judge] += sizeof(row);
    });
    std::vector<HashedRow> alike = alike_of(executor_.exchange(std::move(given)), bits);
    std::ranges::sort(alike, [](const HashedRow& one, const HashedRow& other) {
      return one.hash != other.hash ? one.hash < other.hash : one.row < other.row;
    });
    return alike;
  }

  static Index top_bits(std::uint64_t hash, int bits) {
    return bits == 0 ? 0 : static_cast<Index>(hash >> (64 - bits));
  }

  // Those with the hash of another, in no order. They are put in buckets by the bits that follow those of the
  // part, of few enough rows for the cache.
  static std::vector<HashedRow> alike_of(const std::vector<Bytes>& got, int bits) {
    constexpr int kBits = 8;
    const auto for_rows = [&](const auto& take) {
      for (const Bytes& bytes : got) {
        for (std::size_t place = 0; place < bytes.size(); place += sizeof(HashedRow)) {
          HashedRow row;
          std::memcpy(&row, bytes.data() + place, sizeof(row));
          take(at(top_bits(row.hash << bits, kBits)), row);
        }
      }
    };
    std::vector<std::size_t> ends((std::size_t{1} << kBits) + 1,
                                  0);  // of bucket k - 1: where bucket k begins
    for_rows([&](std::size_t bucket, const HashedRow& /*row*/) { ++ends[bucket + 1]; });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<HashedRow> rows(ends.back());
    std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
    for_rows([&](std::size_t bucket, const HashedRow& row) { rows[next[bucket]++] = row; });
    std::vector<HashedRow> alike;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k)
      add_common(std::span(rows).subspan(ends[k], ends[k + 1] - ends[k]), alike);
    return alike;
  }

  // Adds those with the hash of another. Open addressing, as in Repeats.
  static void add_common(std::span<const HashedRow> rows, std::vector<HashedRow>& alike) {
    const std::size_t size = std::bit_ceil(2 * rows.size() + 1);
    std::vector<std::uint32_t> table(size, 0);  // one more than the place among `rows`; 0: none
    std::vector<char> taken(rows.size(), 0);    // whether the first of a hash has been added
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::size_t slot = static_cast<std::size_t>(rows[i].hash) & (size - 1);
      while (table[slot] != 0 && rows[table[slot] - 1].hash != rows[i].hash) slot = (slot + 1) & (size - 1);
      if (table[slot] == 0) {
        table[slot] = static_cast<std::uint32_t>(i + 1);
        continue;
      }
      const std::size_t first = table[slot] - 1;
      if (taken[first] == 0) alike.push_back(rows[first]);
      taken[first] = 1;
      alike.push_back(rows[i]);
    }
  }

  // Steps 2 and 3: features and response of each.
  [[nodiscard]] std::unordered_map<Index, std::vector<double>> values_of(
      const std::vector<HashedRow>& rows) const {
    std::vector<Bytes> asked(at(ranks_));
    for (const HashedRow& each : rows) put(asked[at(holder(each.row))], each.row);
    const std::vector<Bytes> questions = executor_.exchange(asked);
    std::vector<Bytes> answers(at(ranks_));
    const auto dim = at(data_.num_features());
    for (int rank = 0; rank < ranks_; ++rank) {
      for (const Index row : items_of<Index>(questions[at(rank)])) {
        put(answers[at(rank)], std::span<const double>(data_.features(row), dim));
        put(answers[at(rank)], response_or_0(data_, row));
      }
    }
    answers = executor_.exchange(std::move(answers));
    std::unordered_map<Index, std::vector<double>> values;
    for (int rank = 0; rank < ranks_; ++rank) {
      ByteReader reader(answers[at(rank)]);
      for (const Index row : items_of<Index>(asked[at(rank)])) {
        std::vector<double> numbers(dim + 1);
        reader.get(numbers.data(), numbers.size());
        values.emplace(row, std::move(numbers));
      }
    }
    return values;
  }

  // Step 4: what other judges say of rows of this rank.
  [[nodiscard]] std::vector<RepeatedRow> judged(
      const std::vector<HashedRow>& rows,
      const std::unordered_map<Index, std::vector<double>>& values) const {
    std::vector<Bytes> given(at(ranks_));
    std::vector<Index> firsts;  // different rows of the present hash
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || rows[i].hash != rows[i - 1].hash) firsts.clear();
      const std::vector<double>& own = values.at(rows[i].row);
      const auto equal = std::ranges::find_if(firsts, [&](Index first) { return values.at(first) == own; });
      if (equal == firsts.end()) {
        firsts.push_back(rows[i].row);
      } else {
        put(given[at(holder(rows[i].row))], RepeatedRow{rows[i].row, *equal});
      }
    }
    std::vector<RepeatedRow> all;
    for (const Bytes& bytes : executor_.exchange(std::move(given))) {
      const auto some = items_of<RepeatedRow>(bytes);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  const Dataset& data_;
  const Repeats& repeats_;
  const Executor& executor_;
  const int ranks_;
  std::vector<Index> ends_;  // of the rows of each rank
};

// What becomes of the rows of this rank.
class OwnRows {
 public:
  OwnRows(const Dataset& data, const Repeats& repeats, const std::unordered_map<Index, Index>& elsewhere)
      : data_(data), repeats_(repeats), elsewhere_(elsewhere) {}

  /// Calls visit(row, the row that it repeats or itself, weight) for rows that count, in order.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    const bool weighted = !data_.weights().empty();
    for (Index n = repeats_.rows().begin; n < repeats_.rows().end; ++n) {
      const double weight = weighted ? data_.weight(n) : 1;
      if (!(weight > 0)) continue;
      const Index here = repeats_.is_repeat(n) ? repeats_.first(n) : n;
      const auto other = elsewhere_.empty() ? elsewhere_.end() : elsewhere_.find(here);
      visit(n, other == elsewhere_.end() ? here : other->second, weight);
    }
  }

  // Distinct rows, repeats, and whether every weight is 1.
  [[nodiscard]] std::array<Index, 3> counts() const {
    std::array<Index, 3> out{0, 0, 1};
    for_each([&](Index n, Index first, double weight) {
      ++out[first == n ? 0 : 1];
      if (weight != 1) out[2] = 0;
    });
    return out;
  }

  // Distinct rows, and what they weigh: by rank, and those of a rank by row, the weights of other ranks come
  // after those of this one.
  void list(const Judgement& judgement, const Executor& executor, std::vector<Index>& rows,
            std::vector<double>& weights) {
    std::vector<Bytes> given(at(executor.num_ranks()));
    for_each([&](Index n, Index first, double weight) {
      if (first == n) {
        rows.push_back(n);
        weights.push_back(weight);
      } else if (repeats_.rows().contains(first)) {
        weights[at(number(rows, first))] += weight;
      } else {
        put(given[at(judgement.holder(first))], AddedWeight{first, weight});
      }
    });
    for (const Bytes& bytes : executor.exchange(std::move(given))) {
      for (const AddedWeight& added : items_of<AddedWeight>(bytes))
        weights[at(number(rows, added.first))] += added.weight;
    }
  }

 private:
  static Index number(const std::vector<Index>& rows, Index row) {
    return std::ranges::lower_bound(rows, row) - rows.begin();
  }

  const Dataset& data_;
  const Repeats& repeats_;
  const std::unordered_map<Index, Index>& elsewhere_;
};

// The items of all ranks, one after the other.
template <typename Item>
std::vector<Item> of_all(const std::vector<Item>& own, const Executor& executor) {
  std::vector<Item> all;
  for (const Bytes& bytes : gathered(executor, [&] {
         Bytes words;
         put(words, std::span<const Item>(own));
         return words;
       })) {
    const auto some = items_of<Item>(bytes);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

DistinctRows shared_distinct_rows(const Dataset& data, const Executor& executor, std::uint64_t hash_mask) {
  std::optional<Repeats> repeats;
  on_every_rank(executor, [&] { repeats.emplace(data, data.held(), executor.local(), hash_mask); });
  Judgement judgement(data, *repeats, executor);
  std::unordered_map<Index, Index> elsewhere;
  judgement.go([&](Index row, Index first) { elsewhere.emplace(row, first); });
  OwnRows own(data, *repeats, elsewhere);
  DistinctRows distinct;
  bool all_one = true;
  for (const Bytes& bytes : gathered(executor, [&] {
         Bytes words;
         put(words, own.counts());
         return words;
       })) {
    const auto [rows, more, ones] = ByteReader(bytes).get<std::array<Index, 3>>();
    distinct.num_rows += rows;
    distinct.num_repeats += more;
    all_one = all_one && ones == 1;
  }
  const bool all_rows = distinct.num_rows == data.num_rows();
  const bool all_once = all_one && distinct.num_repeats == 0;
  if (all_rows && all_once) return distinct;
  std::vector<Index> rows;
  std::vector<double> weights;
  own.list(judgement, executor, rows, weights);
  if (!all_rows) distinct.rows = of_all(rows, executor);
  if (!all_once) distinct.multiplicity = of_all(weights, executor);
  return distinct;
}

}  // namespace giga
