#include "giga/record/coreset_file.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "giga/base/error.hpp"
#include "giga/record/same_data.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

const Executor& executor() {
  static const Threads kTwo(2);
  return kTwo;
}

json companion() {
  return json::parse(R"({"giga": "coreset", "version": "0.1.0", "N": 1000,
    "model": {"family": "poisson", "link": "softplus", "noise_scale": 1.0, "prior_scale": 2.0,
              "intercept": true, "standardise": true},
    "response": "n", "columns": ["row", "id", "=x", "n"],
    "standardisation": {"features": ["row", "=x"], "mean": [10.0, -1.0], "scale": [4.0, 0.5]},
    "coreset": {"rows": [3, 700], "weights": [250.5, 749.0]}})");
}

constexpr const char* kRows =
    "row,weight,input_row,id,'=x,n\n3,250.5,12,abc,-0.5,4\n700,749,8,\"d,e\",0.25,0\n";

class CoresetFile : public ::testing::Test {
 protected:
  void write(const json& beside, const std::string& rows = kRows) const {
    write_file(folder_ / "c.json", beside.dump());
    write_file(folder_ / "c.csv", rows);
  }
  [[nodiscard]] WeightedProblem loaded() const {
    return read_coreset(folder_ / "c.csv", find_coreset(folder_ / "c.csv").value(), executor());
  }
  [[nodiscard]] std::string refusal() const {
    return message_of<DataError>([&] { (void)loaded(); });
  }
  TempDir folder_;
};

TEST_F(CoresetFile, HasModelScaleRowsAndWeightsOfItsCompanion) {
  write(companion());
  const WeightedProblem problem = loaded();
  EXPECT_EQ(problem.input_rows, (std::vector<Index>{3, 700}));
  EXPECT_EQ(problem.features, (std::vector<std::string>{"row", "=x"}));
  EXPECT_EQ(problem.num_rows, 1000);
  ASSERT_EQ(problem.problem->likelihood().num_parameters(), 3);
  const LinearModel& model = *problem.problem->likelihood().linear_model();
  ASSERT_EQ(model.num_rows(), 2);
  ASSERT_EQ(model.num_columns(), 3);
  EXPECT_EQ(model.family().family, Family::PoissonSoftplus);
  EXPECT_EQ(model.multiplicity(0), 250.5);
  EXPECT_EQ(model.response(0), 4);
  double z[3];
  model.design(0, 1, z);
  EXPECT_EQ(z[0], (12 - 10) / 4.0);  // by the scale of all the data, not of these two rows
  EXPECT_EQ(z[1], (-0.5 + 1) / 0.5);
  EXPECT_EQ(z[2], 1);
  EXPECT_EQ(problem.problem->prior().normal()->precision()[0], 0.25);
}

json with_priors() {
  json out = companion();
  out["D"] = 3;
  out["model"].update(json::parse(R"json({"prior": ["student_t(4, 0, 1)", "row = laplace(0, 0.1)"],
    "prior_intercept": "cauchy(1, 2)", "autoscale": true,
    "parameter_priors": ["laplace(0, 0.3)", "student_t(4, 0, 3)", "cauchy(1, 6)"]})json"));
  return out;
}

TEST_F(CoresetFile, HasThePriorsThatAllTheDataGave) {
  write(with_priors());
  const WeightedProblem problem = loaded();
  const Prior& prior = problem.problem->prior();
  // By their place: coreset.csv calls the column `row` otherwise, and knows no sd of the response.
  EXPECT_EQ(prior.marginal(0).text(), "laplace(0, 0.3)");
  EXPECT_EQ(prior.marginal(1).text(), "student_t(4, 0, 3)");
  EXPECT_EQ(prior.marginal(2).text(), "cauchy(1, 6)");
  const PriorOptions& given = problem.problem->table()->options.priors;
  EXPECT_EQ(prior_texts(given), (std::vector<std::string>{"student_t(4, 0, 1)", "row = laplace(0, 0.1)"}));
  EXPECT_EQ(given.intercept->text(), "cauchy(1, 2)");
  EXPECT_TRUE(given.autoscale);
}

