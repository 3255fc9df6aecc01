// Trials as files. A trial counts as finished only when both its files are there; the times are written
// first, so a result without times cannot occur unless a file was removed.
#include "experiments/trial_store.hpp"

#include <fmt/format.h>

#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/output_file.hpp"

namespace giga::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrialAdvice = "remove it and --resume";
constexpr const char* kRunAdvice = "take another --out, or --force to begin anew";

// The first setting that differs, for the message.
std::string difference(const Json& before, const Json& now) {
  for (const auto& [key, value] : now.items()) {
    if (!before.contains(key)) return key;
    if (before[key] != value)
      return fmt::format("{}: {} before, {} now", key, before[key].dump(), value.dump());
  }
  return "settings.json";
}

bool has_trials(const fs::path& folder) {
  for (const fs::path& path : entries_of(folder / "trials"))
    if (path.extension() == ".json") return true;
  return false;
}

// settings.json goes last: as long as it is there, the trials that are left are known to be of that run.
void clear(const fs::path& folder) {
  for (const char* part : {"trials", "times"}) remove_folder(folder / part);
  for (const char* file : {"data.json", "verdicts.md", "verdicts.json", "timing.md", "figures.html"})
    remove_present(folder / file);
  remove_figures(folder, {});
  remove_present(folder / "settings.json");
}

}  // namespace

void remove_figures(const fs::path& folder, const std::set<std::string>& kept) {
  for (fs::path& path : entries_of(folder)) {
    if (path.extension() != ".svg" || kept.contains(path.stem().string())) continue;
    remove_present(path);
    remove_present(path.replace_extension(".csv"));
  }
}

void write_whole(const fs::path& path, std::string_view content) {
  OutputFile file(path, true);
  file.write(content);
  file.commit();
}

Json read_json(const fs::path& path, const char* advice) {
  const auto refuse = [&]() -> void {
    throw DataError(fmt::format("{}: is not a whole JSON file; {}", printable_path(path), advice));
  };
  std::error_code ignored;
  if (fs::is_empty(path, ignored)) refuse();
  const MappedFile file = MappedFile::open(path);
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  Json json = Json::parse(text, text + file.bytes().size(), nullptr, false);
  file.require_unchanged();
  if (json.is_discarded()) refuse();
  return json;
}

void check_earlier(const fs::path& folder, const Json& settings, Earlier earlier) {
  if (earlier == Earlier::Replace) return;
  const fs::path record = folder / "settings.json";
  const std::string name = printable_path(folder);
  if (!is_present(record)) {
    if (has_trials(folder))
      throw CannotCreate(name +
                         ": has trials of an unknown run, without settings.json; --force removes them");
    return;
  }
  if (earlier == Earlier::Refuse)
    throw CannotCreate(name + ": has an earlier run; --resume goes on with it, --force begins anew");
  const Json before = read_json(record, kRunAdvice);
  if (before != settings)
    throw CannotCreate(
        fmt::format("{}: was begun with other settings ({}); take those, another --out, or "
                    "--force to begin anew",
                    name, printable(difference(before, settings), 200)));
}

TrialStore::TrialStore(fs::path folder, const Json& settings, Earlier earlier) : folder_(std::move(folder)) {
  check_earlier(folder_, settings, earlier);
  const fs::path record = folder_ / "settings.json";
  // A folder that is not a run may have other people's files.
  if (earlier == Earlier::Replace && (is_present(record) || has_trials(folder_))) clear(folder_);
  make_folder(folder_);
  make_folder(folder_ / "trials");
  make_folder(folder_ / "times");
  write_whole(record, settings.dump(1) + "\n");
}

fs::path TrialStore::path(const char* kind, const std::string& name) const {
  return folder_ / kind / (name + ".json");
}

bool TrialStore::has(const std::string& name) const {
  return is_present(path("trials", name)) && is_present(path("times", name));
}

void TrialStore::save(const std::string& name, const Json& result, const Json& times) const {
  write_whole(path("times", name), times.dump(1) + "\n");
  write_whole(path("trials", name), result.dump(1) + "\n");
}

Json TrialStore::json_of(const fs::path& path) {
  return read_json(path, kTrialAdvice);
}

void TrialStore::refuse(const fs::path& path, const char* what) {
  throw DataError(fmt::format("{}: is not what a trial of this experiment leaves ({}); {}",
                              printable_path(path), printable(what, 200), kTrialAdvice));
}

std::string trial_name(const std::string& what, long trial) {
  return fmt::format("{}_{:02}", what, trial + 1);
}

}  // namespace giga::experiments
