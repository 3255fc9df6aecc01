// What each rank knows is a list of facts, each a line of text. Their digests are compared first; only where
// these differ do the texts travel, and the first fact that differs is told.
#include "programs/one_mind.hpp"

#include <array>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "programs/build_id.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongest = 10000;  // of a word

std::string size_of(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return "is a folder";
  if (!fs::exists(path, error)) return "is not there";
  const auto bytes = fs::file_size(path, error);
  return error ? "is no file" : "has " + std::to_string(bytes) + " bytes";
}

// Facts of the program, then one for each word: all ranks that agree on the words have as many.
std::vector<std::string> facts(int argc, char** argv) {
  const std::string build = build_id();
  std::vector<std::string> out{
      "runs giga " + std::string(version()),
      build.empty() ? "runs a program that " + size_of("/proc/self/exe") : "runs build " + build};
  std::string words;
  for (int i = 1; i < argc; ++i) words.append(" ").append(printable(argv[i], kLongest));
  out.push_back(std::string("was started with").append(words.empty() ? " no arguments" : words));
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const fs::path path = equals == std::string::npos ? word : word.substr(equals + 1);
    out.push_back("sees that " + printable_path(path) + " " + size_of(path));
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::int64_t digest(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return static_cast<std::int64_t>(hash >> 1);
}

[[noreturn]] void refuse(const std::vector<std::string>& texts) {
  const std::vector<std::string> first = lines_of(texts[0]);
  for (std::size_t line = 0; line < first.size(); ++line) {
    for (std::size_t rank = 1; rank < texts.size(); ++rank) {
      const std::vector<std::string> other = lines_of(texts[rank]);
      if (line < other.size() && other[line] == first[line]) continue;
      throw UsageError("the ranks were not started alike: rank 0 " + first[line] + ", rank " +
                       std::to_string(rank) + " " + (line < other.size() ? other[line] : "does not"));
    }
  }
  throw UsageError("the ranks were not started alike");
}

}  // namespace

void require_one_mind(Ranks& ranks, int argc, char** argv) {
  constexpr std::int64_t kTag = 0;
  std::string own;
  std::exception_ptr failure;
  try {
    own = joined(facts(argc, argv));
  } catch (...) {
    failure = std::current_exception();
  }
  ranks.agree(kTag, failure);
  std::array<std::int64_t, 2> digests{digest(own), -digest(own)};
  ranks.largest(digests);
  if (digests[0] != -digests[1]) refuse(ranks.texts(own));
}

}  // namespace giga::tool
