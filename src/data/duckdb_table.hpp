// Tables that DuckDB reads: Parquet files, and the results of queries.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/duckdb_session.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga {

/// The table that a query gives.
struct DuckSource {
  std::string name = {};                 ///< For messages.
  std::vector<std::string> before = {};  ///< Statements for what the query takes for granted.
  std::string query = {};
  int threads = 1;
  std::size_t bytes = 0;                ///< Of the files, if they are known,
  Index num_rows = -1;                  ///< as are the rows there must be.
  std::vector<std::string> notes = {};  ///< What to say of it.
  /// Throws what an error of the query means.
  std::function<void(const duck::DuckError&)> refuse = {};
};

/// Only the columns that are used are fetched. The session is that of the reading alone.
[[nodiscard]] Dataset read_duck_table(const duck::Session& session, DuckSource source,
                                      const ReadOptions& options, const Executor& executor,
                                      const Observer& observer);

/// The .parquet files of a folder by name, but hidden ones and those that begin with _; of a file that file;
/// of several those of each. Throws InputMissing if there is none.
[[nodiscard]] std::vector<std::filesystem::path> parquet_files(std::span<const std::filesystem::path> paths);

/// A table function of DuckDB that reads these.
[[nodiscard]] std::string parquet_scan(const std::vector<std::filesystem::path>& files);

/// `name` stands for all of them in messages.
[[nodiscard]] Dataset read_parquet(std::span<const std::filesystem::path> paths, const std::string& name,
                                   const ReadOptions& options, const Executor& executor,
                                   const Observer& observer);

/// `options.sql` over the file, if the path is not empty, and whatever else it names.
[[nodiscard]] Dataset read_query(const std::filesystem::path& path, const ReadOptions& options,
                                 const Executor& executor, const Observer& observer);

}  // namespace giga
