// Runs giga fit on one file in a folder of its own and looks at all it leaves there.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/data_files.hpp"

namespace giga::test {

class FitInput : public DataCommand {
 protected:
  using Words = std::vector<std::string>;
  using Files = std::map<std::string, std::string>;  // by path within a folder

// Sanitizers have memory of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr long kMostKilobytes = 1024 * 1024;
#else
  static constexpr long kMostKilobytes = 64 * 1024;
#endif

  static inline const Words kLabels = {"--family", "bernoulli"};
  static inline const Words kReals = {"--family", "gaussian", "--noise-scale", "1"};
  static inline const Words kCounts = {"--family", "poisson"};
  static inline const Words kQuick = {"--draws", "200", "--warmup", "200", "--chains", "2"};

  static Words joined_words(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static std::string usual_table(std::ptrdiff_t rows = 60, ResponseKind kind = ResponseKind::Labels) {
    return csv_of(regression_table(rows, 2, kind));
  }

  [[nodiscard]] Outcome giga(const Words& arguments, Launch launch = {}) const {
    launch.arguments = arguments;
    launch.folder = folder_.path();
    return run(launch);
  }

  /// giga fit FILE ... --out out.
  [[nodiscard]] Outcome fit(const std::string& file, const Words& more, const Launch& launch = {}) const {
    return giga(joined_words({"fit", file, "--out", "out"}, joined_words(kQuick, more)), launch);
  }

  /// Every file in a folder, those of folders within it too.
  [[nodiscard]] Files files_in(const std::string& name) const {
    Files files;
    const std::filesystem::path top = folder_ / name;
    if (!std::filesystem::exists(top)) return files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
      if (entry.is_regular_file())
        files[entry.path().lexically_relative(top).string()] = read_file(entry.path());
    }
    return files;
  }

  static bool has(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  }

  static void expect_words(const std::string& text, const Words& words) {
    for (const std::string& word : words) EXPECT_TRUE(has(text, word)) << text << "  lacks: " << word;
  }

  /// One line on stderr, with the words, and nothing on stdout.
  static void expect_refusal(const Outcome& outcome, int code, const Words& words) {
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.error.starts_with("giga: error: ")) << outcome.error;
    EXPECT_TRUE(outcome.error.ends_with("\n"));
    EXPECT_EQ(count_of(outcome.error, "\n"), 1) << outcome.error;
    expect_words(outcome.error, words);
  }

  /// The file alone is in the folder, and is refused: it is named first, and stays alone.
  Outcome refused(const Words& family, const std::string& file, const std::string& content,
                  const Words& words, const Words& more = {}, int code = 65) const {
    SCOPED_TRACE(file + ": " + printable(content));
    write_file(folder_ / file, content);
    Outcome outcome = fit(file, joined_words(family, more));
    expect_refusal(outcome, code, words);
    EXPECT_TRUE(outcome.error.starts_with("giga: error: " + file + ": ")) << outcome.error;
    EXPECT_LE(outcome.peak_kilobytes, kMostKilobytes + 4 * static_cast<long>(content.size()) / 1024);
    EXPECT_EQ(folder_.size(), 1) << "something beside the input is left";
    EXPECT_EQ(read_file(folder_ / file), content);
    std::filesystem::remove(folder_ / file);
    return outcome;
  }

  struct Fit {
    Outcome outcome;
    Files files;
    nlohmann::json record;
  };

  /// The files of a fit with two chains are all there, whole, and without a NaN.
  void expect_complete(const Files& files) const {
    Words names;
    for (const auto& [name, content] : files) {
      names.push_back(name);
      EXPECT_FALSE(content.empty()) << name;
      const bool numbers = name.ends_with(".csv");
      EXPECT_FALSE(numbers && (has(content, "nan") || has(content, ",inf"))) << name << content;
      const bool json = name.ends_with(".json");
      EXPECT_FALSE(json && nlohmann::json::parse(content, nullptr, false).is_discarded()) << name;
      EXPECT_TRUE(name != "report.html" || content.ends_with("</html>\n"));
    }
    const auto record = nlohmann::json::parse(files.contains("run.json") ? files.at("run.json") : "{}");
    const bool safe = record.value("/certificate/verdict"_json_pointer, "") == "safe";
    EXPECT_EQ(std::erase(names, "posterior.csv"), safe ? 1U : 0U);
    EXPECT_EQ(names, (Words{"coreset.csv", "coreset.json", "draws_1.csv", "draws_2.csv", "report.html",
                            "run.json", "summary.csv", "weights.csv"}));
  }

  /// Must succeed, say every note, and leave the input and `out` alone in the folder, which is empty again
  /// afterwards.
  Fit fitted(const Words& family, const std::string& file, const std::string& content,
             const Words& notes = {}, const Words& more = {}, const Launch& launch = {}) const {
    SCOPED_TRACE(file + ": " + printable(content));
    write_file(folder_ / file, content);
    Fit result{fit(file, joined_words(family, more), launch), files_in("out"), {}};
    EXPECT_EQ(result.outcome.code, 0) << result.outcome.error;
    expect_words(result.outcome.error, notes);
    expect_complete(result.files);
    EXPECT_FALSE(has(result.outcome.out, "nan")) << result.outcome.out;
    EXPECT_LE(result.outcome.peak_kilobytes, kMostKilobytes + 4 * static_cast<long>(content.size()) / 1024);
    EXPECT_EQ(folder_.size(), 2);
    result.record = nlohmann::json::parse(result.files["run.json"], nullptr, false);
    expect_finite_numbers(result.record);
    std::filesystem::remove_all(folder_ / "out");
    std::filesystem::remove(folder_ / file);
    return result;
  }

  /// The same results, whatever the file was called: all but what tells its name and times.
  static void expect_same(const Fit& left, const Fit& right) {
    for (const char* name : {"coreset.csv", "draws_1.csv", "draws_2.csv", "summary.csv", "weights.csv"}) {
      ASSERT_TRUE(left.files.contains(name) && right.files.contains(name)) << name;
      EXPECT_EQ(left.files.at(name), right.files.at(name)) << name;
    }
  }

  /// Nothing may be written to a file beyond this many bytes, as on a disk that is full.
  static Launch with_file_limit(long bytes) {
    Launch launch;
    launch.before = {"/usr/bin/prlimit", "--fsize=" + std::to_string(bytes)};
    return launch;
  }
};

}  // namespace giga::test
