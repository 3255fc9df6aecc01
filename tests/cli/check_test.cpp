// giga check: a good coreset is safe, a bad one is not, and nothing is certified against other data.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/data_files.hpp"
#include "support/shared_data.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

class CheckCommand : public DataCommand {
 protected:
  [[nodiscard]] Outcome giga(const std::vector<std::string>& words) const {
    return run(Launch{.arguments = words, .folder = folder_.path()});
  }

  [[nodiscard]] Outcome check(std::vector<std::string> words) const {
    words.insert(words.begin(), "check");
    return giga(words);
  }

  /// The words must be in what is said on stderr.
  void expect_refusal(const std::vector<std::string>& words, int code, const std::string& said) const {
    const Outcome outcome = check(words);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_NE(outcome.error.find(said), std::string::npos) << outcome.error << "has not: " << said;
    EXPECT_EQ(outcome.out, "");
  }

  [[nodiscard]] json record(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const Outcome outcome = check(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    json out = json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(out.is_discarded()) << outcome.out;
    expect_finite_numbers(out);
    return out;
  }

  static Matrix table(std::ptrdiff_t rows = 2000, unsigned seed = 1) {
    Matrix out = regression_table(rows, 3, ResponseKind::Labels, seed);
    for (std::ptrdiff_t n = 0; n < out.rows; ++n) {  // uneven scales
      double* row = out.values.data() + n * out.cols;
      row[1] = 1000 + 50 * row[1];
    }
    return out;
  }

  void expect_done(const std::vector<std::string>& words) const {
    const Outcome outcome = giga(words);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
  }

  /// t.csv, its coreset c.csv, and draws of it in d.
  void prepare(const std::vector<std::string>& more = {}, const std::string& size = "60") const {
    write_file(folder_ / "t.csv", csv_of(table()));
    std::vector<std::string> words = {"build", "t.csv",        "--family",  "bernoulli", "--size",
                                      size,    "--projection", "curvature", "--out",     "c.csv"};
    words.insert(words.end(), more.begin(), more.end());
    expect_done(words);
    expect_done({"sample", "c.csv", "--out", "d"});
  }

  [[nodiscard]] std::string bytes(const std::string& name) const { return read_file(folder_ / name); }
};

TEST_F(CheckCommand, AGoodCoresetIsSafeAndTheSentenceComesLast) {
  prepare();
  const Outcome outcome = check({"t.csv", "c.csv", "d", "--strict"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(outcome.out.ends_with(", safe to use\n")) << outcome.out;
  EXPECT_NE(outcome.out.find("\nchecked against all 2,000 rows: k-hat "), std::string::npos) << outcome.out;
  for (const char* name : {"\nx1 ", "\nx2 ", "\n(intercept) ", "\nstd_x3 ", "\nstd_(intercept) ",
                           "\nLaplace ", "Fisher distance", "KL divergence"})
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name << outcome.out;
  EXPECT_NE(outcome.error.find("written          d/certificate.json"), std::string::npos) << outcome.error;

  const json written = json::parse(bytes("d/certificate.json"));
  EXPECT_EQ(written["command"], "check");
  EXPECT_EQ(written["certificate"]["verdict"], "safe");
  EXPECT_EQ(written["draws"]["known_to_be_of_this_coreset"], true);
  expect_refusal({"t.csv", "c.csv", "d"}, 73, "--force");
  EXPECT_EQ(json::parse(bytes("d/certificate.json")), written);
  EXPECT_EQ(check({"t.csv", "c.csv", "d", "--force", "--seed", "3"}).code, 0);
  EXPECT_EQ(json::parse(bytes("d/certificate.json"))["seed"], 3);

  // New draws have no certificate yet.
  expect_done({"sample", "c.csv", "--out", "d", "--force", "--seed", "4"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "d/certificate.json"));
}

TEST_F(CheckCommand, FewUniformPointsAreNotSafeWhichIsAnErrorOnlyIfAskedFor) {
  prepare({"--method", "uniform"}, "8");
  const Outcome plain = check({"t.csv", "c.csv", "d"});
  EXPECT_EQ(plain.code, 0) << plain.error;
  EXPECT_NE(plain.out.find(": not safe: k-hat "), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("use more points, try --size "), std::string::npos) << plain.out;
  const Outcome strict = check({"t.csv", "c.csv", "d", "--strict", "--force"});
  EXPECT_EQ(strict.code, 1) << strict.error;
  EXPECT_EQ(strict.out, plain.out);
  EXPECT_EQ(strict.error.find("error"), std::string::npos) << strict.error;
  EXPECT_EQ(json::parse(bytes("d/certificate.json"))["certificate"]["doubt"], "high_k_hat");
}

// What is left of a nearly exact coreset's error can have a heavy tail, with a k-hat above the limit.
// Ratios that are all but equal may still have a tail of any shape, by the draws: heavy ones are what makes
// this a case.
TEST_F(CheckCommand, NearlyExactCoresetsAreSafeWhateverTheShapeOfTheirTail) {
  const auto command = [this](const std::vector<std::string>& arguments) {
    return run(Launch{.arguments = arguments, .folder = folder_.path()});
  };
  ASSERT_EQ(command({"simulate", "logistic", "--rows", "2000", "--out", "t.csv"}).code, 0);
  ASSERT_EQ(build("t.csv", {"--family", "bernoulli", "--projection", "random", "--norm", "fisher",
                            "--projection-dim", "500", "--size", "28", "--out", "c.csv"})
                .code,
            0);
  int heavy = 0;
  for (const char* seed : {"1", "2", "3", "4", "5", "6"}) {
    const json certificate = record({"t.csv", "c.csv", "--seed", seed})["certificate"];
    if (certificate["k_hat"] > certificate["k_limit"]) ++heavy;
    EXPECT_LT(certificate["kl_draws_of_coreset"], 1e-6);
    EXPECT_TRUE(certificate["flat"]);
    EXPECT_LT(certificate["spread"], 0.01);
    EXPECT_EQ(certificate["verdict"], "safe");
  }
  EXPECT_GT(heavy, 0);
}

TEST_F(CheckCommand, TheRecordHasTheCertificateOnBothScales) {
  prepare();
  const json record = this->record({"t.csv", "c.csv", "d"});
  EXPECT_EQ(json::parse(bytes("d/certificate.json")), record);
  EXPECT_EQ(record["N"], 2000);
  EXPECT_EQ(record["D"], 4);
  EXPECT_EQ(record["size"], json::parse(bytes("c.json"))["size"]);
  EXPECT_EQ(record["options"]["prior_scale"], 1.0);
  EXPECT_EQ(record["options"]["chains"], nullptr);
  for (const char* stage : {"load", "certify", "total"})
    EXPECT_GT(record["seconds"][stage].get<double>(), 0) << stage;
  EXPECT_GT(record["peak_bytes"], 0);
  const json& certificate = record["certificate"];
  EXPECT_EQ(certificate["num_draws"], 4000);
  EXPECT_EQ(certificate["num_rows"], 2000);
  EXPECT_TRUE(certificate["num_draws"].is_number_integer());
  for (const char* key : {"k_hat", "effective_size", "laplace_k_hat", "fisher_full", "kl_laplace_of_coreset"})
    EXPECT_TRUE(certificate[key].is_number()) << key;

  const json& parameters = certificate["parameters"];
  ASSERT_EQ(parameters.size(), 8U);
  const std::vector<double> mean = record["standardisation"]["mean"],
                            scale = record["standardisation"]["scale"];
  for (const char* kind : {"coreset", "corrected", "laplace", "laplace_corrected"}) {
    const auto value = [&](std::size_t i, const char* field) {
      return parameters[i][kind][field].get<double>();
    };
    double intercept = value(7, "mean");
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(parameters[d]["scale"], "original");
      EXPECT_EQ(parameters[4 + d]["scale"], "standardised");
      for (const char* field : {"mean", "sd", "mcse_mean", "mcse_sd"})
        EXPECT_NEAR(value(d, field), value(4 + d, field) / scale[d], 1e-9 * std::abs(value(d, field)))
            << kind;
      intercept -= value(4 + d, "mean") * mean[d] / scale[d];
    }
    EXPECT_NEAR(value(3, "mean"), intercept, 1e-8) << kind;
    // With a feature about 1000 the intercept is far less certain than that of centred features.
    EXPECT_GT(value(3, "sd"), 3 * value(7, "sd")) << kind;
  }
  // The sd of the intercept by the draws agrees with the exact one of the Laplace approximation.
  const double exact = parameters[3]["laplace"]["sd"];
  for (const char* kind : {"coreset", "corrected", "laplace_corrected"})
    EXPECT_NEAR(parameters[3][kind]["sd"].get<double>(), exact, 0.1 * exact) << kind;
}

TEST_F(CheckCommand, TheCertificateIsTheSameForAnyNumberOfThreads) {
  prepare();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"t.csv", "c.csv", "d", "--force"}, {"t.csv", "c.csv", "--draws", "200"}}) {
    std::vector<std::string> one = words, two = words, seed = words;
    one.insert(one.end(), {"--threads", "1"});
    two.insert(two.end(), {"--threads", "2"});
    seed.insert(seed.end(), {"--seed", "2"});
    const json first = record(one)["certificate"];
    EXPECT_EQ(first.dump(), record(two)["certificate"].dump());
    EXPECT_NE(first.dump(), record(seed)["certificate"].dump());
  }
}

