#include "giga/record/coreset_file.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "giga/base/error.hpp"
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

}  // namespace
}  // namespace giga::test
