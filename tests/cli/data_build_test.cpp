// What a coreset of a table looks like: the same for every format, with the columns of the input.
#include <cstdlib>

#include "cli/data_files.hpp"
#include "cli/german_locale.hpp"

namespace giga::test {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

const Words kLabels = {"--family", "bernoulli"};

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class DataCoreset : public DataCommand {
 protected:
  // Twenty points, which the error does not end before.
  const Words twenty_ = kLabels + Words{"--projection", "random", "--size", "20"};
  const Matrix table_ = regression_table(300, 3, ResponseKind::Labels);
};

TEST_F(DataCoreset, HasRowWeightAndTheOriginalColumns) {
  const DataBuild result = built("t.csv", csv_of(table_), twenty_);
  const auto lines = cells_of(result.csv);
  EXPECT_EQ(joined(lines[0]), "row,weight,x1,x2,x3,y");
  ASSERT_EQ(lines.size(), 21U);
  std::ptrdiff_t last = -1;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::ptrdiff_t row = std::stol(lines[i][0]);
    EXPECT_GT(row, last);
    EXPECT_EQ(row, result.rows()[i - 1]);
    EXPECT_GT(std::stod(lines[i][1]), 0);
    EXPECT_EQ(std::stod(lines[i][1]), result.weights()[i - 1]);
    EXPECT_EQ(Words(lines[i].begin() + 2, lines[i].end()), row_texts(table_, row));
    last = row;
  }
}

// The coreset is a table itself: its weights are weights of observations.
TEST_F(DataCoreset, IsUsableAsAnInput) {
  const DataBuild first = built("t.csv", csv_of(table_), twenty_);
  const DataBuild second =
      built("first.csv", first.csv, kLabels + Words{"--weights", "weight", "--features", "x1,x2,x3"});
  EXPECT_EQ(second.record["N"], 20);
  EXPECT_EQ(joined(cells_of(second.csv)[0]), "row,weight,input_row,input_weight,x1,x2,x3,y");
}

TEST_F(DataCoreset, FormatsDoNotChangeTheBytes) {
  const std::string csv = csv_of(table_);
  const std::string expected = built("t.csv", csv, kLabels).csv;
  const std::vector<std::pair<std::string, std::string>> files = {
      {"t.csv.gz", gzipped(csv)},
      {"T.CSV", csv},
      {"t.npy", npy_of(table_)},
      {"t.npz", npz_of(table_)},
      {"t.svm", libsvm_of(table_)},
      {"t.libsvm", libsvm_of(table_)},
      {"fortran.npy", npy_as<double>(table_, "<f8", true)},
      {"big.npy", npy_as<double>(table_, ">f8")},
      {"bom.csv", "\xEF\xBB\xBF" + csv},
      {"crlf.csv", csv_of(table_, ",", true, "\r\n")},
      {"open.csv", csv.substr(0, csv.size() - 1)},
      {"lines.csv", "\n" + csv + "\n\r\n"}};
  for (const auto& [file, content] : files) EXPECT_EQ(built(file, content, kLabels).csv, expected) << file;
  EXPECT_EQ(built("semicolon.csv", csv_of(table_, ";"), kLabels + Words{"--delimiter", ";"}).csv, expected);
  EXPECT_EQ(built("tab.csv", csv_of(table_, "\t"), kLabels + Words{"--delimiter", "tab"}).csv, expected);
  EXPECT_EQ(built("bare.csv", csv_of(table_, ",", false), kLabels + Words{"--no-header"}).csv, expected);
}

