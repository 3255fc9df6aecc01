// A folder of files for DuckDB, and what reading them gives.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "../support/parquet.hpp"
#include "tables.hpp"

namespace giga::test {

inline void expect_same_table(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(bits_of(a), bits_of(b));
  EXPECT_EQ(a.feature_names(), b.feature_names());
  EXPECT_EQ(a.response_name(), b.response_name());
  EXPECT_EQ(a.notes(), b.notes());
  ASSERT_EQ(a.columns().size(), b.columns().size());
  for (std::size_t j = 0; j < a.columns().size(); ++j) {
    EXPECT_EQ(a.columns()[j].name, b.columns()[j].name);
    EXPECT_EQ(a.columns()[j].kind, b.columns()[j].kind) << a.columns()[j].name;
    EXPECT_EQ(a.columns()[j].levels, b.columns()[j].levels) << a.columns()[j].name;
    EXPECT_EQ(a.columns()[j].role, b.columns()[j].role) << a.columns()[j].name;
  }
}

class DuckTables : public ::testing::Test {
 protected:
  void SetUp() override { GIGA_NEEDS_DUCKDB(); }

  [[nodiscard]] Dataset read(const std::string& file, const ReadOptions& options = {}) const {
    return read_dataset(folder_ / file, options, two_threads());
  }
  [[nodiscard]] Dataset query(const std::string& sql, ReadOptions options = {}) const {
    options.sql = sql;
    return read_dataset({}, options, two_threads());
  }
  template <typename Error = DataError>
  [[nodiscard]] std::string refused(const std::string& file, const ReadOptions& options = {}) const {
    const std::string message = message_of<Error>([&] { (void)read(file, options); });
    const std::string folder = folder_.path().string() + "/";
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
  }
  template <typename Error>
  [[nodiscard]] std::string refused_query(const std::string& sql) const {
    return message_of<Error>([&] { (void)query(sql); });
  }
  [[nodiscard]] std::string in(const std::string& file) const {
    return duck::quoted((folder_ / file).string());
  }

  TempDir folder_;
};

}  // namespace giga::test
