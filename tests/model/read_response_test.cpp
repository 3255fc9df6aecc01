// Labels that are words or other numbers, and what families say of a response that is text.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/model/family.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

using Texts = std::vector<std::string>;

Dataset table_of(const std::vector<std::string>& labels, const ReadOptions& options = {}) {
  const TempDir folder;
  std::string text = "x,y\n";
  for (std::size_t i = 0; i < labels.size(); ++i) text += std::to_string(i) + "," + labels[i] + "\n";
  write_file(folder / "t.csv", text);
  return read_dataset(folder / "t.csv", options, Threads(1));
}

Response labels(const Texts& texts, const std::optional<std::string>& success = {}) {
  return read_response(table_of(texts), Family::BernoulliLogit, success);
}

using Values = std::vector<double>;

TEST(ReadResponse, TheSecondOfTwoWordsIsTheSuccess) {
  const Response response = labels({"late", "ontime", "late"});
  EXPECT_EQ(response.values, (Values{-1, 1, -1}));
  EXPECT_EQ(response.notes, Texts{"labels: 'ontime' is success, 'late' is failure"});
  EXPECT_EQ(labels({"TRUE", "FALSE"}).values, (Values{1, -1}));
  EXPECT_EQ(labels({"yes", "no"}).values, (Values{1, -1}));
}

TEST(ReadResponse, TheSuccessMayBeChosen) {
  const Response response = labels({"late", "ontime", "late"}, "late");
  EXPECT_EQ(response.values, (Values{1, -1, 1}));
  EXPECT_EQ(response.notes, Texts{"labels: 'late' is success, 'ontime' is failure"});
  EXPECT_EQ(labels({"1", "2", "2"}, "2").values, (Values{-1, 1, 1}));
  EXPECT_EQ(labels({"1", "2", "2"}, "1").values, (Values{1, -1, -1}));
  EXPECT_EQ(labels({"0", "1"}, "0").values, (Values{1, -1}));
  EXPECT_EQ(labels({"0.5", "1"}, "5e-1").values, (Values{1, -1}));
}

TEST(ReadResponse, OneLabelOnlyIsSaid) {
  EXPECT_EQ(labels({"late", "late"}).values, (Values{-1, -1}));
  const Response response = labels({"late", "late"}, "late");
  EXPECT_EQ(response.values, (Values{1, 1}));
  EXPECT_EQ(response.notes,
            Texts{"every label is 'late', taken as success: one class only; the prior alone keeps the "
                  "intercept finite"});
  // Rows of a coreset may all be failures.
  EXPECT_EQ(labels({"1", "1"}, "2").values, (Values{-1, -1}));
}

TEST(ReadResponse, LevelsThatAreKnownDecideEvenWhereOneIsAbsent) {
  const Dataset data =
      table_of({"ontime", "ontime"}, {.known = {{"y", ColumnKind::Category, {"late", "ontime"}}}});
  EXPECT_EQ(read_response(data, Family::BernoulliLogit).values, (Values{1, 1}));
}

TEST(ReadResponse, MoreThanTwoLabelsAreListed) {
  const std::string message = message_of<DataError>([] { (void)labels({"a", "b", "c"}); });
  EXPECT_NE(
      message.find("column 'y' has 3 levels: 'a', 'b', 'c'; bernoulli needs two: put levels together, or "
                   "choose another column with `response`"),
      std::string::npos)
      << message;
  EXPECT_NE(message_of<DataError>([] {
              (void)labels({"1", "2", "3"}, "2");
            }).find("has the values '1', '2', '3'"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([] {
              (void)labels({"1", "2"});
            }).find("say which counts as 1 with `success`"),
            std::string::npos);
}

TEST(ReadResponse, ASuccessThatIsNoLabelIsRefused) {
  for (const auto& [texts, success] : {std::pair(Texts{"a", "b"}, "c"), std::pair(Texts{"1", "2"}, "3"),
                                       std::pair(Texts{"1", "2"}, "x"), std::pair(Texts{"a", "b"}, "")}) {
    const std::string message =
        message_of<OptionError>([&texts = texts, success = success] { (void)labels(texts, success); });
    EXPECT_NE(message.find("which is none of them"), std::string::npos) << message;
    EXPECT_NE(message.find("'" + texts[0] + "', '" + texts[1] + "'"), std::string::npos) << message;
  }
  EXPECT_THROW((void)read_response(table_of({"1", "2"}), Family::PoissonLog, "1"), OptionError);
}

TEST(ReadResponse, OtherFamiliesNeedNumbers) {
  const std::string counts = message_of<DataError>([] {
    (void)read_response(table_of({"a", "b"}), Family::PoissonLog);
  });
  EXPECT_NE(counts.find("column 'y' is text, with the levels 'a', 'b'; poisson needs counts: choose another "
                        "column with `response`"),
            std::string::npos)
      << counts;
  EXPECT_THROW((void)read_response(table_of({"a", "b"}), Family::GaussianIdentity), DataError);
  EXPECT_EQ(read_response(table_of({"4", "0"}), Family::PoissonLog).values, (Values{4, 0}));
  EXPECT_THROW((void)read_response(table_of({"4", "0"}, {.has_response = false}), Family::PoissonLog),
               std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
