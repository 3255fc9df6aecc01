// Reads the draws of one chain: ours, CmdStan's and rstan's. One pass over the lines; a line is a comment,
// the header, or a row:
//
//   comment   a setting "name = value", the end of adaptation (rows before it were warm-up), or, after a line
//   that
//             announces it, a row of the inverse metric
//   header    the first line that is not a comment: names of columns
//   row       one draw
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "data/csv_header.hpp"
#include "data/csv_row.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/unchanged.hpp"
#include "giga/record/draws_file.hpp"

namespace giga {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// A number, or one of the words for NaN and infinity; nothing for anything else.
std::optional<double> draw_value(std::string_view field) {
  std::string_view text = trimmed(field);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  if (const auto value = parse_double(text)) return value;
  std::string word;
  for (const char c : text) word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool negative = word.starts_with('-');
  if (negative) word.erase(0, 1);
  if (word == "nan" || (word == "na" && !negative)) return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf" || word == "infinity")
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return std::nullopt;
}

// Invariant between lines: file_ has what the lines so far say; rows_ and line_ count them for messages.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : name_(printable_path(path)) {
    const MappedFile mapped = MappedFile::open(path);
    of_unchanged(mapped, [&] {
      text_ = {reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()};
      text_.remove_prefix(skip_byte_order_mark(text_, name_));
      ends_with_newline_ = text_.ends_with('\n');
      while (!text_.empty()) {
        const std::size_t end = std::min(text_.find('\n'), text_.size());
        ++line_;
        take_line(text_.substr(0, end));
        text_.remove_prefix(std::min(end + 1, text_.size()));
      }
      finish();
    });
  }

  DrawsFile take() { return std::move(file_); }

 private:
  void take_line(std::string_view line) {
    const std::string_view content = trimmed(line);
    if (content.empty()) return;
    if (content[0] == '#') {
      last_is_row_ = false;
      return take_comment(trimmed(content.substr(1)));
    }
    metric_lines_ = false;
    last_is_row_ = has_header_;
    if (!has_header_) return take_header(content);
    take_row(content);
  }

  // In this order: the end of adaptation, the announcement of the metric, a setting, a row of the metric.
  void take_comment(std::string_view comment) {
    if (comment.starts_with("Adaptation terminated")) {
      drop_warmup();
      adapted_ = true;
      return;
    }
    if (comment.find("lements of inverse mass matrix") != std::string_view::npos) {
      metric_lines_ = true;
      file_.chain.metric = comment.starts_with("Diagonal") ? MetricKind::Diagonal : MetricKind::Dense;
      file_.chain.inverse_metric.clear();
      return;
    }
    const std::size_t equals = comment.find('=');
    if (equals != std::string_view::npos) return take_setting(comment, equals);
    if (metric_lines_ && !take_metric_line(comment)) metric_lines_ = false;
  }

  void take_setting(std::string_view comment, std::size_t equals) {
    const std::string_view name = trimmed(comment.substr(0, equals));
    std::string_view value = trimmed(comment.substr(equals + 1));
    if (value.ends_with("(Default)")) value = trimmed(value.substr(0, value.size() - 9));
    if (name == "Step size") {
      file_.chain.step_size = draw_value(value).value_or(0);
    } else {
      file_.settings.emplace_back(name, value);
    }
  }

  bool take_metric_line(std::string_view comment) {
    std::vector<double> values;
    for (std::size_t at = 0; at <= comment.size();) {
      const std::size_t end = std::min(comment.find(',', at), comment.size());
      const auto value = draw_value(comment.substr(at, end - at));
      if (!value) return false;
      values.push_back(*value);
      at = end + 1;
    }
    auto& metric = file_.chain.inverse_metric;
    metric.insert(metric.end(), values.begin(), values.end());
    return true;
  }

  void take_header(std::string_view line) {
    CsvRow row = split_row(line, ',');
    if (!row.problem.empty()) throw DataError(name_ + ": line " + std::to_string(line_) + row.problem);
    const bool numbers = std::all_of(row.cells.begin(), row.cells.end(),
                                     [](const std::string& cell) { return draw_value(cell).has_value(); });
    if (numbers)
      throw DataError(name_ + ": line " + std::to_string(line_) + " has numbers where names are expected ('" +
                      printable(line) + "'); the first line that is no comment has the names of the columns");
    std::map<std::string, std::size_t> seen;
    for (const std::string& cell : row.cells) {
      const auto [first, fresh] = seen.emplace(cell, columns_.size());
      if (!fresh)
        throw DataError(name_ + ": columns " + std::to_string(first->second + 1) + " and " +
                        std::to_string(columns_.size() + 1) + " are both named '" + printable(cell) +
                        "'; rename one of them");
      take_name(cell);
    }
    if (file_.names.empty())
      throw DataError(name_ + ": has no parameters, only columns that end in '__'; is it a file of draws?");
    file_.chain.dim = std::ssize(file_.names);
    has_header_ = true;
  }

  void take_name(const std::string& name) {
    const auto known = std::find(kSamplerColumns.begin(), kSamplerColumns.end(), name);
    if (known != kSamplerColumns.end()) {
      file_.sampler_columns.push_back(name);
      columns_.push_back({name, static_cast<int>(known - kSamplerColumns.begin())});
    } else if (name.ends_with("__")) {
      columns_.push_back({name, kIgnored});
    } else {
      file_.names.push_back(name);
      columns_.push_back({name, kParameter});
    }
  }

  void take_row(std::string_view line) {
    ++rows_;
    const auto fields = std::count(line.begin(), line.end(), ',') + 1;
    if (fields != std::ssize(columns_))
      throw DataError(name_ + ": " + place() + " has " + std::to_string(fields) +
                      (fields == 1 ? " field" : " fields") + ", expected " + std::to_string(columns_.size()) +
                      "; the file is damaged or was cut short: run the chain again");
    DrawStats stats;
    std::size_t at = 0;
    for (const ColumnOf& column : columns_) {
      const std::size_t end = std::min(line.find(',', at), line.size());
      take_field(column, line.substr(at, end - at), stats);
      at = end + 1;
    }
    file_.chain.stats.push_back(stats);
  }

  struct ColumnOf {
    std::string name;
    int position;  // in kSamplerColumns, or one of the two below
  };
  static constexpr int kParameter = -1, kIgnored = -2;

  void take_field(const ColumnOf& column, std::string_view field, DrawStats& stats) {
    const auto value = draw_value(field);
    if (!value)
      throw DataError(name_ + ": " + place() + ", column '" + printable(column.name) + "': '" +
                      printable(trimmed(field)) +
                      "' is not a number; the file is damaged: run the chain again");
    switch (column.position) {
      case kParameter: file_.chain.draws.push_back(*value); break;
      case 0: stats.log_density = *value; break;
      case 1: stats.accept_stat = *value; break;
      case 2: stats.step_size = *value; break;
      case 3: stats.tree_depth = whole(column, field, *value); break;
      case 4: stats.num_leapfrog = whole(column, field, *value); break;
      case 5: stats.divergent = whole(column, field, *value) != 0; break;
      case 6: stats.energy = *value; break;
      default: break;
    }
  }

  [[nodiscard]] Index whole(const ColumnOf& column, std::string_view field, double value) const {
    if (!(value >= 0 && value <= kLargestWhole && value == std::floor(value)))
      throw DataError(name_ + ": " + place() + ", column '" + column.name + "': '" +
                      printable(trimmed(field)) +
                      "' is not a whole number from 0; the file is damaged: run the chain again");
    return static_cast<Index>(value);
  }

  [[nodiscard]] std::string place() const {
    return "row " + std::to_string(rows_) + " (line " + std::to_string(line_) + ")";
  }

  // All rows so far were warm-up.
  void drop_warmup() {
    if (adapted_) return;
    // Only the first block of adaptation ends the warm-up.
    file_.num_warmup_rows = file_.chain.num_draws();
    file_.chain.draws.clear();
    file_.chain.stats.clear();
  }

  [[nodiscard]] std::optional<Index> count_setting(std::string_view name) const {
    const auto text = file_.setting(name);
    Index value = 0;
    if (!text) return std::nullopt;
    const auto result = std::from_chars(text->data(), text->data() + text->size(), value);
    if (result.ec != std::errc{} || value < 0 || static_cast<double>(value) > kLargestWhole)
      return std::nullopt;
    return value;
  }

  // Chains without adaptation have no block between warm-up and draws: then the settings say how
  // many rows are warm-up.
  void drop_unmarked_warmup() {
    const auto saved = file_.setting("save_warmup");
    const auto warmup = count_setting(file_.setting("iter") ? "warmup" : "num_warmup");
    if (adapted_ || !saved || (*saved != "1" && *saved != "true") || !warmup) return;
    const Index rows = std::min(kept_of(*warmup), file_.chain.num_draws());
    file_.chain.draws.erase(file_.chain.draws.begin(), file_.chain.draws.begin() + rows * file_.chain.dim);
    file_.chain.stats.erase(file_.chain.stats.begin(), file_.chain.stats.begin() + rows);
    file_.num_warmup_rows = rows;
  }

  [[nodiscard]] Index kept_of(Index transitions) const {
    // ceil(transitions / thin).
    const Index thin = std::max<Index>(count_setting("thin").value_or(1), 1);
    return transitions / thin + (transitions % thin > 0 ? 1 : 0);
  }

  // CmdStan has num_samples; rstan has iter, warm-up included.
  [[nodiscard]] std::optional<Index> promised() const {
    if (const auto samples = count_setting("num_samples")) return kept_of(*samples);
    const auto iterations = count_setting("iter"), warmup = count_setting("warmup");
    if (!iterations || !warmup || *warmup > *iterations) return std::nullopt;
    return kept_of(*iterations - *warmup);
  }

  // Samplers end every line they write. A last row without an end is one that was cut, perhaps in its last
  // number, which nothing else would show.
  void finish() {
    if (!has_header_) throw DataError(name_ + ": has no line of names; is it a file of draws?");
    drop_unmarked_warmup();
    if (file_.setting("metric") == "unit_e") file_.chain.metric = MetricKind::Unit;
    if (const auto text = file_.setting("e_bfmi_of_all_transitions"))
      file_.chain.e_bfmi = draw_value(*text).value_or(file_.chain.e_bfmi);
    const Index draws = file_.chain.num_draws();
    if (draws == 0) throw DataError(name_ + ": 0 draws after warm-up; run the chain again");
    const auto wanted = promised();
    if (!wanted) return;
    const bool cut = last_is_row_ && !ends_with_newline_;
    if (!cut && draws >= *wanted) return;
    throw DataError(name_ + ": ends " + (cut ? "in the middle of " : "after ") + place() + ", draw " +
                    std::to_string(draws) + " of the " + std::to_string(*wanted) +
                    " that its header promises; the chain was stopped or the file cut short: run it again");
  }

  std::string name_;
  std::string_view text_;
  Index line_ = 0, rows_ = 0;
  bool has_header_ = false, adapted_ = false, metric_lines_ = false;
  bool ends_with_newline_ = false, last_is_row_ = false;
  std::vector<ColumnOf> columns_;
  DrawsFile file_;
};

}  // namespace

DrawsFile read_draws(const std::filesystem::path& path) {
  return Reader(path).take();
}

void require_same_shape(const std::vector<DrawsFile>& files,
                        const std::vector<std::filesystem::path>& paths) {
  for (std::size_t k = 1; k < files.size(); ++k) {
    const DrawsFile &first = files[0], &other = files[k];
    const std::string both = printable_path(paths[k]) + " and " + printable_path(paths[0]);
    if (first.names.size() != other.names.size())
      throw DataError(both + ": have " + std::to_string(other.names.size()) + " and " +
                      std::to_string(first.names.size()) + " parameters; give the chains of one model");
    const auto differ = std::mismatch(first.names.begin(), first.names.end(), other.names.begin());
    if (differ.first != first.names.end())
      throw DataError(both + ": have '" + printable(*differ.second) + "' and '" + printable(*differ.first) +
                      "' in the same place; give the chains of one model");
    if (first.chain.num_draws() != other.chain.num_draws())
      throw DataError(both + ": have " + std::to_string(other.chain.num_draws()) + " and " +
                      std::to_string(first.chain.num_draws()) + " draws; give chains of one length");
  }
}

}  // namespace giga