TEST_F(CheckCommand, WithoutAFolderItMakesTheDrawsThatSampleMakes) {
  prepare();
  const std::ptrdiff_t files = folder_.size();
  const json made = record({"t.csv", "c.csv"}),
             read = record({"t.csv", "c.csv", "d", "--out", "elsewhere.json"});
  EXPECT_EQ(made["certificate"].dump(), read["certificate"].dump());
  EXPECT_EQ(made["draws"]["made_here"], true);
  EXPECT_EQ(made["options"]["draws"], 1000);
  EXPECT_GT(made["seconds"]["sample"].get<double>(), 0);
  EXPECT_EQ(folder_.size(), files + 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "d/certificate.json"));
  EXPECT_EQ(json::parse(bytes("elsewhere.json")), read);
  EXPECT_EQ(record({"t.csv", "c.csv", "--chains", "2", "--draws", "300"})["certificate"]["num_draws"], 600);
  expect_refusal({"t.csv", "c.csv", "d", "--draws", "5"}, 64, "--draws has no effect on existing draws");
}

TEST_F(CheckCommand, OtherDataIsRefusedWithWhatDiffers) {
  prepare();
  const Matrix table = this->table();
  std::vector<std::ptrdiff_t> order(2000);
  for (std::size_t n = 0; n < order.size(); ++n) order[n] = static_cast<std::ptrdiff_t>(n);
  std::reverse(order.begin(), order.end());
  write_file(folder_ / "permuted.csv", csv_of(rows_of(table, order)));
  expect_refusal({"permuted.csv", "c.csv", "d"}, 65, "put in another order");
  write_file(folder_ / "fewer.csv", csv_of(this->table(1999)));
  expect_refusal({"fewer.csv", "c.csv", "d"}, 65, "it has 1999 rows, not 2000");
  write_file(folder_ / "other.csv", csv_of(this->table(2000, 7)));
  expect_refusal({"other.csv", "c.csv", "d"}, 65, "is not the table that c.json was built from");

  // One value of one row that is not in the coreset.
  const std::vector<std::ptrdiff_t> chosen = json::parse(bytes("c.json"))["coreset"]["rows"];
  std::ptrdiff_t spare = 0;
  while (std::find(chosen.begin(), chosen.end(), spare) != chosen.end()) ++spare;
  Matrix changed = table;
  changed.values[static_cast<std::size_t>(spare * table.cols)] += 100;
  write_file(folder_ / "scale.csv", csv_of(changed));
  expect_refusal({"scale.csv", "c.csv", "d"}, 65, "the mean of column 'x1' is");
  changed = table;
  double& label = changed.values[static_cast<std::size_t>(spare * table.cols + 3)];
  label = 1 - label;
  write_file(folder_ / "label.csv", csv_of(changed));
  expect_refusal({"label.csv", "c.csv", "d"}, 65, "not in the coreset");
  write_file(folder_ / "columns.csv", "a,b\n1,0\n2,1\n");
  expect_refusal({"columns.csv", "c.csv", "d"}, 65, "no column 'y'; have: a, b; c.json names it");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "d/certificate.json"));
  // The same values in another format are the same data.
  write_file(folder_ / "t.npz", npz_of(table));
  EXPECT_EQ(check({"t.npz", "c.csv", "d"}).code, 0);
}

