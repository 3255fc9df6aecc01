#include "data_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "giga/base/text.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {

void while_shown(const std::filesystem::path& input, Progress& progress,
                 const std::function<void(const ReadProgress&)>& read) {
  constexpr std::size_t kMegabyte = 1'000'000;
  const std::string what = input == "-" ? "reading standard input" : "reading " + printable_path(input);
  progress.begin(what);
  std::once_flag sized;
  read([&](std::size_t done, std::size_t total) {
    std::call_once(sized, [&] {
      if (total > 0) progress.begin(what, static_cast<Index>(total / kMegabyte), "MB");
    });
    progress.update(static_cast<Index>(done / kMegabyte), 0, "");
  });
}

Dataset load_data(const std::filesystem::path& input, const ReadOptions& read, const Executor& executor,
                  Progress& progress) {
  std::optional<Dataset> data;
  try {
    while_shown(input, progress,
                [&](const ReadProgress& shown) { data = read_dataset(input, read, executor, shown); });
  } catch (const NoSuchColumn& error) {
    throw UsageError(error.what());
  }
  return std::move(*data);
}

void note_lost_columns(const std::filesystem::path& input, const Dataset& data, const Notes& note) {
  const auto unused = std::count_if(data.columns().begin(), data.columns().end(),
                                    [](const Column& column) { return column.role == ColumnRole::Unused; });
  if (input == "-" && unused > 0) {
    note(fmt::format("standard input cannot be read twice: {} unused column{} will be empty in the coreset",
                     unused, unused == 1 ? "" : "s"));
  }
}

}  // namespace giga::tool
