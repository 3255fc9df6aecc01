#include "experiments/trial_store.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/output_file.hpp"

namespace giga::experiments {
namespace {

namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw DataError(printable_path(path) + ": is not a whole JSON file; remove it and --resume");
  return json;
}

// The first setting that differs, for the message.
std::string difference(const Json& before, const Json& now) {
  for (const auto& [key, value] : now.items()) {
    if (!before.contains(key)) return key;
    if (before[key] != value)
      return fmt::format("{}: {} before, {} now", key, before[key].dump(), value.dump());
  }
  return "settings.json";
}

}  // namespace

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) throw CannotCreate(printable_path(folder) + ": cannot make the folder: " + error.message());
}

void write_whole(const fs::path& path, std::string_view content) {
  OutputFile file(path, true);
  file.write(content);
  file.commit();
}

void check_earlier(const fs::path& folder, const Json& settings, Earlier earlier) {
  const fs::path record = folder / "settings.json";
  std::error_code ignored;
  if (earlier == Earlier::Replace || !fs::exists(record, ignored)) return;
  const std::string name = printable_path(folder);
  if (earlier == Earlier::Refuse)
    throw CannotCreate(name + ": has an earlier run; --resume goes on with it, --force begins anew");
  const Json before = read_json(record);
  if (before != settings)
    throw CannotCreate(
        fmt::format("{}: was begun with other settings ({}); take those, another --out, or "
                    "--force to begin anew",
                    name, printable(difference(before, settings), 200)));
}

TrialStore::TrialStore(fs::path folder, const Json& settings, Earlier earlier) : folder_(std::move(folder)) {
  check_earlier(folder_, settings, earlier);
  const fs::path record = folder_ / "settings.json";
  std::error_code ignored;
  if (earlier == Earlier::Replace && fs::exists(record, ignored)) {
    fs::remove(record, ignored);  // first: what is left is then no run
    for (const char* part : {"trials", "times"}) fs::remove_all(folder_ / part, ignored);
  }
  make_folder(folder_);
  make_folder(folder_ / "trials");
  make_folder(folder_ / "times");
  write_whole(record, settings.dump(1) + "\n");
}

fs::path TrialStore::path(const char* kind, const std::string& name) const {
  return folder_ / kind / (name + ".json");
}

bool TrialStore::has(const std::string& name) const {
  std::error_code ignored;
  return fs::exists(path("trials", name), ignored) && fs::exists(path("times", name), ignored);
}

void TrialStore::save(const std::string& name, const Json& result, const Json& times) const {
  write_whole(path("times", name), times.dump(1) + "\n");
  write_whole(path("trials", name), result.dump(1) + "\n");
}

Json TrialStore::result(const std::string& name) const {
  return read_json(path("trials", name));
}

Json TrialStore::times(const std::string& name) const {
  return read_json(path("times", name));
}

std::string trial_name(const std::string& what, long trial) {
  return fmt::format("{}_{:02}", what, trial + 1);
}

}  // namespace giga::experiments