TEST_F(CheckCommand, DrawsOfOtherPosteriorsAreRefused) {
  prepare();
  expect_done({"sample", "t.csv", "--family", "bernoulli", "--out", "full", "--draws", "100"});
  expect_refusal({"t.csv", "c.csv", "full"}, 65, "its draws are of the posterior of t.csv");
  expect_done({"build", "t.csv", "--family", "bernoulli", "--projection", "random", "--size", "40", "--out",
               "c40.csv"});
  expect_refusal({"t.csv", "c40.csv", "d"}, 65, "of another coreset or model than c40.csv");

  // Without a record nothing but the names can be compared.
  std::filesystem::remove(folder_ / "d/run.json");
  const Outcome unknown = check({"t.csv", "c.csv", "d"});
  EXPECT_EQ(unknown.code, 0) << unknown.error;
  EXPECT_NE(
      unknown.error.find("d/run.json: no such file; whether the draws are of this coreset cannot be told"),
      std::string::npos)
      << unknown.error;
  EXPECT_EQ(json::parse(bytes("d/certificate.json"))["draws"]["known_to_be_of_this_coreset"], false);
  write_file(folder_ / "d/run.json", "[1, 2");
  EXPECT_NE(check({"t.csv", "c.csv", "d", "--force"}).error.find("is not a record of giga sample"),
            std::string::npos);
  std::filesystem::remove(folder_ / "d/run.json");
  expect_done({"build", "t.csv", "--family", "bernoulli", "--features", "x1,x2", "--out", "c2.csv"});
  expect_refusal({"t.csv", "c2.csv", "d", "--force"}, 65, "column 'x3' is not a parameter of the model");
  expect_done({"build", "t.csv", "--family", "bernoulli", "--no-standardise", "--out", "raw.csv"});
  expect_refusal({"t.csv", "raw.csv", "d", "--force"}, 65, "column 'std_x1' is not a parameter");
  expect_done({"sample", "raw.csv", "--out", "raw", "--draws", "50", "--warmup", "300"});
  std::filesystem::remove(folder_ / "raw/run.json");
  expect_refusal({"t.csv", "c.csv", "raw"}, 65, "there is no column 'std_x1' for the parameter 'std_x1'");
}

