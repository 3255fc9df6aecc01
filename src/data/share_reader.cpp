// The reader of a share by its format, and what shares of all formats have in common.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "data/file_kind.hpp"
#include "data/several_files.hpp"
#include "data/share_source.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/input_files.hpp"
#include "giga/data/read_share.hpp"
#include "giga/data/unchanged.hpp"

namespace giga {
namespace {

std::unique_ptr<ShareSource> source_of(ShareInput input) {
  switch (require_one_kind(input.files, input.options)) {
    case FileKind::Parquet:
      throw OptionError(input.name + ": Parquet cannot be read in shares; write it as CSV or .npy files");
    case FileKind::Npy: return npy_share(std::move(input));
    case FileKind::Npz: return npz_share(std::move(input));
    case FileKind::Libsvm: return libsvm_share(std::move(input));
    case FileKind::Text:
    case FileKind::Other: break;
  }
  return csv_share(std::move(input));
}

std::unique_ptr<ShareSource> source_of(const std::filesystem::path& path, const ReadOptions& options,
                                       const TableShare& share, const Executor& executor,
                                       const Observer& observer) {
  if (share.count < 1 || share.index < 0 || share.index >= share.count)
    throw std::invalid_argument("there is no share " + std::to_string(share.index) + " of " +
                                std::to_string(share.count));
  if (options.sql || path.empty() || path == "-")
    throw OptionError(input_words(path) + ": cannot be read in shares; save it to a CSV file first");
  const std::vector<std::filesystem::path> files = input_files(path);
  const std::string name = files.size() == 1 ? printable_path(files.front()) : input_words(path);
  const FileStates states(files);
  return of_unchanged(states, [&] {
    return source_of({files, name, options, share, executor, observer, states});
  });
}

}  // namespace

ShareReader::ShareReader(const std::filesystem::path& path, const ReadOptions& options,
                         const TableShare& share, const Executor& executor, const Observer& observer)
    : source_(source_of(path, options, share, executor, observer)) {}
ShareReader::ShareReader(ShareReader&&) noexcept = default;
ShareReader::~ShareReader() = default;

ShareFacts ShareReader::read() {
  return ShareFacts(
      std::make_shared<const TableFacts>(of_unchanged(*source_, [this] { return source_->read(); })));
}

bool ShareReader::agrees(const ShareFacts& all) {
  return source_->agrees(*all);
}

Dataset ShareReader::finish() && {
  return source_->finish();
}

SharePlace ShareReader::place() const {
  return source_->place();
}

SharedRows read_shares(const std::filesystem::path& path, const ReadOptions& options,
                       const Executor& executor, const Observer& observer) {
  const TableShare share{.index = executor.rank(), .count = executor.num_ranks()};
  std::optional<ShareReader> reader;
  while (true) {
    const std::vector<Bytes> told = gathered(executor, [&] {
      if (!reader) reader.emplace(path, options, share, executor.local(), observer);
      const std::string bytes = reader->read().bytes();
      const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
      return Bytes(begin, begin + bytes.size());
    });
    const auto facts = [&](const Bytes& bytes) {
      return ShareFacts::of_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    };
    ShareFacts all = facts(told.front());
    for (std::size_t k = 1; k < told.size(); ++k) all = merge(all, facts(told[k]));
    if (reader->agrees(all)) break;
  }
  const SharePlace place = reader->place();
  return {std::move(*reader).finish(), place};
}

// Share k of K has bytes [k B / K, (k + 1) B / K) of the B bytes of all files.
std::vector<ShareSource::Range> ShareSource::byte_ranges(const std::vector<std::size_t>& sizes) const {
  std::size_t all = 0;
  for (const std::size_t size : sizes) all += size;
  const auto edge = [&](Index k) {
    const auto count = static_cast<std::size_t>(input_.share.count), at_k = static_cast<std::size_t>(k);
    return all / count * at_k + all % count * at_k / count;
  };
  const std::size_t begin = edge(input_.share.index), end = edge(input_.share.index + 1);
  std::vector<Range> ranges;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < sizes.size(); offset += sizes[i], ++i) {
    const std::size_t first = std::max(begin, offset), last = std::min(end, offset + sizes[i]);
    if (first < last) ranges.push_back({static_cast<Index>(i), first - offset, last - offset});
  }
  return ranges;
}