TEST_F(CoresetFile, PriorsThatAreDamagedAreNamed) {
  const std::vector<std::pair<const char*, json>> damage = {
      {"/model/prior", json::array({"normal(0"})},
      {"/model/prior", json::array({"flat", "flat"})},
      {"/model/prior", 3},
      {"/model/prior_intercept", "gauss(0, 1)"},
      {"/model/autoscale", "yes"},
      {"/model/parameter_priors", json::array({"flat"})},
      {"/model/parameter_priors", json::array({"flat", "flat", "normal(0, -1)"})},
      {"/D", 4}};
  for (const auto& [pointer, value] : damage) {
    json bad = with_priors();
    bad[json::json_pointer(pointer)] = value;
    write(bad);
    EXPECT_NE(refusal().find("c.json: '"), std::string::npos) << pointer << ": " << refusal();
  }
}

TEST_F(CoresetFile, IsTheFileThatBeginsWithRowAndWeight) {
  const auto is_one = [&](const std::string& name, const std::string& content) {
    write_file(folder_ / name, content);
    return has_coreset_columns(folder_ / name);
  };
  EXPECT_TRUE(is_one("a.csv", "row,weight,x\n"));
  EXPECT_TRUE(is_one("a.CSV", "\xEF\xBB\xBFrow,weight\r\n"));
  EXPECT_TRUE(is_one("a.txt", "row,weight,x\n"));
  EXPECT_FALSE(is_one("a.csv", "row,weights,x\n"));
  EXPECT_FALSE(is_one("a.csv", "weight,row,x\n"));
  EXPECT_FALSE(is_one("a.csv", ""));
  EXPECT_FALSE(is_one("a.npy", "row,weight,x\n"));
  EXPECT_FALSE(has_coreset_columns(folder_ / "none.csv"));
  EXPECT_FALSE(has_coreset_columns(folder_.path()));
  EXPECT_FALSE(has_coreset_columns("-"));
}

TEST_F(CoresetFile, ACompanionIsAbsentForeignOrDamaged) {
  EXPECT_FALSE(find_coreset(folder_ / "c.csv"));
  for (const char* foreign : {"[]", "{}", "3", R"({"giga": "other"})", R"({"giga": 1})"}) {
    write_file(folder_ / "c.json", foreign);
    EXPECT_FALSE(find_coreset(folder_ / "c.csv")) << foreign;
  }
  const std::string whole = companion().dump();
  write_file(folder_ / "c.json", whole.substr(0, whole.size() / 2));
  EXPECT_NE(refusal().find("is not JSON, or was cut short"), std::string::npos) << refusal();
}

TEST_F(CoresetFile, EveryFieldThatIsMissingOrWrongIsNamed) {
  const std::vector<std::pair<const char*, json>> damage = {
      {"/N", "many"},
      {"/model/family", "gamma"},
      {"/model/link", "log2"},
      {"/model/intercept", 3},
      {"/model/prior_scale", 0.0},
      {"/model/noise_scale", nullptr},
      {"/response", json::array()},
      {"/standardisation/mean", json::array({1.0})},
      {"/standardisation/scale", json::array({0.0, 1.0})},
      {"/standardisation/features", json::array()},
      {"/coreset/rows", json::array({1})},
      {"/coreset/weights", "heavy"},
      {"/columns", 1}};
  for (const auto& [pointer, value] : damage) {
    json bad = companion();
    bad[json::json_pointer(pointer)] = value;
    write(bad);
    EXPECT_NE(refusal().find("c.json: '"), std::string::npos) << pointer << ": " << refusal();
    if (std::string(pointer) == "/columns") continue;
    json less = companion();
    less.erase(std::string(pointer).substr(1, std::string(pointer).find('/', 1) - 1));
    write(less);
    EXPECT_NE(refusal().find("c.json: '"), std::string::npos) << pointer << ": " << refusal();
  }
}

