// libsvm: a line of letters (d: drop rows with missing cells, f: feature x1 alone, b: indices of five digits
// and more, which take long, are read), then the file. Laws: chunks of any size give one table or one
// message; numbers are those of a reader that takes a line at a time.
#include <cmath>
#include <map>
#include <sstream>

#include "data/csv_header.hpp"
#include "data/libsvm.hpp"
#include "data/number_parse.hpp"
#include "fuzz/support/memory_files.hpp"
#include "fuzz/support/table_laws.hpp"
#include "fuzz/support/target.hpp"
#include "giga/base/threads.hpp"

namespace giga::fuzz {
namespace {

const std::string kName = "fuzz.svm";

// A line that has anything: its label, and the values it names, all as text.
struct Line {
  std::string label;
  std::map<Index, std::string> values;
};

std::vector<Line> lines_of(std::string_view file) {
  file.remove_prefix(skip_byte_order_mark(file, kName));
  std::vector<Line> lines;
  std::istringstream in{std::string(file)};
  for (std::string text; std::getline(in, text);) {
    std::istringstream words(text.substr(0, text.find('#')));
    Line line;
    if (!(words >> line.label)) continue;
    for (std::string word; words >> word;) {
      const std::size_t colon = word.find(':');
      require(colon != std::string::npos, "lines of a table that was read are index:value");
      line.values[std::stoll(word.substr(0, colon))] = word.substr(colon + 1);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

double number(const std::string& text) {
  const CellValue cell = parse_cell(text);
  if (cell.kind == CellKind::Missing) return std::nan("");
  require(cell.kind == CellKind::Number, "numbers of a table that was read are numbers");
  return cell.value;
}

void require_lines(const Dataset& data, std::string_view file, bool drop) {
  Index n = 0, row = 0;
  for (const Line& line : lines_of(file)) {
    std::vector<double> values;
    for (Index d = 0; d < data.num_features(); ++d) {
      const auto found = line.values.find(d + 1);
      values.push_back(found == line.values.end() ? 0 : number(found->second));
    }
    values.push_back(number(line.label));
    const bool missing = std::ranges::any_of(values, [](double value) { return std::isnan(value); });
    require(!missing || drop, "missing numbers are refused or dropped");
    if (!missing) {
      require(n < data.num_rows() && data.input_row(n) == row, "rows are lines");
      for (Index d = 0; d < data.num_features(); ++d)
        require(same_bits(data.features(n)[d], values[at(d)]), "numbers are those of the line");
      require(same_bits(data.response(n), values.back()), "labels are those of the line");
      ++n;
    }
    ++row;
  }
  require(n == data.num_rows(), "all lines were read");
}

bool has_large_index(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == ':' && digits > 4) return true;
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
  }
  return false;
}

void run(std::string_view input) {
  const std::string_view letters = take_line(input);
  if (letters.find('b') == std::string_view::npos && has_large_index(input)) return;
  ReadOptions options;
  const bool drop = letters.find('d') != std::string_view::npos;
  if (drop) options.missing = Missing::Drop;
  if (letters.find('f') != std::string_view::npos) options.features = {"x1"};
  const MemoryFile file(kName, input);
  const std::filesystem::path path(kName);
  const auto read = [&](std::size_t chunk) {
    return attempt([&] { return read_libsvm({&path, 1}, kName, options, Serial(), {}, chunk); });
  };
  const auto [data, why] = read(std::size_t{1} << 20);
  const auto [cut, why_cut] = read(1 + input.size() % 13);
  if (why != why_cut) broken("chunks do not matter: '" + why + "' and '" + why_cut + "'");
  if (!data) return;
  require_sound(*data);
  require_same(*data, *cut, "chunks do not matter");
  if (!is_small(*data)) return;
  require_lines(*data, input, drop);
  (void)data->cells(std::vector<Index>{data->num_rows() - 1, 0});
}

}  // namespace
}  // namespace giga::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  giga::fuzz::run(giga::fuzz::text_of(data, size));
  return 0;
}
