// Files that appear together, and the record of them last.
//
// Order of a write: all contents to temporary names, flushed; the old record, and what the new run does not
// have, set aside; the new files renamed into place, run.json last. If any of that fails, all is as it was. A
// process killed anywhere leaves either the old run, or files without a record, or the new run: never a
// record that speaks of other files.
#include "giga/record/run_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/input_files.hpp"
#include "giga/data/output_file.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

// The number in draws_<number>.csv, or 0.
long number_in(const std::string& name) {
  constexpr std::string_view kBefore = "draws_", kAfter = ".csv";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return 0;
  const char* end = name.data() + name.size() - kAfter.size();
  long number = 0;
  const auto result = std::from_chars(name.data() + kBefore.size(), end, number);
  return result.ec == std::errc{} && result.ptr == end && number > 0 ? number : 0;
}

// The folder in which it is, or would be, made.
fs::path parent_of(const fs::path& folder) {
  const fs::path plain = folder.has_filename() ? folder : folder.parent_path();  // "out/" is "out"
  return plain.has_parent_path() ? plain.parent_path() : fs::path(".");
}

// A folder that is removed again, if this run made it, unless all went well.
class FolderMade {
 public:
  explicit FolderMade(const fs::path& folder) : folder_(folder), fresh_(make_folder(folder)) {}
  ~FolderMade() {
    std::error_code ignored;
    if (fresh_ && !kept_) fs::remove(folder_, ignored);
  }
  FolderMade(const FolderMade&) = delete;
  FolderMade& operator=(const FolderMade&) = delete;
  void keep() { kept_ = true; }

 private:
  fs::path folder_;
  bool fresh_, kept_ = false;
};

// What a run in the folder replaces or removes: draws that are there, and files with one name in every run.
std::vector<fs::path> replaced_in(const fs::path& folder, std::span<const char* const> more) {
  std::vector<fs::path> paths = draws_in(folder);
  for (const char* name :
       {kRecordFile, kSummaryFile, kCertificateFile, kReportFile, kWeightsFile, kPosteriorFile})
    paths.push_back(folder / name);
  for (const char* name : more) paths.push_back(folder / name);
  return paths;
}

}  // namespace

std::vector<fs::path> draws_in(const fs::path& folder) {
  if (!is_folder(folder)) throw InputMissing(printable_path(folder) + ": no such folder; check the path");
  std::map<long, fs::path> found;
  try {
    for (const fs::path& path : entries_of(folder)) {
      if (const long number = number_in(path.filename().string())) found[number] = path;
    }
  } catch (const CannotCreate& error) {  // without permission
    throw InputMissing(error.what());
  }
  std::vector<fs::path> paths;
  for (const auto& [number, path] : found) paths.push_back(path);
  return paths;
}

void check_run_folder(const fs::path& folder, bool force, std::span<const char* const> more) {
  const std::string name = printable_path(folder);
  if (!is_present(folder)) {
    const fs::path parent = parent_of(folder);
    if (!is_folder(parent))
      throw CannotCreate(name + ": the folder " + printable_path(parent) + " does not exist; make it first");
    if (::access(parent.c_str(), W_OK | X_OK) != 0)
      throw CannotCreate(name + ": no permission to make it in " + printable_path(parent));
    return;
  }
  if (!is_folder(folder)) throw CannotCreate(name + ": is a file; `out` is a folder: give another name");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw CannotCreate(name + ": no permission to write to it");
  const bool used =
      !draws_in(folder).empty() || is_present(folder / kSummaryFile) || is_present(folder / kRecordFile);
  if (used && !force)
    throw CannotCreate(name + ": has the files of an earlier run; use `force` to replace them");
  for (const fs::path& path : replaced_in(folder, more)) {
    if (is_folder(path))
      throw CannotCreate(printable_path(path) + ": is a folder, not a file of a run; give another `out`");
    if (!force && is_present(path))
      throw CannotCreate(printable_path(path) + " exists; use `force` to replace it, or give another `out`");
  }
}

void refuse_input_in_folder(const fs::path& folder, const fs::path& input,
                            std::span<const char* const> more) {
  if (!is_folder(folder)) return;
  for (const fs::path& path : replaced_in(folder, more)) {
    if (is_of_input(path, input))
      throw OptionError("`out` would replace the input " + printable_path(input) + "; give another folder");
  }
}

void refuse_file_of_run(const fs::path& out, const fs::path& folder, const char* made_anew) {
  if (!is_folder(folder)) return;
  std::error_code ignored;
  for (const fs::path& path : replaced_in(folder, kCoresetFiles)) {
    if (path.filename() != made_anew && fs::equivalent(out, path, ignored))
      throw OptionError("`out` would replace " + printable_path(path) +
                        ", a file of the run that is read; give another name");
  }
}

void write_run_folder(const fs::path& folder, bool force, const RunFiles& files) {
  FolderMade made(folder);
  std::vector<std::unique_ptr<OutputFile>> outputs;
  for (const auto& [name, content] : files) {
    outputs.push_back(std::make_unique<OutputFile>(folder / name, force));
    outputs.back()->write(content);
    outputs.back()->finish();
  }
  // Draws of chains that the new run does not have, and a certificate or a report of the old one.
  std::vector<fs::path> stale = draws_in(folder);
  for (const char* name : {kCertificateFile, kReportFile, kWeightsFile, kPosteriorFile})
    stale.push_back(folder / name);
  std::erase_if(stale, [&](const fs::path& path) {
    return std::any_of(files.begin(), files.end(),
                       [&](const auto& file) { return path.filename() == file.first; });
  });
  if (force) stale.insert(stale.begin(), folder / kRecordFile);
  commit_together(outputs, stale);
  made.keep();
}

}  // namespace giga
