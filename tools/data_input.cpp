#include "data_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "giga/base/text.hpp"
#include "support/exit_codes.hpp"
#include "support/signals.hpp"

namespace giga::tool {

void while_shown(const std::filesystem::path& input, Progress& progress,
                 const std::function<void(const Observer&)>& read) {
  constexpr Index kMegabyte = 1'000'000;
  const std::string what = input == "-" ? "reading standard input" : "reading " + printable_path(input);
  progress.begin(what);
  std::once_flag sized;
  read([&](const StageProgress& at) {
    std::call_once(sized, [&] {
      if (at.total > 0) progress.begin(what, at.total / kMegabyte, "MB");
    });
    progress.update(at.done / kMegabyte, 0, "");
    return stop_requested() ? Answer::Stop : Answer::Continue;
  });
}

Dataset load_data(const std::filesystem::path& input, const ReadOptions& read, const Executor& executor,
                  Progress& progress) {
  std::optional<Dataset> data;
  try {
    while_shown(input, progress,
                [&](const Observer& shown) { data = read_dataset(input, read, executor, shown); });
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