TEST_F(CheckCommand, ChainsOfUnequalLengthAreCutToTheShortest) {
  prepare();
  // A file that promises nothing and has 400 draws less.
  std::string text = bytes("d/draws_2.csv");
  text.erase(0, text.find("lp__,"));
  for (std::ptrdiff_t cut = 0; cut < 400; ++cut) {
    const std::size_t tail = text.find("\n#\n#  Elapsed");
    const std::size_t before = text.rfind('\n', tail - 1);
    text.erase(before, tail - before);
  }
  write_file(folder_ / "d/draws_2.csv", text);
  const json record = this->record({"t.csv", "c.csv", "d"});
  EXPECT_EQ(record["draws"]["length"], 600);
  EXPECT_EQ(record["certificate"]["num_draws"], 2400);
  ASSERT_FALSE(record["notes"].empty());
  EXPECT_NE(
      record["notes"].back().get<std::string>().find("first 600 draws of each count, 1200 are left out"),
      std::string::npos)
      << record["notes"];
}

TEST_F(CheckCommand, DrawsThatAreNotNumbersOrFewAreNotSafe) {
  prepare();
  std::string text = bytes("d/draws_3.csv");
  const std::size_t end = text.find("\n#\n#  Elapsed"), comma = text.rfind(',', end);
  write_file(folder_ / "d/draws_3.csv", text.substr(0, comma) + ",nan" + text.substr(end));
  const json spoilt = record({"t.csv", "c.csv", "d"})["certificate"];
  EXPECT_EQ(spoilt["doubt"], "draws_not_finite");
  EXPECT_EQ(spoilt["parameters"][7]["coreset"]["mean"], nullptr);
  expect_done({"sample", "c.csv", "--draws", "1", "--chains", "1", "--out", "d", "--force"});
  EXPECT_EQ(record({"t.csv", "c.csv", "d"})["certificate"]["doubt"], "too_few_draws");
}