TEST_F(DataCoreset, WholeNumbersOfAnyTypeAreTheSame) {
  Matrix whole = whole_numbers(200, 3, 0, 9);
  for (std::ptrdiff_t n = 0; n < whole.rows; ++n) {
    double& y = whole.values[static_cast<std::size_t>(n * 3 + 2)];
    y = y > 4 ? 1 : 0;
  }
  const std::string expected = built("t.csv", csv_of(whole), kLabels).csv;
  EXPECT_EQ(built("i1.npy", npy_as<std::int8_t>(whole, "|i1"), kLabels).csv, expected);
  EXPECT_EQ(built("u2.npy", npy_as<std::uint16_t>(whole, ">u2"), kLabels).csv, expected);
  EXPECT_EQ(built("u8.npy", npy_as<std::uint64_t>(whole, "<u8"), kLabels).csv, expected);
  EXPECT_EQ(built("f4.npy", npy_as<float>(whole, "<f4"), kLabels).csv, expected);
}

TEST_F(DataCoreset, NumPyFilesAreRead) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no NumPy here";
  write_file(folder_ / "t.csv", csv_of(table_));
  const std::string make =
      "cd " + folder_.path().string() +
      " && /usr/bin/python3 -c \"import numpy as np; a = np.loadtxt('t.csv', delimiter=',', skiprows=1);"
      "np.save('n.npy', a); np.savez('n.npz', X=a[:, :-1], y=a[:, -1]);"
      "np.savez_compressed('c.npz', X=a[:, :-1], y=a[:, -1].astype(bool))\"";
  ASSERT_EQ(std::system(make.c_str()), 0);
  const std::string expected = build("t.csv", kLabels + Words{"--quiet"}).out;
  for (const char* file : {"n.npy", "n.npz", "c.npz"})
    EXPECT_EQ(build(file, kLabels + Words{"--quiet"}).out, expected) << file;
}