FactPlace ShareSource::place_in(const TableFacts& facts, Index row, Index lines) {
  std::size_t part = 0;
  while (part + 1 < facts.parts.size() && row >= facts.parts[part].rows) row -= facts.parts[part++].rows;
  return {static_cast<Index>(part), row, lines};
}

void ShareSource::tell_rows(Table& table, const std::function<Index(std::size_t, Index)>& lines,
                            TableFacts& facts) const {
  const Issues& issues = table.issues();
  facts.missing = issues.missing;
  facts.too_small = issues.too_small;
  facts.rounded = issues.rounded;
  facts.missing_by_column = issues.missing_by_column;
  for (const CellPlace& cell : issues.first_missing) {
    FactPlace place = place_in(facts, cell.row, -1);
    place.lines = lines(at(place.part), place.row);
    facts.first_missing.push_back({place, cell.col});
  }
  std::size_t current = 0;
  Index end = facts.parts.empty() ? 0 : facts.parts[0].rows;
  for (const Index row : issues.incomplete) {
    while (row >= end) end += facts.parts[++current].rows;
    ++facts.parts[current].dropped;
  }
  if (!table.has_weights()) return;
  Index num_rows = 0;
  for (const PartFacts& part : facts.parts) num_rows += part.rows;
  if (facts.bad_row) return;  // rows after it have no weight
  std::size_t next = 0;
  const std::vector<Slot> slots = table.slots();
  const auto col = std::ranges::find(table.columns(), ColumnRole::Weight, &Column::role);
  const Slot& slot = slots[static_cast<std::size_t>(col - table.columns().begin())];
  for (Index row = 0; row < num_rows && !facts.negative_weight; ++row) {
    if (next < issues.incomplete.size() && issues.incomplete[next] == row) {
      ++next;
      continue;
    }
    const double weight = slot.base[row * slot.stride];
    facts.positive_weight = facts.positive_weight || weight > 0;
    if (weight >= 0) continue;
    FactPlace place = place_in(facts, row, -1);
    place.lines = lines(at(place.part), place.row);
    facts.negative_weight = RowFact{place, table.negative_weight(weight)};
  }
}

void ShareSource::judge(const Table& table, const TableFacts& all, const Agreement& agreement) {
  whole_ = {.num_rows = agreement.num_rows(),
            .num_dropped = agreement.num_dropped(),
            .missing = all.missing,
            .missing_by_column = all.missing_by_column,
            .too_small = all.too_small,
            .rounded = all.rounded};
  // Within a row texts are noted after numbers.
  std::vector<MissingFact> places = all.first_missing;
  std::sort(places.begin(), places.end(), [](const MissingFact& a, const MissingFact& b) {
    return std::tuple(a.place.part, a.place.row, a.col) < std::tuple(b.place.part, b.place.row, b.col);
  });
  for (const MissingFact& fact : places)
    whole_.first_missing.emplace_back(agreement.words(fact.place), fact.col);
  table.judge(whole_);
  if (all.negative_weight)
    throw DataError(table.name() + ": " + agreement.words(all.negative_weight->place) +
                    all.negative_weight->what);
  if (table.has_weights() && !all.positive_weight) throw DataError(table.no_weight());
  place_ = agreement.place_of(input_.share.index);
}

void ShareSource::judge_numbers(Table& table, const TableFacts& all, const Agreement& agreement) {
  table.set_files(agreement.files());
  if (all.bad_row) {
    const FactPlace& place = all.bad_row->place;
    throw_bad_row(table, {agreement.row(place), 0, all.bad_row->what}, agreement.line(place));
  }
  note_empty_files(table, agreement.num_rows());
  judge(table, all, agreement);
}

}  // namespace giga