TEST_F(CheckCommand, WhatIsMissingIsNamed) {
  prepare();
  expect_refusal({"t.csv", "c.csv", "none"}, 66, "none: no such folder");
  expect_refusal({"t.csv", "c.csv", "t.csv"}, 66, "t.csv: is no folder");
  std::filesystem::create_directory(folder_ / "empty");
  expect_refusal({"t.csv", "c.csv", "empty"}, 66, "empty: has no draws_*.csv");
  expect_refusal({"none.csv", "c.csv", "d"}, 66, "none.csv");
  expect_refusal({"t.csv", "none.csv", "d"}, 66, "none.csv");
  expect_refusal({"c.csv", "t.csv", "d"}, 66, "give DATA coreset.csv DIR");
  std::filesystem::rename(folder_ / "c.json", folder_ / "away.json");
  expect_refusal({"t.csv", "c.csv", "d"}, 66, "c.json: no such file");
  write_file(folder_ / "c.json", "{\"giga\": \"coreset\"}");
  expect_refusal({"t.csv", "c.csv", "d"}, 65, "'N' is missing");
  expect_refusal({"t.csv"}, 64, "too few inputs");
  expect_refusal({}, 64, "too few inputs");
  expect_refusal({"t.csv", "c.csv", "d", "e"}, 64, "unexpected argument 'e'");
}

TEST_F(CheckCommand, OptionsThatContradictTheCompanionOrAreOutOfRangeAreRefused) {
  prepare({"--prior-scale", "2"});
  const std::vector<std::vector<std::string>> cases = {
      {"--family", "poisson", "--family is poisson, but c.json says bernoulli"},
      {"--prior-scale", "1", "--prior-scale is 1, but c.json says 2"},
      {"--response", "x1", "--response is x1, but c.json says y"},
      {"--features", "x1", "--features is x1, but c.json says x1,x2,x3"},
      {"--weights", "x1", "--weights is x1, but c.json says none"},
      {"--missing", "drop", "--missing is drop, but c.json says refuse"},
      {"--seed", "-1", "from 0 to"},
      {"--threads", "2000", "from 0 to 1024"},
      {"--out", "-", "--json"},
      {"--out", "t.csv", "would replace the input t.csv"},
      {"--sede", "3", "did you mean --seed"}};
  for (const auto& words : cases) expect_refusal({"t.csv", "c.csv", "d", words[0], words[1]}, 64, words[2]);
  expect_refusal({"t.csv", "c.csv", "d", "--no-intercept"}, 64,
                 "--no-intercept is true, but c.json says false");
  for (const auto& words : std::vector<std::vector<std::string>>{{"--chains", "0", "from 1 to 256"},
                                                                 {"--draws", "0", "from 1 to 10000000"},
                                                                 {"--warmup", "-1", "from 0 to 10000000"}})
    expect_refusal({"t.csv", "c.csv", words[0], words[1]}, 64, words[2]);
  EXPECT_EQ(check({"t.csv", "c.csv", "d", "--family", "bernoulli", "--prior-scale", "2", "--response", "y",
                   "--features", "x1,x2,x3", "--missing", "refuse"})
                .code,
            0);
}

// What the reading of the table was told travels in the companion.
TEST_F(CheckCommand, TheTableIsReadAsItWasForTheCoreset) {
  const Matrix table = this->table(600);
  std::string text = "x1;x2;x3;when;w;y\n";
  for (std::ptrdiff_t n = 0; n < table.rows; ++n) {
    std::vector<std::string> cells = row_texts(table, n);
    cells.insert(cells.begin() + 3, {"2024-01-01", std::to_string(1 + n % 3)});
    if (n == 7) cells[0] = "NA";
    text += joined(cells, ";") + "\n";
  }
  write_file(folder_ / "t.csv", text);
  expect_done({"build", "t.csv", "--family", "bernoulli", "--delimiter", ";", "--weights", "w", "--missing",
               "drop", "--features", "x3,x1", "--size", "60", "--projection", "curvature", "--no-intercept",
               "--out", "c.csv"});
  const json record = this->record({"t.csv", "c.csv"});
  EXPECT_EQ(record["N"], 599);
  EXPECT_EQ(record["options"]["weights"], "w");
  EXPECT_EQ(record["certificate"]["verdict"], "safe");
  EXPECT_EQ(record["certificate"]["parameters"][2]["name"], "std_x3");
  EXPECT_NE(record["notes"][0].get<std::string>().find("1 row"), std::string::npos) << record["notes"];
  // Another file of the same values may have another delimiter.
  std::replace(text.begin(), text.end(), ';', '|');
  write_file(folder_ / "bar.csv", text);
  EXPECT_EQ(check({"bar.csv", "c.csv", "--delimiter", "|", "--draws", "100"}).code, 0);
}

