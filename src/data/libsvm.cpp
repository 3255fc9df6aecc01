// libsvm text in two passes over the mapped files. The first counts rows and finds the largest index D; then
// the dense N x (D + 1) table is allocated, all zeros, and the second fills in what the lines name. Columns
// are x1 .. xD, then the label.
#include "data/libsvm.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "data/column_roles.hpp"
#include "data/libsvm_rows.hpp"
#include "data/several_files.hpp"
#include "data/share_source.hpp"
#include "data/table.hpp"
#include "giga/base/error.hpp"

namespace giga {
namespace {

constexpr const char* kNoRows = ": 0 data rows; every line is empty or a comment";
constexpr const char* kNoFeatures = ": no features beside the label; give index:value pairs";

// Counted first: how many columns there are is told by all shares.
class LibsvmShare : public ShareSource {
 public:
  explicit LibsvmShare(ShareInput input) : ShareSource(std::move(input)) {
    std::vector<std::size_t> sizes;
    std::vector<SvmFile> all;
    for (const std::filesystem::path& path : input_.files) {
      const SvmFile& file = all.emplace_back(path);
      names_.push_back(file.name);
      sizes.push_back(file.mapped->bytes().size());
      bytes_ += sizes.back();
    }
    for (const Range& range : byte_ranges(sizes)) {
      files_.push_back(all[at(range.file)]);
      files_.back().restrict_to(range.begin, range.end);
      file_of_.push_back(range.file);
    }
    own_ = count_rows(files_, kChunkBytes, input_.executor);
  }

  TableFacts read() override {
    TableFacts facts;
    facts.max_index = own_.max_index;
    facts.filled = table_.has_value();
    for (std::size_t k = 0; k < files_.size(); ++k)
      facts.parts.push_back({.share = input_.share.index,
                             .file = file_of_[k],
                             .rows = files_[k].num_rows,
                             .newlines = files_[k].num_lines});
    if (!table_) return facts;
    table_->allocate(own_.num_rows);
    if (const auto bad = fill_rows(files_, *table_, input_.executor, input_.observer))
      facts.bad_row = RowFact{place_in(facts, bad->bad_row.row, bad->lines), bad->bad_row.what};
    // As the origin will count them.
    const auto origin = [this] {
      std::vector<SvmFile> copies = files_;
      return svm_origin(copies, table_->num_columns(), 0, std::vector<Index>(copies.size()));
    }();
    const auto lines = [&](std::size_t part, Index row) {
      return origin->line(files_[part].first_row + row);
    };
    tell_rows(*table_, lines, facts);
    return facts;
  }

  bool agrees(const TableFacts& all) override {
    const Agreement agreement(all, names_, std::vector<Index>(names_.size(), 1));
    if (!all.filled) {
      if (agreement.num_rows() == 0) throw DataError(input_.name + kNoRows);
      check_dense_size(agreement.num_rows(), all.max_index, bytes_, input_.name);
      table_.emplace(input_.name, assign_roles(svm_names(all.max_index), input_.options, input_.name),
                     input_.options, input_.executor.memory());
      return false;
    }
    table_->set_files(agreement.files());
    if (!all.bad_row && all.max_index == 0) throw DataError(input_.name + kNoFeatures);
    judge_numbers(*table_, all, agreement);
    for (std::size_t i = 0; i < all.parts.size(); ++i)
      if (all.parts[i].share == input_.share.index) first_lines_.push_back(agreement.first_line(i));
    return true;
  }

  Dataset finish() override {
    auto origin = svm_origin(files_, table_->num_columns(), place_.first_input_row, first_lines_);
    return std::move(*table_).finish_share(place_.first_input_row, own_.num_rows, whole_, std::move(origin));
  }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

  std::vector<std::string> names_;  // of all files
  std::size_t bytes_ = 0;
  std::vector<SvmFile> files_;  // of this share
  std::vector<Index> file_of_;  // of each of these, which it is of all
  SvmCounts own_;
  std::optional<Table> table_;
  std::vector<Index> first_lines_;
};

}  // namespace

std::unique_ptr<ShareSource> libsvm_share(ShareInput input) {
  return std::make_unique<LibsvmShare>(std::move(input));
}

Dataset read_libsvm(std::span<const std::filesystem::path> paths, const std::string& name,
                    const ReadOptions& options, const Executor& executor, const Observer& observer,
                    std::size_t chunk_bytes) {
  std::vector<SvmFile> files;
  std::size_t bytes = 0;
  for (const std::filesystem::path& path : paths) bytes += files.emplace_back(path).mapped->bytes().size();
  const SvmCounts counts = count_rows(files, chunk_bytes, executor);
  if (counts.num_rows == 0) throw DataError(name + kNoRows);
  check_dense_size(counts.num_rows, counts.max_index, bytes, name);
  Table table(name, assign_roles(svm_names(counts.max_index), options, name), options, executor.memory());
  for (const SvmFile& file : files)
    if (files.size() > 1) table.add_file(file.name, file.first_row);
  table.allocate(counts.num_rows);
  // Lines that name no index may still be malformed: that is said first.
  if (const auto bad = fill_rows(files, table, executor, observer))
    throw_bad_row(table, bad->bad_row, bad->lines + 1);
  if (counts.max_index == 0) throw DataError(name + kNoFeatures);
  note_empty_files(table, counts.num_rows);
  auto origin = svm_origin(files, table.num_columns(), 0, std::vector<Index>(files.size(), 1));
  return std::move(table).finish(counts.num_rows, std::move(origin));
}

}  // namespace giga
