// Wrong usage of `giga build DATA`, and outputs that cannot be made.
#include "cli/data_files.hpp"

namespace giga::test {
namespace {

using Words = std::vector<std::string>;

class DataUsage : public DataCommand {
 protected:
  DataUsage() { write_file(folder_ / "t.csv", csv_of(regression_table(60, 2, ResponseKind::Labels))); }

  void refused(const Words& words, const std::string& message, int code = 64) const {
    SCOPED_TRACE(joined(words, " "));
    const auto before = folder_.size();
    Words all = words;
    all.insert(all.begin(), "build");
    const auto outcome = run(Launch{.arguments = all, .folder = folder_.path()});
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error, "giga: error: " + message + "\n");
    EXPECT_EQ(folder_.size(), before) << "something is left";
  }

  // With the family, so that it is not what is missed.
  void refused_with(Words words, const std::string& message, int code = 64) const {
    words.insert(words.begin(), {"t.csv", "--family", "bernoulli"});
    refused(words, message, code);
  }
};

TEST_F(DataUsage, FamilyIsNeeded) {
  refused({"t.csv"},
          "--family is needed: bernoulli for labels, poisson for counts, gaussian for real numbers, "
          "binomial for successes among trials, negative_binomial for counts that vary too much for poisson, "
          "gamma for positive numbers, student_t for real numbers with outliers");
  refused({"t.csv", "--family", "bernouli"},
          "--family is 'bernouli'; must be one of bernoulli, poisson, gaussian, binomial, "
          "negative_binomial, gamma, student_t; did you mean bernoulli?");
}

TEST_F(DataUsage, LinksBelongToFamilies) {
  refused({"t.csv", "--family", "bernoulli", "--link", "log"},
          "--link log does not go with --family bernoulli; it takes logit or probit or cloglog");
  refused({"t.csv", "--family", "poisson", "--link", "logit"},
          "--link logit does not go with --family poisson; it takes log or softplus");
  refused({"t.csv", "--family", "gaussian", "--link", "softplus"},
          "--link softplus does not go with --family gaussian; it takes identity");
}

TEST_F(DataUsage, OptionsThatMeanNothingAreRefused) {
  refused_with({"--noise-scale", "2"}, "--noise-scale has no effect with --family bernoulli; leave it out");
  refused_with({"--projection", "random", "--remainder-dim", "5"},
               "--remainder-dim goes with --projection curvature");
  refused_with({"--projection", "curvature", "--projection-dim", "50"},
               "--projection curvature has D(D+3)/2 numbers per row; leave out --projection-dim");
  refused_with({"--projection", "curvature", "--norm", "l2"},
               "--projection curvature is in the whitened norm; leave out --norm");
  refused_with({"--pihat-rows", "5"}, "--pihat-rows goes with --pihat subsample");
  write_file(folder_ / "V.npy", npy_of(whole_numbers(20, 5, -9, 9)));
  for (const Words& option :
       {Words{"--family", "bernoulli"}, Words{"--response", "y"}, Words{"--features", "a"},
        Words{"--weights", "w"}, Words{"--missing", "drop"}, Words{"--delimiter", ";"}, Words{"--no-header"},
        Words{"--pihat", "prior"}, Words{"--norm", "l2"}, Words{"--projection", "random"},
        Words{"--heldout-dim", "5"}}) {
    Words words = {"--vectors", "V.npy"};
    words.insert(words.end(), option.begin(), option.end());
    refused(words, option[0] + " has no effect with --vectors; leave it out");
  }
}

TEST_F(DataUsage, RangesAreNamed) {
  for (const char* value : {"0", "-5", "99999999999999999999"})
    refused_with({"--size", value},
                 std::string("--size is ") + value + "; must be a whole number from 1 to 1000000000");
  refused_with({"--size", "abc"}, "--size is 'abc'; must be a whole number from 1 to 1000000000");
  refused_with({"--seed", "-1"}, "--seed is -1; must be a whole number from 0 to 18446744073709551615");
  refused_with({"--prior-scale", "0"}, "--prior-scale is 0; must be a number from 1e-06 to 1e+06");
  refused_with({"--projection-dim", "1"},
               "--projection-dim is 1; must be auto or a whole number from 2 to 1000000");
  refused_with({"--heldout-dim", "0"}, "--heldout-dim is 0; must be a whole number from 2 to 1000000");
  refused_with({"--delimiter", ";;"}, "--delimiter is ';;'; must be one character such as ';', or tab");
  refused_with({"--missing", "skip"}, "--missing is 'skip'; must be one of refuse, drop");
}

TEST_F(DataUsage, DelimitersThatAreInNumbersAreRefused) {
  for (const std::string c : {"1", ".", "-", "+", "e", "E", "\""})
    refused_with({"--delimiter", c}, "--delimiter is '" + c + "'; must be one character such as ';', or tab");
}

TEST_F(DataUsage, BlanksAroundNamesInAListDoNotMatter) {
  const Words family = {"--family", "bernoulli", "--quiet"};
  const auto chosen = [&](const std::string& file, const std::string& features) {
    Words words = family;
    words.insert(words.end(), {"--features", features});
    return build(file, words);
  };
  const auto plain = chosen("t.csv", "x1,x2");
  EXPECT_EQ(plain.code, 0) << plain.error;
  for (const char* features : {"x1, x2", " x1 ,\tx2 ", "\"x1\", \"x2\" "})
    EXPECT_EQ(chosen("t.csv", features).out, plain.out) << features;
  refused_with({"--features", "x1,\" x2\""}, "t.csv: no column ' x2'; have: x1, x2, y");
  refused_with({"--features", "x1, "}, "--features is 'x1, '; a name in it is empty");
  refused_with({"--features", "x1, x1"}, "--features names 'x1' twice");
  write_file(folder_ / "u.csv", "\" a \",b c,y\n1,2,1\n2,1,0\n3,3,1\n");
  EXPECT_EQ(chosen("u.csv", "\" a \", b c").code, 0);
}

// The blank that a message may propose is one that can be given.
TEST_F(DataUsage, BlanksMayDelimit) {
  const Matrix table = regression_table(60, 2, ResponseKind::Labels);
  write_file(folder_ / "blanks.csv", csv_of(table, " "));
  const auto blanks = build("blanks.csv", {"--family", "bernoulli", "--quiet", "--delimiter", " "});
  EXPECT_EQ(blanks.code, 0) << blanks.error;
  EXPECT_EQ(blanks.out, build("t.csv", {"--family", "bernoulli", "--quiet"}).out);
}

TEST_F(DataUsage, UnknownOptionsGetASuggestion) {
  refused_with({"--sise", "10"}, "unknown option '--sise'; did you mean --size?");
  refused_with({"--feature", "x1"}, "unknown option '--feature'; did you mean --features?");
  refused_with({"--standardize"}, "unknown option '--standardize'; see --help-all for the options");
}

TEST_F(DataUsage, OneInputIsAsked) {
  refused({"t.csv", "u", "--family", "bernoulli"},
          "unexpected argument 'u'; the input is 't.csv', it is no other file, and a formula has a ~");
  refused({"t.csv", "t.csv", "--family", "bernoulli"}, "t.csv: is given twice; name it once");
  refused({"--family", "bernoulli"}, "no input; give DATA, --sql QUERY, --vectors V.npy or --loglik LL.npy");
  refused({"t.csv", "--vectors", "V.npy"}, "both DATA and vectors are given; give one of them");
}

TEST_F(DataUsage, InputIsNeverReplaced) {
  const std::string before = read_file(folder_ / "t.csv");
  refused_with({"--out", "t.csv", "--force"}, "--out is the input file; give another name");
  refused_with({"--out", "./t.csv", "--force"}, "--out is the input file; give another name");
  EXPECT_EQ(read_file(folder_ / "t.csv"), before);
}

TEST_F(DataUsage, ExistingOutputsAreKeptUnlessForced) {
  write_file(folder_ / "c.csv", "mine");
  refused_with({"--out", "c.csv"}, "c.csv exists; use --force to replace it", 73);
  EXPECT_EQ(read_file(folder_ / "c.csv"), "mine");
  write_file(folder_ / "d.json", "mine");
  refused_with({"--out", "d.csv"}, "d.json exists; use --force to replace it", 73);
  EXPECT_EQ(read_file(folder_ / "d.json"), "mine");
  EXPECT_EQ(build("t.csv", {"--family", "bernoulli", "--out", "d.csv", "--force"}).code, 0);
  EXPECT_TRUE(read_file(folder_ / "d.json").starts_with("{"));
  EXPECT_EQ(folder_.size(), 4);
}

TEST_F(DataUsage, MissingFolderIsRefusedBeforeTheInputIsRead) {
  refused({"none.csv", "--family", "bernoulli", "--out", "no/such/c.csv"},
          "no/such/c.csv: folder no/such does not exist; create it first", 73);
}

TEST_F(DataUsage, FullDeviceIsAnIoErrorThatNamesIt) {
  const auto outcome = build("t.csv", {"--family", "bernoulli", "--out", "/dev/full"});
  EXPECT_EQ(outcome.code, 74) << outcome.error;
  EXPECT_NE(outcome.error.find("giga: error: /dev/full: cannot write: "), std::string::npos) << outcome.error;
}

// A limit on the size of files stands in for a full disk: the companion fits, the coreset does not.
TEST_F(DataUsage, NeitherFileIsWrittenWhenOneCannotBe) {
  std::string text = "x,y,note\n";
  for (int n = 0; n < 40; ++n)
    text += std::to_string(n * 7 % 13) + "." + std::to_string(n) + "," + std::to_string(n % 3 % 2) + "," +
            std::string(9000, 'n') + "\n";
  write_file(folder_ / "wide.csv", text);
  write_file(folder_ / "c.json", "old");
  const Words limited = {"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "sh"};
  const auto outcome =
      run(Launch{.arguments = {"build", "wide.csv", "--family", "bernoulli", "--features", "x", "--response",
                               "y", "--out", "c.csv", "--force", "--quiet"},
                 .before = limited,
                 .folder = folder_.path()});
  EXPECT_EQ(outcome.code, 74) << outcome.error;
  EXPECT_TRUE(outcome.error.starts_with("giga: error: c.csv: cannot write: ")) << outcome.error;
  EXPECT_EQ(read_file(folder_ / "c.json"), "old");
  EXPECT_EQ(folder_.size(), 3);
}

// Of this test, stdout is a file.
TEST_F(DataUsage, DescriptorsGetTheCoresetAndNoCompanion) {
  const std::string expected = build("t.csv", {"--family", "bernoulli", "--quiet"}).out;
  for (const char* out : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    const std::string companion = std::string(out) + ".json";  // others may have left one
    const std::string before = read_file(companion);
    const auto outcome = build("t.csv", {"--family", "bernoulli", "--quiet", "--out", out});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(outcome.out, expected);
    EXPECT_EQ(read_file(companion), before);
  }
  EXPECT_EQ(folder_.size(), 1);
}

}  // namespace
}  // namespace giga::test