TEST_F(CheckCommand, HostileNamesAreHarmless) {
  std::string csv = csv_of(regression_table(400, 4, ResponseKind::Labels));
  csv.replace(0, csv.find('\n'), "\"a,b\",=cmd(),\"say \"\"hi\"\"\nthere\x1b[31m\",std_=cmd(),lp__");
  write_file(folder_ / "t.csv", csv);
  expect_done({"build", "t.csv", "--family", "bernoulli", "--response", "lp__", "--size", "40",
               "--projection", "curvature", "--out", "c.csv"});
  expect_done({"sample", "c.csv", "--out", "d"});
  const Outcome outcome = check({"t.csv", "c.csv", "d"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nsay \"hi\"\\x0athere"), std::string::npos) << outcome.out;
  const json parameters = json::parse(bytes("d/certificate.json"))["certificate"]["parameters"];
  ASSERT_EQ(parameters.size(), 10U);
  EXPECT_EQ(parameters[0]["name"], "a,b");
  EXPECT_EQ(parameters[2]["name"], "say \"hi\"\nthere\x1b[31m");
  EXPECT_EQ(parameters[6]["name"], "std_=cmd()_");  // that of =cmd(); parameter 3 is the column of this name
  EXPECT_EQ(parameters[3]["name"], "std_=cmd()");
  EXPECT_EQ(parameters[3]["scale"], "original");
  // By position in the files, with the record and without it.
  std::filesystem::remove(folder_ / "d/run.json");
  const json again = record({"t.csv", "c.csv", "d", "--force"});
  EXPECT_EQ(again["certificate"]["parameters"], parameters);
}

TEST_F(CheckCommand, AnInterruptStopsItWithNothingWritten) {
  expect_done({"simulate", "logistic", "--rows", "300000", "--dim", "10", "--out", "t.csv"});
  expect_done({"build", "t.csv", "--family", "bernoulli", "--method", "uniform", "--size", "200",
               "--projection-dim", "20", "--heldout-dim", "2", "--out", "c.csv"});
  expect_done({"sample", "c.csv", "--draws", "10000", "--out", "d"});
  // 40,000 draws of 300,000 rows: one thread is at it when the signal comes.
  const Outcome outcome = run(Launch{.arguments = {"check", "t.csv", "c.csv", "d", "--threads", "1"},
                                     .folder = folder_.path(),
                                     .terminal = true,
                                     .signal = SIGINT,
                                     .signal_at = "all rows at the draws"});
  EXPECT_EQ(outcome.code, 130) << outcome.error;
  EXPECT_LT(outcome.seconds_after_signal, 2);
  EXPECT_NE(outcome.error.find("all rows at the draws"), std::string::npos) << outcome.error;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "d/certificate.json"));
  EXPECT_EQ(outcome.out, "");
}

// The eighth line of what the inference promises: 100 corrective points are safe, 30 uniform ones are not.
TEST_F(CheckCommand, TellsGoodCoresetsOfDs1FromBad) {
  GIGA_NEEDS_SHARED("ds1.npz");
  const std::string data = shared_data("ds1.npz");
  expect_done({"build", data, "--family", "bernoulli", "--size", "100", "--out", "good.csv"});
  expect_done(
      {"build", data, "--family", "bernoulli", "--size", "30", "--method", "uniform", "--out", "bad.csv"});
  const json good = record({data, "good.csv"}), bad = record({data, "bad.csv"});
  EXPECT_EQ(good["certificate"]["verdict"], "safe") << good["certificate"]["sentence"];
  EXPECT_LT(good["certificate"]["k_hat"], 0.7);
  EXPECT_EQ(good["N"], 26'733);
  EXPECT_EQ(bad["certificate"]["verdict"], "not_safe") << bad["certificate"]["sentence"];
  EXPECT_EQ(bad["certificate"]["doubt"], "high_k_hat");
}

}  // namespace
}  // namespace giga::test