TEST_F(CoresetFile, TwoFilesThatAreNotOfOneCoresetAreRefused) {
  const std::string rows = kRows;
  for (const auto& [part, with] : std::vector<std::pair<std::string, std::string>>{
           {"\n700,", "\n701,"}, {"749,", "748,"}, {"\n700,749,8,\"d,e\",0.25,0\n", "\n"}}) {
    std::string other = rows;
    write(companion(), other.replace(other.find(part), part.size(), with));
    EXPECT_NE(refusal().find("its rows and weights are not those of"), std::string::npos) << refusal();
  }
  std::string renamed = rows;
  write(companion(), renamed.replace(renamed.find("'=x"), 3, "z"));
  EXPECT_NE(refusal().find("no column ''=x'"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("not of one coreset"), std::string::npos) << refusal();
  std::string odd = rows;
  write(companion(), odd.replace(odd.find("\n3,"), 3, "\n3.5,"));
  EXPECT_NE(refusal().find("row 1 (line 2), column 'row': '3.5' is not a row"), std::string::npos)
      << refusal();
}

TEST(CoresetHeadings, AreUniqueAndInert) {
  EXPECT_EQ(coreset_headings({"x", "row", "weight", "=a"}),
            (std::vector<std::string>{"x", "input_row", "input_weight", "'=a"}));
  EXPECT_EQ(coreset_headings({"row", "input_row"}),
            (std::vector<std::string>{"input_input_row", "input_row"}));
}

// A table of words, a date and a formula-like level; the coreset is of its rows 1 and 3.
class CategoryCoreset : public ::testing::Test {
 protected:
  [[nodiscard]] Dataset data(const std::string& text) const {
    write_file(folder_ / "t.csv", text);
    return read_dataset(folder_ / "t.csv", {.response = "late"}, executor());
  }

  void write_coreset() const {
    const Dataset all = data(kText);
    ModelOptions model;
    model.success = "no";
    const Problem problem(all, model, executor());
    CoresetResult result;
    result.coreset.rows = {1, 3};
    result.coreset.weights = {2, 3};
    const std::string digest = data_digest(all, executor());
    giga::write_coreset(folder_ / "c.csv", coreset_file(problem, result, {}, digest), true);
  }

  static constexpr const char* kText =
      "carrier,row,day,note,late\n"
      "UA,=x,2024-03-01,p,yes\n"
      "=cmd(),=y,2024-03-02,q,no\n"
      "\"A,A\",=x,2024-02-29,r,no\n"
      "UA,z,2024-03-05,s,no\n"
      "B6,z,2024-03-05,t,yes\n";
  TempDir folder_;
};

using Texts = std::vector<std::string>;

TEST_F(CategoryCoreset, HasTheUsersWordsKindsAndLevels) {
  write_coreset();
  EXPECT_EQ(read_file(folder_ / "c.csv"),
            "row,weight,carrier,input_row,day,note,late\n"
            "1,2,'=cmd(),'=y,2024-03-02,q,no\n"
            "3,3,UA,z,2024-03-05,s,no\n");
  const json file = json::parse(read_file(folder_ / "c.json"));
  EXPECT_EQ(file["format"], 2);
  EXPECT_EQ(file["model"]["success"], "no");
  EXPECT_EQ(file["features"], json(Texts{"carrier", "row", "day", "note"}));
  EXPECT_EQ(file["kinds"][0]["name"], "carrier");
  EXPECT_EQ(file["kinds"][0]["kind"], "category");
  EXPECT_EQ(file["kinds"][0]["levels"], json(Texts{"=cmd()", "A,A", "B6", "UA"}));
  EXPECT_EQ(file["kinds"][2], json::parse(R"({"name": "day", "kind": "date"})"));
  EXPECT_EQ(file["kinds"][4]["levels"], json(Texts{"no", "yes"}));
  EXPECT_EQ(file["standardisation"]["features"],
            json(Texts{"carrierA,A", "carrierB6", "carrierUA", "row=y", "rowz", "day", "noteq", "noter",
                       "notes", "notet"}));
}

// Two rows have two of four levels: numbers, columns and labels must be those of all rows all the same.
TEST_F(CategoryCoreset, IsReadWithTheLevelsOfAllTheData) {
  write_coreset();
  const auto file = find_coreset(folder_ / "c.csv").value();
  const WeightedProblem coreset = read_coreset(folder_ / "c.csv", file, executor());
  const Dataset all = data(kText);
  const Problem problem(all, file.model, executor());
  const LinearModel& few = *coreset.problem->likelihood().linear_model();
  const LinearModel& many = *problem.likelihood().linear_model();
  ASSERT_EQ(few.num_columns(), many.num_columns());
  EXPECT_EQ(coreset.features, problem.table()->design->raw_names());
  const std::vector<Index> rows{1, 3};
  for (Index k = 0; k < 2; ++k) {
    std::vector<double> here(static_cast<std::size_t>(few.num_columns())), there = here;
    few.design(k, 1, here.data());
    many.design(rows[static_cast<std::size_t>(k)], 1, there.data());
    EXPECT_EQ(here, there);
    EXPECT_EQ(few.response(k), 1);  // 'no' is the success
  }
  EXPECT_EQ(coreset_within(problem, coreset, file, executor()).rows, rows);
}

TEST_F(CategoryCoreset, OtherWordsAreOtherData) {
  write_coreset();
  const auto file = find_coreset(folder_ / "c.csv").value();
  const auto compare = [&](const std::string& text) {
    write_file(folder_ / "t.csv", text);
    const Dataset all = read_dataset(folder_ / "t.csv", file.read, executor());
    const Problem problem(all, file.model, file.scale, executor());
    (void)coreset_within(problem, read_coreset(folder_ / "c.csv", file, executor()), file, executor());
  };
  const auto expect_refused = [&](const std::string& text, const std::string& words) {
    const std::string message = message_of<DataError>([&] { compare(text); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  compare(kText);
  expect_refused(replaced(kText, "B6", "B7"), "row 5 (line 6), column 'carrier': 'B7' is not a level");
  expect_refused(replaced(kText, "=cmd()", "UA"),
                 "column 'carrier' of row 2 (line 3) is UA, but the coreset has '=cmd()");
  expect_refused(replaced(kText, "2024-03-01", "soon"), "'soon' is not a date");
  // The same numbers under other words.
  const std::string digest = data_digest(data(kText), executor());
  EXPECT_EQ(data_digest(data(kText), executor()), digest);
  EXPECT_NE(data_digest(data(replaced(kText, "B6", "B7")), executor()), digest);
  EXPECT_NE(data_digest(data(replaced(kText, "2024-02-29", "2024-02-28")), executor()), digest);
}

TEST_F(CategoryCoreset, DamagedKindsAreRefused) {
  write_coreset();
  const json good = json::parse(read_file(folder_ / "c.json"));
  const std::vector<std::pair<const char*, json>> damage = {{"/kinds/0/kind", "colour"},
                                                            {"/kinds/0/levels", json::array()},
                                                            {"/kinds/0/levels", Texts{"a", "a"}},
                                                            {"/kinds/0/levels", 3},
                                                            {"/kinds", 3},
                                                            {"/features", 1},
                                                            {"/format", 4}};
  for (const auto& [where, value] : damage) {
    json bad = good;
    bad[json::json_pointer(where)] = value;
    write_file(folder_ / "c.json", bad.dump());
    EXPECT_THROW((void)find_coreset(folder_ / "c.csv"), DataError) << where;
  }
}

TEST_F(CategoryCoreset, ATableOfNumbersIsWrittenAsBefore) {
  write_file(folder_ / "n.csv", "a,b,y\n1,2,0\n3,4,1\n5,6,1\n");
  const Dataset all = read_dataset(folder_ / "n.csv", {}, executor());
  const Problem problem(all, ModelOptions{}, executor());
  CoresetResult result;
  result.coreset.rows = {0};
  result.coreset.weights = {3};
  const json file = json::parse(coreset_json(coreset_file(problem, result)));
  EXPECT_EQ(file["format"], 1);
  for (const char* key : {"kinds", "features"}) EXPECT_FALSE(file.contains(key));
  for (const char* key : {"categories", "max_levels"}) EXPECT_FALSE(file["read"].contains(key));
  EXPECT_FALSE(file["model"].contains("success"));
}

}  // namespace
}  // namespace giga::test
