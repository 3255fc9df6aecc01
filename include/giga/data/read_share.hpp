// A share of a table: one of K processes reads its part of the same input, and all of them agree on what only
// all rows can tell (kinds and levels of columns, what is missing, the first error).
//
//   const SharedRows own = read_shares("parts/*.csv", options, executor);     on every rank of the executor
//
// or, with an exchange of one's own,
//
//   ShareReader reader("parts/*.csv", options, {.index = rank, .count = ranks}, threads);
//   do {
//     all = merged over ranks, in their order, of reader.read();
//   } while (!reader.agrees(all));
//   const Dataset data = std::move(reader).finish();
//
// The shares in order are exactly the rows that read_dataset reads, with the same bits, levels, notes and
// messages. Shares are ranges of bytes: of a plain CSV file cut at the ends of rows (a line end in quotes is
// none), of a libsvm file at the ends of lines; .npy files are cut by rows; .gz and .npz files are read whole
// by the share that their first byte falls to. Once is most often enough; further rounds are needed where a
// column turns out to be something other than its first rows were, where a share begins inside quotes, and
// once for libsvm files, whose number of columns is that of all rows.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "giga/data/read_dataset.hpp"

namespace giga {

struct TableFacts;
class ShareSource;

/// Which share of how many.
struct TableShare {
  Index index = 0;
  Index count = 1;
};

/// What shares tell each other: a few KB, and the levels of categories.
class ShareFacts {
 public:
  explicit ShareFacts(std::shared_ptr<const TableFacts> facts) : facts_(std::move(facts)) {}

  /// To be sent, and received. Throws std::invalid_argument for bytes that bytes() did not make.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] static ShareFacts of_bytes(std::string_view bytes);

  [[nodiscard]] const TableFacts& operator*() const { return *facts_; }

 private:
  std::shared_ptr<const TableFacts> facts_;
};

/// Of the shares of `before` and those of `after`, which follow them. Associative.
[[nodiscard]] ShareFacts merge(const ShareFacts& before, const ShareFacts& after);

/// Where the rows of a share are among all.
struct SharePlace {
  Index first_input_row = 0;  ///< Input rows of the shares before it.
  Index first_row = 0;        ///< Those that were not dropped.
  Index num_rows = 0;         ///< Of all shares, without dropped ones.
};

class ShareReader {
 public:
  /// Looks at the beginning of every file. Throws what read_dataset throws at once, and OptionError for
  /// standard input, queries and Parquet, which are not read in shares. `options` and `executor` must outlive
  /// the reader.
  ShareReader(const std::filesystem::path& path, const ReadOptions& options, const TableShare& share,
              const Executor& executor, const Observer& observer = {});
  ShareReader(ShareReader&&) noexcept;
  ~ShareReader();

  /// Reads the rows of this share. What is wrong with a row is told, not thrown.
  [[nodiscard]] ShareFacts read();

  /// `all` is merged from what every share has read. False: all shares are to read again. Throws, in every
  /// share the same, what read_dataset throws of the rows.
  [[nodiscard]] bool agrees(const ShareFacts& all);

  /// The rows of this share, after agrees() was true; there may be none. input_row() counts all input rows,
  /// places are those of the whole table, and so are columns and levels; notes are those of the whole table
  /// in every share.
  [[nodiscard]] Dataset finish() &&;

  /// After agrees() was true.
  [[nodiscard]] SharePlace place() const;

 private:
  std::unique_ptr<ShareSource> source_;
};

/// The rows of one rank.
struct SharedRows {
  Dataset data;
  SharePlace place;
};

/// Each rank of the executor reads its share; called by all of them. An error on any rank is thrown on all:
/// of errors in the rows that of the first, which is the one that read_dataset throws.
[[nodiscard]] SharedRows read_shares(const std::filesystem::path& path, const ReadOptions& options,
                                     const Executor& executor, const Observer& observer = {});

/// The table that ranks share; called by all of them. Each reads its share, and then holds the rows that are
/// its own (Executor::own_rows). Every rank reads all rows, and holds them, where there are few of them, or
/// one rank, or an input that is not read in shares: standard input, queries and Parquet.
[[nodiscard]] Dataset read_shared(const std::filesystem::path& path, const ReadOptions& options,
                                  const Executor& executor, const Observer& observer = {});

}  // namespace giga
