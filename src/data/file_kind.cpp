// Extensions. That under .gz decides: "flights.tsv.gz" is text with tabs.
#include "data/file_kind.hpp"

#include <algorithm>
#include <string_view>

namespace giga {
namespace {

constexpr std::string_view kPacked = ".gz";

// Without what says that it is compressed.
std::string unpacked_name(const std::filesystem::path& path) {
  std::string name = lower_name(path);
  if (name.ends_with(kPacked)) name.resize(name.size() - kPacked.size());
  return name;
}

}  // namespace

std::string lower_name(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name;
}

bool is_packed(const std::filesystem::path& path) {
  return lower_name(path).ends_with(kPacked);
}

bool is_tabbed(const std::filesystem::path& path) {
  return unpacked_name(path).ends_with(".tsv");
}

FileKind file_kind(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::string name = lower_name(path);
  if (name.ends_with(".parquet") || std::filesystem::is_directory(path, ignored)) return FileKind::Parquet;
  if (name.ends_with(".npy")) return FileKind::Npy;
  if (name.ends_with(".npz")) return FileKind::Npz;
  if (name.ends_with(".svm") || name.ends_with(".libsvm")) return FileKind::Libsvm;
  const std::string text = unpacked_name(path);
  const bool is_text = text.ends_with(".csv") || text.ends_with(".tsv") || text.ends_with(".txt");
  return is_text ? FileKind::Text : FileKind::Other;
}

}  // namespace giga
