// A small table for tests of whole jobs.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>

#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {

/// id,distance,wind,late: two features far from mean 0 and standard deviation 1, and a label that depends on
/// both.
inline void write_flights(const std::filesystem::path& path, int rows, std::uint64_t seed = 1) {
  std::string text = "id,distance,wind,late\n";
  Stream random = stream(seed, "flights");
  for (int n = 0; n < rows; ++n) {
    const double distance = 900 + 300 * random.normal(), wind = 10 + 4 * random.normal();
    const double s = 0.002 * (distance - 900) + 0.2 * (wind - 10) - 0.5;
    text.append("f").append(std::to_string(n)).append(",").append(shortest(distance)).append(",");
    text.append(shortest(wind)).append(random.uniform() < 1 / (1 + std::exp(-s)) ? ",1\n" : ",0\n");
  }
  write_file(path, text);
}

}  // namespace giga::test
