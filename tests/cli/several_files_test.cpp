// Several files are one table: every verb gives the bytes that it gives for one file with all their rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cli/fit_command.hpp"

namespace giga {
namespace {

using namespace test;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

void replace(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// coreset.csv without the columns that say which file a row is from; they must be there.
std::string without_files(const std::string& csv) {
  std::string out;
  for (auto& cells : cells_of(csv)) {
    EXPECT_GT(cells.size(), 4U);
    cells.erase(cells.begin() + 2, cells.begin() + 4);
    out += joined(cells) + "\n";
  }
  return out;
}

class SeveralFilesCommand : public FitCommand {
 protected:
  void SetUp() override { fs::create_directory(folder_ / "parts"); }

  /// Rows of a table with categories, weights, missing cells and rows that are repeated in other parts.
  static std::vector<std::string> flights(std::size_t rows) {
    unsigned state = 5;
    const auto draw = [&state](unsigned below) {
      state = state * 1664525U + 1013904223U;
      return (state >> 10) % below;
    };
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < rows; ++i) {
      if (i > 40 && draw(4) == 0) {
        lines.push_back(lines[draw(static_cast<unsigned>(i))]);
        continue;
      }
      const unsigned carrier = draw(3), dist = draw(200);
      const std::string words[] = {"UA", "AA", "DL"};
      const bool late = draw(100) < 20 + 15 * carrier + dist / 5;
      lines.push_back((draw(25) == 0 ? "NA" : std::to_string(dist)) + "," + words[carrier] + ",flight " +
                      std::to_string(i) + "," + std::to_string(1 + draw(3)) + "," + (late ? "yes" : "no"));
    }
    return lines;
  }

  static std::string text_of(const std::vector<std::string>& lines, std::size_t begin, std::size_t end) {
    std::string text = "dist,carrier,remark,n,late\n";
    for (std::size_t i = begin; i < end; ++i) text += lines[i] + "\n";
    return text;
  }

  void write_flights(bool packed = false) const {
    const std::vector<std::string> lines = flights(900);
    write_file(folder_ / "whole.csv", text_of(lines, 0, lines.size()));
    const std::size_t cuts[] = {0, 137, 138, 500, lines.size()};
    for (std::size_t k = 0; k < 4; ++k) {
      const std::string text = text_of(lines, cuts[k], cuts[k + 1]);
      const bool here = packed && k % 2 == 1;
      write_file(folder_ / ("parts/" + std::to_string(k) + (here ? ".csv.gz" : ".csv")),
                 here ? gzipped(text) : text);
    }
  }

  /// Every file of two runs, but for the names of inputs, and which file a row is from.
  void expect_same_runs(const std::string& whole, const std::string& whole_input, const std::string& parts,
                        const std::string& parts_input, const std::string& parts_words) const {
    auto first = files(whole), second = files(parts);
    second["coreset.csv"] = without_files(second["coreset.csv"]);
    Json companion = Json::parse(second["coreset.json"]);
    EXPECT_GT(companion["files"].size(), 1U);
    companion.erase("files");
    Json alone = Json::parse(first["coreset.json"]);
    for (Json* each : {&companion, &alone})
      if (each->contains("sums")) (*each)["sums"]["shards"][0].erase("name");
    EXPECT_EQ(companion, alone);
    second.erase("coreset.json");
    first.erase("coreset.json");
    ASSERT_EQ(first.size(), second.size());
    for (auto& [name, content] : first) {
      std::string& other = second[name];
      replace(other, parts_input, "INPUT");
      for (const char* quoted : {"'INPUT'", "&#39;INPUT&#39;"}) replace(other, quoted, "INPUT");
      replace(other, parts_words, "INPUT");
      replace(content, whole_input, "INPUT");
      EXPECT_TRUE(other == content) << name << " differs";
    }
  }

  void expect_same_fit(const std::string& whole, const std::string& pattern, const Words& options) const {
    Words words = {whole, "--out", "one", "--no-times"};
    for (const auto* part : {&kShort, &options}) words.insert(words.end(), part->begin(), part->end());
    const Outcome one = fit(words);
    ASSERT_EQ(one.code, 0) << one.error;
    words[0] = pattern;
    words[2] = "many";
    const Outcome many = fit(words);
    ASSERT_EQ(many.code, 0) << many.error;
    EXPECT_EQ(many.error, one.error) << "notes are of all rows";
    expect_same_runs("one", whole, "many", pattern, pattern);
  }
};

TEST_F(SeveralFilesCommand, FitsTextAsOneFile) {
  write_flights();
  expect_same_fit(
      "whole.csv", "parts/*.csv",
      {"late ~ dist + I(dist^2) + carrier", "--family", "bernoulli", "--weights", "n", "--missing", "drop"});
}

TEST_F(SeveralFilesCommand, FitsPackedFilesBesidePlainOnesAsOneFile) {
  write_flights(true);
  expect_same_fit("whole.csv", "parts/*",
                  {"--family", "bernoulli", "--response", "late", "--features", "carrier,dist", "--missing",
                   "drop", "--threads", "1"});
}

TEST_F(SeveralFilesCommand, FitsMatricesAndSparseTextAsOneFile) {
  const Matrix table = regression_table(600, 3, ResponseKind::Counts);
  const std::vector<std::ptrdiff_t> cuts = {0, 1, 250, 600};
  const auto part = [&](std::size_t k) {
    std::vector<std::ptrdiff_t> rows;
    for (std::ptrdiff_t n = cuts[k]; n < cuts[k + 1]; ++n) rows.push_back(n);
    return rows_of(table, rows);
  };
  write_file(folder_ / "whole.svm", libsvm_of(table));
  write_file(folder_ / "whole.npy", npy_of(table.values, shape_of(table.rows, table.cols)));
  write_file(folder_ / "whole.npz", npz_of(table));
  for (std::size_t k = 0; k < 3; ++k) {
    const Matrix some = part(k);
    const std::string stem = "parts/" + std::to_string(k);
    write_file(folder_ / (stem + ".svm"), libsvm_of(some));
    write_file(folder_ / (stem + ".npy"), npy_of(some.values, shape_of(some.rows, some.cols)));
    write_file(folder_ / (stem + ".npz"), npz_of(some));
  }
  for (const std::string kind : {"svm", "npy", "npz"}) {
    expect_same_fit("whole." + kind, "parts/*." + kind, {"--family", "poisson"});
    fs::remove_all(folder_ / "one");
    fs::remove_all(folder_ / "many");
  }
}

// The rows of a coreset by file are those of the files.
TEST_F(SeveralFilesCommand, CoresetSaysWhichFileARowIsFrom) {
  write_flights();
  const Outcome built = command({"build", "parts/*.csv", "late ~ dist", "--family", "bernoulli", "--missing",
                                 "drop", "--out", "c.csv"});
  ASSERT_EQ(built.code, 0) << built.error;
  const auto lines = cells_of(bytes("c.csv"));
  EXPECT_EQ(joined(lines[0]), "row,weight,file,file_row,dist,carrier,remark,n,late");
  ASSERT_GT(lines.size(), 2U);
  const auto all = cells_of(bytes("whole.csv"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto own = cells_of(bytes("parts/" + lines[i][2]));
    const Words cells(lines[i].begin() + 4, lines[i].end());
    EXPECT_EQ(own[static_cast<std::size_t>(std::stol(lines[i][3])) + 1], cells);
    EXPECT_EQ(all[static_cast<std::size_t>(std::stol(lines[i][0])) + 1], cells);
  }
}

TEST_F(SeveralFilesCommand, ColumnsOfTheInputCalledFileKeepTheirCells) {
  write_file(folder_ / "parts/a.csv", "file,x,y\n1,2,3\n4,5,7\n");
  write_file(folder_ / "parts/b.csv", "file,x,y\n7,9,8\n2,4,1\n");
  const Words build = {"build", "parts", "--family", "gaussian", "--noise-scale", "1", "--out", "c.csv"};
  const Outcome built = command(build);
  ASSERT_EQ(built.code, 0) << built.error;
  EXPECT_TRUE(bytes("c.csv").starts_with("row,weight,file,file_row,input_file,x,y\n")) << bytes("c.csv");
  const Outcome sampled = command({"sample", "c.csv", "--draws", "50", "--warmup", "50", "--chains", "1"});
  EXPECT_EQ(sampled.code, 0) << sampled.error;
  // Without its companion the columns of files are no features.
  fs::remove(folder_ / "c.json");
  const Outcome bare = command({"sample", "c.csv", "--family", "gaussian", "--noise-scale", "1", "--draws",
                                "50", "--warmup", "50", "--chains", "1"});
  EXPECT_EQ(bare.code, 0) << bare.error;
  EXPECT_EQ(bare.out.find("file_row"), std::string::npos) << bare.out;
}

// What was built from parts may be checked against the whole, and the other way round.
TEST_F(SeveralFilesCommand, EveryVerbTakesThem) {
  write_flights();
  const Words model = {"late ~ dist + carrier", "--family", "bernoulli", "--missing", "drop"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  // As the shell expands parts/*.csv.
  const Words shell = {"parts/0.csv", "parts/1.csv", "parts/2.csv", "parts/3.csv"};
  ASSERT_EQ(command(with(with({"build"}, shell), with(model, {"--out", "parts.csv", "--quiet"}))).code, 0);
  ASSERT_EQ(command(with({"build", "whole.csv"}, with(model, {"--out", "one.csv", "--quiet"}))).code, 0);
  EXPECT_EQ(without_files(bytes("parts.csv")), bytes("one.csv"));
  const Words quick = {"--draws", "100", "--warmup", "100", "--quiet"};
  const Outcome checks[] = {command(with({"check", "whole.csv", "one.csv"}, quick)),
                            command(with({"check", "parts/*.csv", "one.csv"}, quick)),
                            command(with({"check", "parts", "parts.csv"}, quick)),
                            command(with(with(with({"check"}, shell), {"parts.csv"}), quick)),
                            command(with({"check", "whole.csv", "parts.csv"}, quick))};
  for (const Outcome& check : checks) {
    EXPECT_EQ(check.code, 0) << check.error;
    EXPECT_EQ(check.out, checks[0].out);
  }
  const auto sampled = [&](const Words& data) {
    return command(with(with({"sample"}, data), with(model, quick)));
  };
  EXPECT_EQ(sampled({"parts/?.csv"}).out, sampled({"whole.csv"}).out);
  EXPECT_EQ(sampled(shell).out, sampled({"whole.csv"}).out);
  const Outcome made = command(with({"fit", "whole.csv", "--out", "f"},
                                    with(model, {"--draws", "100", "--warmup", "100", "--quiet"})));
  ASSERT_EQ(made.code, 0) << made.error;
  const Words drop = {"--missing", "drop", "--quiet"};
  const Outcome predicted = command(with({"predict", "f", "whole.csv"}, drop));
  ASSERT_EQ(predicted.code, 0) << predicted.error;
  EXPECT_EQ(command(with({"predict", "f", "parts/*.csv"}, drop)).out, predicted.out);
  EXPECT_EQ(command(with(with({"predict", "f"}, shell), drop)).out, predicted.out);
}

// Which files a shard was built from does not matter to what is merged of it.
TEST_F(SeveralFilesCommand, CoresetsOfThemAreMerged) {
  write_flights();
  const std::vector<std::string> lines = flights(900);
  write_file(folder_ / "first.csv", text_of(lines, 0, 138));
  write_file(folder_ / "second.csv", text_of(lines, 138, lines.size()));
  const auto built = [&](const std::string& data, const std::string& out, const Words& more) {
    Words words = {"build", data, "--out", out, "--missing", "drop", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = command(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
  };
  const Words model = {"--family", "bernoulli", "--response", "late", "--features", "dist,carrier"};
  const auto merged = [&](const std::string& first, const std::string& second, const std::string& out) {
    built(first, out + "1.csv", model);
    built(second, out + "2.csv", model);
    const Outcome outcome =
        command({"merge", out + "1.csv", out + "2.csv", "--out", out + ".csv", "--quiet"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    auto cells = cells_of(bytes(out + ".csv"));
    for (auto& line : cells) line.erase(line.begin() + 2);  // the shard, by its name
    return cells;
  };
  const auto parts = merged("parts/[01].csv", "parts/[23].csv", "m");
  EXPECT_EQ(joined(parts[0]), "row,weight,dist,carrier,remark,n,late");
  EXPECT_EQ(parts, merged("first.csv", "second.csv", "w"));
}

TEST_F(SeveralFilesCommand, FitIsResumedFromAnotherFolder) {
  write_flights();
  const Words options = {"late ~ dist + carrier", "--family", "bernoulli", "--missing", "drop", "--no-times"};
  Words words = {"parts/*.csv", "--out", "straight"};
  words.insert(words.end(), options.begin(), options.end());
  ASSERT_EQ(fit(words).code, 0);
  words[2] = "stopped";
  const std::vector<double> moments_s = {0.4, 0.3, 0.2, 0.1, 0.05};
  const bool stopped = std::ranges::any_of(moments_s, [&](double after_s) {
    fs::remove_all(folder_ / "stopped");
    (void)fit(words, {.arguments = {}, .signal = SIGKILL, .signal_after_s = after_s});
    return fs::exists(folder_ / "stopped/partial/request.json");
  });
  ASSERT_TRUE(stopped);
  const Outcome resumed =
      run(Launch{.arguments = {"fit", "--resume", "../stopped"}, .folder = folder_ / "parts"});
  ASSERT_EQ(resumed.code, 0) << resumed.error;
  expect_same_files("straight", "stopped");
}

TEST_F(SeveralFilesCommand, DefaultFolderIsNamedAfterThem) {
  write_flights();
  const Words model = {"late ~ dist", "--family", "bernoulli", "--missing", "drop"};
  Words words = {"parts/*.csv"};
  words.insert(words.end(), model.begin(), model.end());
  words.insert(words.end(), kShort.begin(), kShort.end());
  EXPECT_EQ(fit(words).code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "parts-fit/run.json"));
  EXPECT_EQ(record("parts-fit")["options"]["path"], "parts/*.csv");
}

TEST_F(SeveralFilesCommand, MistakesHaveTheirCodes) {
  write_flights();
  const auto refused = [&](const Words& data, int code, const std::string& words) {
    Words all = {"build"};
    all.insert(all.end(), data.begin(), data.end());
    all.insert(all.end(), {"--family", "bernoulli", "--response", "late"});
    const Outcome outcome = command(all);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_NE(outcome.error.find(words), std::string::npos) << outcome.error;
    EXPECT_EQ(count_of(outcome.error, "\n"), 1);
  };
  refused({"parts/*.tsv"}, 66, "parts/*.tsv: no file matches the pattern");
  refused({"parts/0.csv", "parts/9.csv"}, 66, "parts/9.csv: no such file");
  refused({"parts/*.csv,parts/0.csv"}, 64, "parts/0.csv: is given twice; name it once");
  refused({"parts/0.csv", "-"}, 64, "standard input, -, cannot be one of several files");
  write_file(folder_ / "parts/4.csv", "dist;carrier\n1;2\n");
  refused({"parts/*.csv"}, 65, "parts/4.csv: found 1 column; is the delimiter ';'?");
  write_file(folder_ / "parts/4.csv", "dist,carrier,n,remark,late\n1,AA,1,,yes\n");
  refused({"parts/*.csv"}, 65,
          "parts/4.csv: column 3 is 'n', but 'remark' in parts/0.csv, which has the same");
  fs::remove(folder_ / "parts/4.csv");
  refused({"parts/*.csv", "--out", "parts/0.csv", "--force"}, 64, "--out is the input file");
}

}  // namespace
}  // namespace giga
