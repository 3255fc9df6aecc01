// Runs giga fit on tables, whole, and killed on the way.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cli/data_files.hpp"

namespace giga::test {

namespace fs = std::filesystem;

inline const std::vector<std::string> kModel = {"--family", "bernoulli"};
inline const std::vector<std::string> kShort = {"--warmup", "150", "--draws", "200"};

class FitCommand : public DataCommand {
 protected:
  [[nodiscard]] Outcome fit(std::vector<std::string> arguments, Launch launch = {}) const {
    arguments.insert(arguments.begin(), "fit");
    launch.arguments = std::move(arguments);
    launch.folder = folder_.path();
    return run(launch);
  }

  /// A fit of t.csv to `out` that takes little time.
  [[nodiscard]] std::vector<std::string> usual(const std::string& out,
                                               std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"t.csv", "--out", out};
    for (const auto* part : {&kModel, &kShort}) all.insert(all.end(), part->begin(), part->end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  [[nodiscard]] Outcome command(const std::vector<std::string>& arguments) const {
    return run(Launch{.arguments = arguments, .folder = folder_.path()});
  }

  void write_table(std::ptrdiff_t rows = 2000, std::ptrdiff_t dim = 4) const {
    write_file(folder_ / "t.csv", csv_of(regression_table(rows, dim, ResponseKind::Labels)));
  }

  [[nodiscard]] std::string bytes(const std::string& name) const { return read_file(folder_ / name); }
  [[nodiscard]] nlohmann::json record(const std::string& out) const {
    return nlohmann::json::parse(bytes(out + "/run.json"));
  }

  /// All files of a folder by name; there are no folders in it.
  [[nodiscard]] std::map<std::string, std::string> files(const std::string& out) const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_ / out)) {
      EXPECT_TRUE(entry.is_regular_file()) << entry.path();
      all[entry.path().filename().string()] = read_file(entry.path());
    }
    return all;
  }

  void expect_same_files(const std::string& one, const std::string& two) const {
    const auto first = files(one), second = files(two);
    for (const auto& [name, content] : second) EXPECT_TRUE(first.contains(name)) << name << " is too much";
    ASSERT_EQ(first.size(), second.size());
    for (const auto& [name, content] : first) {
      ASSERT_TRUE(second.contains(name)) << name;
      EXPECT_TRUE(second.at(name) == content) << name << " differs";
    }
  }
};

class KilledFit : public FitCommand {
 protected:
  /// Kills a fit of two rounds at random times, each time going on with it, until it is done; then compares.
  void kill_and_resume(int kills, unsigned seed) {
    write_table(4000, 8);
    kill_and_resume(kills, seed, {"--family", "bernoulli", "--tolerance", "0.7"});
    ASSERT_GE(record("whole")["rounds"].size(), 2U) << "so that rounds are interrupted as well";
  }

  /// The same for any model of t.csv.
  void kill_and_resume(int kills, unsigned seed, const std::vector<std::string>& model) {
    const auto to = [&model](const std::string& out) {
      std::vector<std::string> all = {"t.csv", "--warmup",   "300",   "--draws",
                                      "500",   "--no-times", "--out", out};
      all.insert(all.begin() + 1, model.begin(), model.end());
      return all;
    };
    const auto begun = std::chrono::steady_clock::now();
    const Outcome whole = fit(to("whole"));
    const double whole_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    ASSERT_EQ(whole.code, 0) << whole.error;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> moment(0.0, whole_s);
    int killed = 0;
    for (int attempt = 0; killed < kills && attempt < 10 * kills; ++attempt) {
      const bool resumable = fs::exists(folder_ / "out/partial");
      const bool complete = fs::exists(folder_ / "out/run.json") && !resumable;
      if (complete) {
        // Killed after all was done, a run leaves its lock.
        if (fs::exists(folder_ / "out/.giga-lock")) {
          ASSERT_EQ(fit({"--resume", "out"}).code, 0);
        }
        expect_same_files("whole", "out");
        fs::remove_all(folder_ / "out");
      }
      const bool fresh =
          !fs::exists(folder_ / "out/partial/request.json") && !fs::exists(folder_ / "out/run.json");
      if (fresh) fs::remove_all(folder_ / "out");
      // As a kill in the middle of writing leaves it, which few of the moments meet.
      if (!fresh) write_file(folder_ / "out/.giga-killed.tmp", "half a fi");
      const Outcome outcome = fit(fresh ? to("out") : std::vector<std::string>{"--resume", "out"},
                                  {.arguments = {}, .signal = SIGKILL, .signal_after_s = moment(random)});
      killed += outcome.code == 256 + SIGKILL ? 1 : 0;
      EXPECT_TRUE(outcome.code == 0 || outcome.code == 256 + SIGKILL) << outcome.code << outcome.error;
      expect_whole_files();
    }
    if (fs::exists(folder_ / "out/partial/request.json") || fs::exists(folder_ / "out/run.json")) {
      ASSERT_EQ(fit({"--resume", "out"}).code, 0);
      expect_same_files("whole", "out");
    }
    EXPECT_EQ(killed, kills);
  }

 private:
  /// What is in the folder under its final name is as it will be.
  void expect_whole_files() const {
    if (!fs::exists(folder_ / "out")) return;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
      const std::string name = entry.path().filename().string();
      if (name == "partial" || name.starts_with(".giga-")) continue;
      EXPECT_TRUE(bytes("out/" + name) == bytes("whole/" + name)) << name << " is not whole";
    }
  }
};

}  // namespace giga::test
