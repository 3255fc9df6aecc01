// Options from a file.
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/npy_files.hpp"

namespace giga::test {
namespace {

class Config : public ::testing::Test {
 protected:
  Config() { write_file(folder_ / "V.npy", npy_of(whole_numbers(60, 20, -9, 9))); }

  [[nodiscard]] Outcome build(const std::string& config, std::vector<std::string> more = {}) const {
    write_file(folder_ / "build.toml", config);
    std::vector<std::string> all = {"build", "--vectors", "V.npy", "--config", "build.toml"};
    all.insert(all.end(), more.begin(), more.end());
    return run(Launch{.arguments = all, .folder = folder_.path()});
  }

  void expect_refused(const std::string& config, const std::string& message) const {
    const Outcome outcome = build(config);
    EXPECT_EQ(outcome.code, 64) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error, "giga: error: " + message + "\n");
  }

  TempDir folder_;
};

TEST_F(Config, FileSetsOptionsAndTheCommandLineWins) {
  const auto plain = run(Launch{.arguments = {"build", "--vectors", "V.npy", "--size", "7", "--quiet"},
                                .folder = folder_.path()});
  EXPECT_EQ(count_of(plain.out, "\n"), 8);
  EXPECT_EQ(build("# seven points\nsize = 7\nquiet = true\n").out, plain.out);
  EXPECT_EQ(build("[build]\nsize=7\nquiet\n").out, plain.out);
  EXPECT_EQ(build("size = 3\nmax_steps = 1000\n", {"--size", "7"}).out, plain.out);
}

TEST_F(Config, MissingFileIsNoInput) {
  const auto outcome = run({"build", "--vectors", "V.npy", "--config", "/nonexistent/c.toml"});
  EXPECT_EQ(outcome.code, 66);
  EXPECT_EQ(outcome.error, "giga: error: /nonexistent/c.toml: no such file; check the path\n");
}

TEST_F(Config, UnknownKeysAndSectionsAreRefused) {
  expect_refused("sise = 7\n", "build.toml, line 1: unknown key 'sise'; did you mean size?");
  expect_refused("config = other.toml\n", "build.toml: unknown key 'config'");
  expect_refused(
      "[bild]\nsize = 7\n",
      "build.toml, line 1: unknown section [bild]; put the options under [build] or under no heading");
}

TEST_F(Config, ValuesAreCheckedAsOnTheCommandLine) {
  expect_refused("size = 0\n",
                 "build.toml, line 1: --size is 0; must be a whole number from 1 to 1000000000");
  expect_refused("quiet = maybe\n", "build.toml, line 1: --quiet is 'maybe'; must be true or false");
  expect_refused("size = 7\nseed = 1\nsize = 8\n", "build.toml: 'size' is given twice");
  expect_refused(
      "size = 7, 8\n",
      "build.toml, line 1: 'size' has 2 values; give it once, with one value, quoted if there are spaces "
      "in it");
}

TEST_F(Config, EmptyFileChangesNothing) {
  EXPECT_EQ(build("").out, build("# nothing\n").out);
  EXPECT_EQ(build("").code, 0);
}

}  // namespace
}  // namespace giga::test
