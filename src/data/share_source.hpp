// A share of an input of some format.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/file_state.hpp"
#include "data/share_facts.hpp"
#include "data/table.hpp"
#include "giga/data/read_share.hpp"

namespace giga {

/// Files of one format, and which share of them.
struct ShareInput {
  std::vector<std::filesystem::path> files;
  std::string name;  ///< Stands for all of them in messages.
  const ReadOptions& options;
  TableShare share;
  const Executor& executor;
  Observer observer;
  FileStates states;  ///< Of the files, before they were read.
};

class ShareSource {
 public:
  explicit ShareSource(ShareInput input) : input_(std::move(input)) {}
  ShareSource(const ShareSource&) = delete;
  ShareSource& operator=(const ShareSource&) = delete;
  virtual ~ShareSource() = default;

  [[nodiscard]] virtual TableFacts read() = 0;
  [[nodiscard]] virtual bool agrees(const TableFacts& all) = 0;
  [[nodiscard]] virtual Dataset finish() = 0;
  [[nodiscard]] const SharePlace& place() const { return place_; }
  /// Throws IoError if a file was written to since its state was noted, or part of it could not be read.
  void require_unchanged() const { input_.states.require_unchanged(); }

 protected:
  /// Bytes [begin, end) of all files, one after the other, that fall to the share: of files with these sizes.
  struct Range {
    Index file;
    std::size_t begin, end;  ///< Of the file.
  };
  [[nodiscard]] std::vector<Range> byte_ranges(const std::vector<std::size_t>& sizes) const;
  /// What the table has found in its rows; part k has facts.parts[k].rows of them. `lines` counts the line
  /// ends before a row in its part, -1 if that is not known.
  void tell_rows(Table& table, const std::function<Index(std::size_t part, Index row)>& lines,
                 TableFacts& facts) const;
  /// The part of facts.parts that a row of this share is in.
  [[nodiscard]] static FactPlace place_in(const TableFacts& facts, Index row, Index lines);

  /// Throws what is wrong with all rows, bad ones aside: missing cells and weights. Sets the whole and the
  /// place of the share.
  void judge(const Table& table, const TableFacts& all, const Agreement& agreement);

  /// The same, and bad rows before it, for files of numbers.
  void judge_numbers(Table& table, const TableFacts& all, const Agreement& agreement);

  ShareInput input_;
  WholeTable whole_;
  SharePlace place_;
};

[[nodiscard]] std::unique_ptr<ShareSource> csv_share(ShareInput input);
[[nodiscard]] std::unique_ptr<ShareSource> npy_share(ShareInput input);
[[nodiscard]] std::unique_ptr<ShareSource> npz_share(ShareInput input);
[[nodiscard]] std::unique_ptr<ShareSource> libsvm_share(ShareInput input);

}  // namespace giga
