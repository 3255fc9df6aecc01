// The paper's real datasets, which lie beside the project and are not part of it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace giga::test {

inline std::filesystem::path shared_data(const std::string& file) {
  return std::filesystem::path(GIGA_SHARED_DATA) / file;
}

}  // namespace giga::test

/// Skips the test, saying so, where the file is not there.
#define GIGA_NEEDS_SHARED(file)                                          \
  if (!std::filesystem::exists(giga::test::shared_data(file)))           \
  GTEST_SKIP() << "the paper's datasets are not beside the project: no " \
               << giga::test::shared_data(file).lexically_normal()
