// weights.csv, written and read: one line per draw, chains in order, counted from 1.
#include "giga/record/weights_file.hpp"

#include <algorithm>
#include <string_view>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/unchanged.hpp"

namespace giga {
namespace {

constexpr std::string_view kHeading = "chain,draw,weight\n";

}  // namespace

std::string weights_csv(std::span<const Chain> chains, std::span<const double> weights) {
  std::string csv(kHeading);
  std::size_t at = 0;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    for (Index s = 0; s < chains[c].num_draws() && at < weights.size(); ++s, ++at) {
      csv.append(std::to_string(c + 1)).append(",").append(std::to_string(s + 1)).append(",");
      csv.append(shortest(weights[at])).append("\n");
    }
  }
  return csv;
}

std::vector<double> read_weights(const std::filesystem::path& path) {
  if (!is_present(path)) return {};
  const MappedFile file = MappedFile::open(path);
  return of_unchanged(file, [&] {
    return parse_weights({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, path);
  });
}

std::vector<double> parse_weights(std::string_view text, const std::filesystem::path& path) {
  std::vector<double> weights;
  if (!text.starts_with(kHeading))
    throw DataError(printable_path(path) + ": is not a file of weights; run again");
  for (std::size_t at = kHeading.size() - 1; at + 1 < text.size();) {
    // Invariant: `at` is the newline before the line. Only the last field is read; the order
    // gives chain and draw.
    const std::size_t end = std::min(text.find('\n', at + 1), text.size());
    const std::string_view line = text.substr(at + 1, end - at - 1);
    const auto value = parse_double(line.substr(line.rfind(',') + 1));
    if (!value || *value < 0)
      throw DataError(printable_path(path) + ": '" + printable(line) + "' is not a weight; run again");
    weights.push_back(*value);
    at = end;
  }
  return weights;
}

}  // namespace giga
