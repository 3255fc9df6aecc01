// A share ends where its bytes do, the rows of a rank with a block: rows about the ends of shares move to
// other ranks when the table is made, some at a time, and the others stay in the memory they were read to.
#include "data/shared_table.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/shared_entries.hpp"
#include "data/byte_buffer.hpp"
#include "data/file_kind.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/data/input_files.hpp"

namespace giga {
namespace {

constexpr Index kBytesAtOnce = Index{1} << 24;

// Ascending, each once.
std::vector<Index> in_order(std::span<const Index> rows) {
  std::vector<Index> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

RowRange common(const RowRange& a, const RowRange& b) {
  const Index begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

// Calls body(numbers of rows `begin` on, how many numbers to a row) for each array of a table.
template <typename Body>
void for_arrays(Dataset::Parts& parts, const Body& body) {
  body(parts.features, parts.num_features);
  if (!parts.response.empty()) body(parts.response, Index{1});
  if (!parts.weights.empty()) body(parts.weights, Index{1});
}

// Rows of the shares on their way to those who hold them. The arrays have room for all rows; those of the
// share are in them, and after this those that this rank holds.
class Move {
 public:
  Move(Dataset::Parts& parts, std::vector<RowRange> shares, const Executor& executor)
      : parts_(parts), shares_(std::move(shares)), executor_(executor) {
    const Index bytes = (parts.num_features + 2) * Index{sizeof(double)};
    some_ = std::max<Index>(1, kBytesAtOnce / bytes);
  }

  void go() {
    Index longest = 0;
    for (const RowRange& share : shares_) longest = std::max(longest, share.size());
    for (Index begin = 0; begin < longest; begin += some_) step(begin);
  }

 private:
  // The rows of a share that come up in a step.
  [[nodiscard]] RowRange moving(int rank, Index begin) const {
    const RowRange& share = shares_[at(rank)];
    const Index first = std::min(share.end, share.begin + begin);
    return {first, std::min(share.end, first + some_)};
  }
  [[nodiscard]] RowRange sent(int from, int to, Index begin) const {
    return from == to ? RowRange{} : common(moving(from, begin), executor_.rows_of(to, parts_.num_rows));
  }

  void step(Index begin) {
    const int own = executor_.rank(), ranks = executor_.num_ranks();
    bool any = false;  // whether a row goes to another rank, which all of them know
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to) any = any || sent(from, to, begin).size() > 0;
    if (!any) return;
    std::vector<Bytes> given(at(ranks));
    for (int to = 0; to < ranks; ++to) {
      const RowRange rows = sent(own, to, begin);
      if (rows.size() == 0) continue;
      for_arrays(parts_, [&](RowArray<double>& array, Index each) {
        put(given[at(to)], std::span<const double>(array.data() + rows.begin * each, at(rows.size() * each)));
      });
    }
    const std::vector<Bytes> got = executor_.exchange(std::move(given));
    for (int from = 0; from < ranks; ++from) {
      const RowRange rows = sent(from, own, begin);
      if (rows.size() == 0) continue;
      ByteReader reader(got[at(from)]);
      for_arrays(parts_, [&](RowArray<double>& array, Index each) {
        reader.get(array.data() + rows.begin * each, at(rows.size() * each));
      });
    }
  }

  Dataset::Parts& parts_;
  std::vector<RowRange> shares_;  // by rank
  const Executor& executor_;
  Index some_;
};

// What a rank tells of its share.
Bytes told(const Dataset::Parts& parts, const SharePlace& place, const std::vector<double>& responses) {
  Bytes bytes;
  put(bytes, place.first_row);
  put(bytes, parts.num_rows);
  put(bytes, responses.size());
  put(bytes, std::span<const double>(responses));
  for (const Index row : parts.dropped) put(bytes, row + parts.first_row);
  return bytes;
}

}  // namespace

Dataset SharedTable::make(SharedRows read, const Executor& executor) {
  Dataset::Parts& from = *read.data.parts_;
  Dataset::Parts to;
  auto shared = std::make_unique<SharedRowsState>();
  std::vector<RowRange> shares;
  for (const Bytes& bytes :
       gathered(executor, [&] { return told(from, read.place, read.data.first_responses()); })) {
    ByteReader reader(bytes);
    const auto first = reader.get<Index>(), count = reader.get<Index>();
    shares.push_back({first, first + count});
    std::vector<double> responses(reader.get<std::size_t>());
    reader.get(responses.data(), responses.size());
    add_first_responses(responses, shared->first_responses);
    while (!reader.empty()) to.dropped.push_back(reader.get<Index>());
  }
  shared->held = executor.own_rows(read.place.num_rows);
  shared->read = shares[at(executor.rank())];
  to.name = from.name;
  to.files = from.files;
  to.columns = from.columns;
  to.feature_names = from.feature_names;
  to.response_name = from.response_name;
  to.notes = from.notes;
  to.num_features = from.num_features;
  to.num_rows = read.place.num_rows;
  to.origin = std::move(from.origin);
  // A share without rows has no arrays, but the columns are those of all.
  const auto has = [&](ColumnRole role) {
    return std::ranges::find(from.columns, role, &Column::role) != from.columns.end();
  };
  const auto place = [&](RowArray<double>& array, Index each) {
    const Index num_rows = to.num_rows;
    RowArray<double> out =
        shared->read.size() == 0
            ? RowArray<double>(executor.memory(), num_rows, shared->held, each)
            : RowArray<double>::placed(std::move(array), num_rows * each, shared->read.begin * each);
    out.widen(shared->held.begin * each, shared->held.end * each);
    return out;
  };
  on_every_rank(executor, [&] {
    to.features = place(from.features, to.num_features);
    if (has(ColumnRole::Response)) to.response = place(from.response, 1);
    if (has(ColumnRole::Weight)) to.weights = place(from.weights, 1);
  });
  Move(to, std::move(shares), executor).go();
  for_arrays(to, [&](RowArray<double>& array, Index each) {
    array.narrow(shared->held.begin * each, shared->held.end * each);
  });
  to.shared = std::move(shared);
  return Dataset(std::move(to));
}

void SharedTable::fetch(std::span<const Index> rows, const Executor& executor) {
  if (shared_.complete) return;
  const std::vector<Index> wanted = in_order(rows);
  const bool has_response = !parts_.response.empty(), has_weights = !parts_.weights.empty();
  const auto each = at(parts_.num_features + 2);
  const Bytes bytes = told_of_rows(
      executor, parts_.num_rows, wanted, each * sizeof(double), [&](Index row, std::byte* place) {
        std::vector<double> numbers(each, 0);
        std::copy_n(parts_.features.data() + row * parts_.num_features, parts_.num_features, numbers.begin());
        if (has_response) numbers[each - 2] = parts_.response[at(row)];
        if (has_weights) numbers[each - 1] = parts_.weights[at(row)];
        std::memcpy(place, numbers.data(), each * sizeof(double));
      });
  ByteReader reader(bytes);
  for (const Index row : wanted) {
    std::vector<double> numbers(each);
    reader.get(numbers.data(), each);
    if (!shared_.held.contains(row)) shared_.numbers.try_emplace(row, std::move(numbers));
  }
}

namespace {

// What the rank that read each of some rows, which ascend, says of them: texts, one row after the other.
using Texts = std::vector<std::vector<std::string>>;
Texts said_of(const std::vector<Index>& rows, const RowRange& read, const Executor& executor,
              const std::function<Texts(const std::vector<Index>& own)>& say) {
  const auto words = [&] {
    std::vector<Index> own;
    std::ranges::copy_if(rows, std::back_inserter(own), [&](Index row) { return read.contains(row); });
    Bytes bytes;
    const Texts all = say(own);
    for (const std::vector<std::string>& texts : all) {
      put(bytes, texts.size());
      for (const std::string& text : texts) put_text(bytes, text);
    }
    return bytes;
  };
  Texts out;
  for (const Bytes& bytes : gathered(executor, words)) {
    ByteReader reader(bytes);
    while (!reader.empty()) {
      out.emplace_back();
      for (auto left = reader.get<std::size_t>(); left > 0; --left) out.back().push_back(reader.text());
    }
  }
  return out;
}

}  // namespace

void SharedTable::fetch_texts(std::span<const Index> rows, const Executor& executor) {
  const std::vector<Index> wanted = in_order(rows);
  std::vector<Index> unused;
  for (std::size_t j = 0; j < parts_.columns.size(); ++j)
    if (parts_.columns[j].role == ColumnRole::Unused) unused.push_back(static_cast<Index>(j));
  if (unused.empty() || parts_.origin == nullptr) return;
  const auto texts = said_of(wanted, shared_.read, executor, [&](const std::vector<Index>& own) {
    std::vector<Index> input_rows;
    for (const Index row : own) input_rows.push_back(kept_input_row(parts_.dropped, row));
    return own.empty() ? Texts() : parts_.origin->texts(input_rows, unused);
  });
  for (std::size_t i = 0; i < wanted.size(); ++i) shared_.texts[wanted[i]] = texts[i];
}

void SharedTable::fetch_places(std::span<const Index> rows, const Executor& executor) {
  const std::vector<Index> wanted = in_order(rows);
  const auto places = said_of(wanted, shared_.read, executor, [&](const std::vector<Index>& own) {
    Texts out;
    for (const Index row : own) out.push_back({place_of(parts_, kept_input_row(parts_.dropped, row))});
    return out;
  });
  for (std::size_t i = 0; i < wanted.size(); ++i) shared_.places[wanted[i]] = places[i][0];
}

void SharedTable::complete(const Executor& executor) {
  if (shared_.complete) return;
  on_every_rank(executor, [&] {
    for_arrays(parts_, [&](RowArray<double>& array, Index each) { array.widen(0, parts_.num_rows * each); });
  });
  for_arrays(parts_, [&](RowArray<double>& array, Index each) {
    share_rows(executor, parts_.num_rows, {entries_of(array.data(), each)});
  });
  shared_.complete = true;
  shared_.numbers.clear();
}

// Every rank knows all distinct rows, and so who needs which. In each step every rank gets the next rows that
// it needs, from each of those who hold them, in their order.
void SharedTable::hold(const DistinctRows& distinct, const Executor& executor) {
  if (shared_.complete || distinct.rows.empty()) return;
  const int own = executor.rank(), ranks = executor.num_ranks();
  const RowRange needed = executor.own_rows(distinct.num_rows);
  const Index dim = parts_.num_features, some = std::max<Index>(1, kBytesAtOnce / ((dim + 1) * 8));
  const bool has_response = !parts_.response.empty();
  if (needed.size() > 0) {
    shared_.hull = {distinct.row(needed.begin), distinct.row(needed.end - 1) + 1};
    shared_.brought.assign(at(shared_.hull.size()), false);
  }
  on_every_rank(executor, [&] {
    parts_.features.widen(shared_.hull.begin * dim, shared_.hull.end * dim);
    if (has_response) parts_.response.widen(shared_.hull.begin, shared_.hull.end);
  });
  Index longest = 0;
  for (int rank = 0; rank < ranks; ++rank)
    longest = std::max(longest, executor.rows_of(rank, distinct.num_rows).size());
  // Calls visit(row) for those rows that `to` needs in a step and `from` holds.
  const auto for_rows = [&](int from, int to, Index begin, const auto& visit) {
    const RowRange all = executor.rows_of(to, distinct.num_rows),
                   held = executor.rows_of(from, parts_.num_rows);
    const Index first = std::min(all.end, all.begin + begin), end = std::min(all.end, first + some);
    const auto rows = std::span(distinct.rows).subspan(at(first), at(end - first));
    for (auto row = std::ranges::lower_bound(rows, held.begin); row != rows.end() && *row < held.end; ++row)
      visit(*row);
  };
  for (Index begin = 0; begin < longest; begin += some) {
    std::vector<Bytes> given(at(ranks));
    for (int to = 0; to < ranks; ++to) {
      if (to == own) continue;
      for_rows(own, to, begin, [&](Index row) {
        put(given[at(to)], std::span<const double>(parts_.features.data() + row * dim, at(dim)));
        if (has_response) put(given[at(to)], parts_.response[at(row)]);
      });
    }
    const std::vector<Bytes> got = executor.exchange(std::move(given));
    for (int from = 0; from < ranks; ++from) {
      if (from == own) continue;
      ByteReader reader(got[at(from)]);
      for_rows(from, own, begin, [&](Index row) {
        reader.get(parts_.features.data() + row * dim, at(dim));
        if (has_response) parts_.response[at(row)] = reader.get<double>();
        shared_.brought[at(row - shared_.hull.begin)] = true;
      });
    }
  }
}

void Dataset::set_response(Column column, RowArray<double> values, const Executor& executor) {
  if (!response().empty()) throw std::invalid_argument(parts_->name + ": there is a response already");
  if (std::ssize(values) != parts_->num_rows)
    throw std::invalid_argument("there must be a response for every row");
  parts_->response = std::move(values);
  parts_->name_response(std::move(column));
  std::vector<double> own, all;
  add_first_responses(response().subspan(at(held().begin), at(held().size())), own);
  for (const Bytes& bytes : gathered(executor, [&] {
         Bytes words;
         put(words, std::span<const double>(own));
         return words;
       })) {
    std::vector<double> responses(bytes.size() / sizeof(double));
    ByteReader(bytes).get(responses.data(), responses.size());
    add_first_responses(responses, all);
  }
  parts_->shared->first_responses = std::move(all);
}

bool Dataset::is_shared() const {
  return parts_->shared && !parts_->shared->complete;
}

RowRange Dataset::held() const {
  return is_shared() ? parts_->shared->held : RowRange{0, parts_->num_rows};
}

const double* Dataset::all_features() const {
  return parts_->feature_values();
}

void Dataset::fetch(std::span<const Index> rows, const Executor& executor) const {
  if (is_shared()) SharedTable(*parts_).fetch(rows, executor);
}

void Dataset::fetch_cells(std::span<const Index> rows, const Executor& executor) const {
  if (!parts_->shared) return;
  SharedTable(*parts_).fetch(rows, executor);
  SharedTable(*parts_).fetch_texts(rows, executor);
}

void Dataset::complete(const Executor& executor) const {
  if (is_shared()) SharedTable(*parts_).complete(executor);
}

void Dataset::hold(const DistinctRows& distinct, const Executor& executor) const {
  if (is_shared()) SharedTable(*parts_).hold(distinct, executor);
}

void Dataset::check_together(const Executor& executor, const std::function<void()>& check) const {
  if (!parts_->shared) return check();
  while (true) {
    std::exception_ptr failure;
    // The rows whose places are asked for: with them the check is made again.
    std::vector<Index> elsewhere;
    for (const Bytes& bytes : gathered(executor, [&] {
           Bytes row;
           parts_->shared->asks = true;
           try {
             check();
           } catch (const ReadElsewhere& unknown) {
             put(row, unknown.row);
           } catch (...) {
             failure = std::current_exception();
           }
           parts_->shared->asks = false;
           return row;
         })) {
      if (!bytes.empty()) elsewhere.push_back(ByteReader(bytes).get<Index>());
    }
    if (elsewhere.empty()) {
      return on_every_rank(executor, [&] {
        if (failure) std::rethrow_exception(failure);
      });
    }
    SharedTable(*parts_).fetch_places(elsewhere, executor);
  }
}

Dataset read_shared(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                    const Observer& observer) {
  const bool in_shares =
      executor.num_ranks() > 1 && !options.sql && !options.memory && !path.empty() && path != "-";
  if (!in_shares || file_kind(input_files(path).front()) == FileKind::Parquet)
    return read_dataset(path, options, executor, observer);
  SharedRows read = read_shares(path, options, executor, observer);
  const Index num_rows = read.place.num_rows;
  if (executor.own_rows(num_rows).size() == num_rows) return read_dataset(path, options, executor, observer);
  return SharedTable::make(std::move(read), executor);
}

}  // namespace giga