TEST_F(DataCoreset, StandardInputIsCsv) {
  write_file(folder_ / "t.csv", csv_of(table_));
  const std::string expected = build("t.csv", kLabels + Words{"--quiet"}).out;
  const auto outcome = run(Launch{.arguments = Words{"build", "-"} + kLabels, .input = folder_ / "t.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.out, expected);
  EXPECT_NE(outcome.error.find("standard input: N = 300 rows, D = 4 parameters"), std::string::npos)
      << outcome.error;
}

TEST_F(DataCoreset, DecimalCommaLocaleChangesNoByte) {
  const GermanLocale locale;
  if (!locale.made()) GTEST_SKIP() << "no decimal-comma locale can be made here";
  const DataBuild plain = built("t.csv", csv_of(table_), kLabels);
  const auto comma = run(
      Launch{.arguments = Words{"build", "t.csv"} + kLabels + Words{"--out", "g.csv", "--prior-scale", "1.0"},
             .environment = locale.environment(),
             .folder = folder_.path()});
  EXPECT_EQ(comma.code, 0) << comma.error;
  EXPECT_EQ(read_file(folder_ / "g.csv"), plain.csv);
  EXPECT_EQ(read_file(folder_ / "g.json"), plain.companion);
  EXPECT_GT(count_of(plain.csv, "."), 20);
}

// The table with a text column before and a number column after, and the response in the middle.
TEST_F(DataCoreset, ColumnsAreChosenByNameAndTheOthersKeepTheirText) {
  std::string text = "city,x1,y,x2,x3,note\n";
  for (std::ptrdiff_t n = 0; n < table_.rows; ++n) {
    const auto cells = row_texts(table_, n);
    text += joined({"\"Town, no. " + std::to_string(n) + "\"", cells[0], cells[3], cells[1], cells[2],
                    n % 2 == 0 ? "007" : "=1+1"}) +
            "\n";
  }
  const DataBuild plain = built("plain.csv", csv_of(table_), kLabels);
  const DataBuild chosen = built("t.csv", text, kLabels + Words{"--response", "y", "--features", "x1,x2,x3"});
  EXPECT_EQ(chosen.rows(), plain.rows());
  EXPECT_EQ(chosen.weights(), plain.weights());
  EXPECT_TRUE(chosen.csv.starts_with("row,weight,city,x1,y,x2,x3,note\n"));
  for (const std::ptrdiff_t n : chosen.rows()) {
    const auto cells = row_texts(table_, n);
    const std::string line =
        ",\"Town, no. " + std::to_string(n) + "\"," + joined({cells[0], cells[3], cells[1], cells[2]}) + ",";
    EXPECT_NE(chosen.csv.find(line), std::string::npos) << line;
  }
  EXPECT_NE(chosen.csv.find(",007\n"), std::string::npos);
  EXPECT_EQ(chosen.record["response"], "y");
  EXPECT_EQ(chosen.record["standardisation"]["features"], json({"x1", "x2", "x3"}));
  const DataBuild zipped =
      built("t.csv.gz", gzipped(text), kLabels + Words{"--response", "y", "--features", "x1,x2,x3"});
  EXPECT_EQ(zipped.csv, chosen.csv);
}

TEST_F(DataCoreset, ResponseIsYElseTheLastColumn) {
  std::string text = "y,x1,x2,x3\n", renamed = "x1,x2,x3,label\n";
  for (std::ptrdiff_t n = 0; n < table_.rows; ++n) {
    const auto cells = row_texts(table_, n);
    text += joined({cells[3], cells[0], cells[1], cells[2]}) + "\n";
    renamed += joined(cells) + "\n";
  }
  const DataBuild plain = built("plain.csv", csv_of(table_), kLabels);
  EXPECT_EQ(built("first.csv", text, kLabels).record["coreset"], plain.record["coreset"]);
  const DataBuild last = built("last.csv", renamed, kLabels);
  EXPECT_EQ(last.record["coreset"], plain.record["coreset"]);
  EXPECT_EQ(last.record["response"], "label");
}

TEST_F(DataCoreset, DroppedRowsDoNotChangeTheNumbersOfTheOthers) {
  std::string text = "x1,x2,x3,y\n";
  std::vector<std::ptrdiff_t> kept;
  for (std::ptrdiff_t n = 0; n < table_.rows; ++n) {
    auto cells = row_texts(table_, n);
    if (n % 3 == 0) {
      cells[static_cast<std::size_t>(n % 4)] = n % 2 == 0 ? "" : "NA";
    } else {
      kept.push_back(n);
    }
    text += joined(cells) + "\n";
  }
  const DataBuild few = built("few.csv", csv_of(rows_of(table_, kept)), kLabels);
  const DataBuild dropped = built("t.csv", text, kLabels + Words{"--missing", "drop"});
  EXPECT_TRUE(dropped.notes("giga: note: dropped 100 rows of 300 with missing values"))
      << dropped.outcome.error;
  EXPECT_EQ(dropped.weights(), few.weights());
  for (std::size_t i = 0; i < few.rows().size(); ++i)
    EXPECT_EQ(dropped.rows()[i], kept[static_cast<std::size_t>(few.rows()[i])]);
  const auto lines = cells_of(dropped.csv);
  for (std::size_t i = 1; i < lines.size(); ++i)
    EXPECT_EQ(Words(lines[i].begin() + 2, lines[i].end()), row_texts(table_, std::stol(lines[i][0])));
}

TEST_F(DataCoreset, HostileNamesAreInert) {
  const std::string header = "<script>alert(1)</script>,=cmd(),+x,y\n";
  const std::string body = csv_of(table_).substr(11);
  const DataBuild result = built("t.csv", header + body, twenty_);
  EXPECT_TRUE(result.csv.starts_with("row,weight,<script>alert(1)</script>,'=cmd(),'+x,y\n")) << result.csv;
  EXPECT_EQ(cells_of(result.csv).size(), 21U);
  EXPECT_EQ(result.record["coreset"], built("plain.csv", csv_of(table_), twenty_).record["coreset"]);
  const DataBuild quoted = built("q.csv", "\"a,b\",\"say \"\"hi\"\"\",\"@SUM(1,2)\",y\n" + body, kLabels);
  EXPECT_TRUE(quoted.csv.starts_with("row,weight,\"a,b\",\"say \"\"hi\"\"\",\"'@SUM(1,2)\",y\n"))
      << quoted.csv;
  const DataBuild escaped = built("e.csv", "a\x1b[31m,b,c,y\n0,0,0,1\n0,1,0,0\n", kLabels);
  EXPECT_EQ(escaped.outcome.error.find('\x1b'), std::string::npos) << escaped.outcome.error;
}

TEST_F(DataCoreset, ColumnsCalledRowOrWeightAreRenamed) {
  const std::string body = csv_of(table_).substr(11);
  EXPECT_TRUE(built("t.csv", "row,weight,x3,y\n" + body, kLabels)
                  .csv.starts_with("row,weight,input_row,input_weight,x3,y\n"));
}

TEST_F(DataCoreset, NamesOfTheOutputAreUnique) {
  const std::string body = csv_of(table_).substr(11);
  const auto names = cells_of(built("t.csv", "row,input_row,weight,y\n" + body, kLabels).csv)[0];
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(std::count(names.begin(), names.end(), names[i]), 1) << joined(names);
}

TEST_F(DataCoreset, CompanionCarriesTheModelAndTheScale) {
  const DataBuild result =
      built("t.csv", csv_of(table_), kLabels + Words{"--size", "7", "--prior-scale", "2.5"});
  const json companion = json::parse(result.companion);
  EXPECT_EQ(companion["model"]["family"], "bernoulli");
  EXPECT_EQ(companion["model"]["prior_scale"], 2.5);
  EXPECT_EQ(companion["model"]["intercept"], true);
  EXPECT_EQ(companion["D"], 4);
  EXPECT_EQ(companion["size"], 7);
  EXPECT_EQ(companion["coreset"], result.record["coreset"]);
  EXPECT_EQ(companion["heldout_error"], result.record["heldout_error"]);
  double mean = 0, squares = 0;
  for (std::ptrdiff_t n = 0; n < table_.rows; ++n) mean += table_.at(n, 1) / 300;
  for (std::ptrdiff_t n = 0; n < table_.rows; ++n) squares += std::pow(table_.at(n, 1) - mean, 2) / 300;
  EXPECT_NEAR(companion["standardisation"]["mean"][1], mean, 1e-12);
  EXPECT_NEAR(companion["standardisation"]["scale"][1], std::sqrt(squares), 1e-12);
  // Without an intercept columns are not moved.
  const json through =
      json::parse(built("t.csv", csv_of(table_), kLabels + Words{"--no-intercept"}).companion);
  EXPECT_EQ(through["model"]["intercept"], false);
  EXPECT_EQ(through["D"], 3);
  EXPECT_EQ(through["standardisation"]["mean"][1], 0.0);
  EXPECT_NEAR(through["standardisation"]["scale"][1], std::hypot(mean, std::sqrt(squares)), 1e-12);
}

// In the run record a row is a row of the input everywhere.
TEST_F(DataCoreset, TraceNamesRowsOfTheInput) {
  const std::string csv = csv_of(table_);
  const std::string first = csv.substr(11, csv.find('\n', 11) - 10);
  const DataBuild plain = built("plain.csv", csv, kLabels);
  std::string repeated = csv.substr(0, 11);
  for (int i = 0; i < 50; ++i) repeated += first;
  const DataBuild shifted =
      built("t.csv", repeated + csv.substr(11 + first.size()), kLabels + Words{"--method", "giga"});
  const auto rows = shifted.rows();
  for (const json& step : shifted.record["trace"]) {
    EXPECT_TRUE(step["row"] == 0 || step["row"] >= 50) << step["row"];
    EXPECT_TRUE(step.contains("heldout_error"));
  }
  for (const std::ptrdiff_t row : rows) EXPECT_TRUE(row == 0 || row >= 50);
  const json& trace = shifted.record["trace"];
  for (const std::ptrdiff_t row : rows) {
    EXPECT_TRUE(
        std::any_of(trace.begin(), trace.end(), [&](const json& step) { return step["row"] == row; }));
  }
}

}  // namespace
}  // namespace giga::test
