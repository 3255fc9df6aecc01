// Parquet files for tests, written by DuckDB itself; without its library such tests are skipped.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "data/duckdb_library.hpp"
#include "data/duckdb_session.hpp"

#define GIGA_NEEDS_DUCKDB()        \
  if (!giga::duck::is_installed()) \
  GTEST_SKIP() << "libduckdb.so is not installed: scripts/install-dependencies --parquet"

namespace giga::test {

/// The result of a query as a file, in its order. `options` are those of COPY: "ROW_GROUP_SIZE 2048".
inline void write_parquet(const std::filesystem::path& path, const std::string& query,
                          const std::string& options = {}) {
  const duck::Session session(1);
  session.run("SELECT setseed(0.25)");
  session.run("COPY (" + query + ") TO " + duck::quoted(path.string()) + " (FORMAT parquet" +
              (options.empty() ? "" : ", " + options) + ")");
}

/// The same as CSV, as DuckDB writes it: NULL is an empty field.
inline void write_csv(const std::filesystem::path& path, const std::string& query) {
  const duck::Session session(1);
  session.run("SELECT setseed(0.25)");
  session.run("COPY (" + query + ") TO " + duck::quoted(path.string()) + " (FORMAT csv, HEADER)");
}

}  // namespace giga::test
