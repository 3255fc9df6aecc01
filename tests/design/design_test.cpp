#include "giga/design/design.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "giga/base/threads.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/model/regression.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

// A term that the library does not have: the square of a feature.
class Square final : public Term {
 public:
  Square(Index feature, std::string name) : feature_(feature), name_(std::move(name)) {}

  [[nodiscard]] Index num_columns() const override { return 1; }
  [[nodiscard]] std::string column_name(Index /*c*/) const override { return name_ + "^2"; }
  void write(const double* const* x, Index count, const ColumnTarget& target) const override {
    for (Index i = 0; i < count; ++i)
      target.z[i * target.row_stride] =
          (x[i][feature_] * x[i][feature_] - target.mean[0]) * target.inverse_scale[0];
  }

 private:
  Index feature_;
  std::string name_;
};

Dataset table() {
  const TempDir folder;
  write_file(folder / "t.csv", "a,b,c,y\n1,20,-3,0\n2.5,70,8,1\n-4,10,0.25,1\n0.1,-60,7,0\n9,11,2,1\n");
  return read_dataset(folder / "t.csv", {}, Threads(1));
}

// a, b and c as they are, then the square of b; scales that no data has.
std::shared_ptr<const Design> with_square(bool intercept) {
  return std::make_shared<const Design>(
      Design::Terms{std::make_shared<NumericTerm>(0, std::vector<std::string>{"a", "b", "c"}),
                    std::make_shared<Square>(1, "b")},
      Standardisation{{0.3, 10, -1, 900}, {3, 40, 0.7, 1100}, {}}, DesignOptions{.intercept = intercept});
}

// The raw columns of a row, by hand.
std::vector<double> raw_columns(const Dataset& data, Index n) {
  const double* x = data.features(n);
  return {x[0], x[1], x[2], x[1] * x[1]};
}

std::vector<const double*> rows_of(const Dataset& data) {
  std::vector<const double*> rows;
  for (Index n = 0; n < data.num_rows(); ++n) rows.push_back(data.features(n));
  return rows;
}

// z of all rows, row-major.
std::vector<double> matrix_of(const Design& design, const Dataset& data) {
  std::vector<double> z(static_cast<std::size_t>(data.num_rows() * design.num_columns()));
  design.write(rows_of(data).data(), data.num_rows(), z.data(), design.num_columns(), 1);
  return z;
}

TEST(Design, EveryFeatureOfATableIsAColumnAndTheInterceptIsTheLast) {
  const Dataset data = table();
  const Design design(Design::all_features(data), {{1, 2, 3}, {4, 5, 8}, {}}, {.prior_scale = 2.5});
  EXPECT_EQ(design.names(), (std::vector<std::string>{"a", "b", "c", "(intercept)"}));
  EXPECT_EQ(design.num_columns(), 4);
  EXPECT_EQ(design.prior_scales(), std::vector<double>(4, 2.5));
  const std::vector<double> z = matrix_of(design, data);
  EXPECT_EQ(std::vector<double>(z.begin() + 4, z.begin() + 8),
            (std::vector<double>{(2.5 - 1) / 4, (70 - 2) * (1.0 / 5), (8 - 3) / 8.0, 1}));
}

TEST(Design, TermsMakeTheirColumnsInOrderEachStandardised) {
  const Dataset data = table();
  for (const bool intercept : {true, false}) {
    const auto design = with_square(intercept);
    ASSERT_EQ(design->num_columns(), intercept ? 5 : 4);
    EXPECT_EQ(design->names()[3], "b^2");
    const std::vector<double> z = matrix_of(*design, data);
    const std::vector<double>&mean = design->scale().mean, &scale = design->scale().scale;
    for (Index n = 0; n < data.num_rows(); ++n) {
      const std::vector<double> raw = raw_columns(data, n);
      const double* row = z.data() + n * design->num_columns();
      for (std::size_t c = 0; c < raw.size(); ++c)
        EXPECT_EQ(row[c], (raw[c] - mean[c]) * (1 / scale[c])) << n << ", " << c;
      if (intercept) {
        EXPECT_EQ(row[4], 1);
      }
    }
  }
}

TEST(Design, BothLayoutsAndAnyShareOfTheRowsHaveTheSameBits) {
  const Dataset data = table();
  const auto design = with_square(true);
  const Index width = design->num_columns(), rows = data.num_rows(), apart = rows + 3;
  const std::vector<double> by_row = matrix_of(*design, data);
  std::vector<double> by_column(static_cast<std::size_t>(width * apart), -77), one(5);
  design->write(rows_of(data).data(), rows, by_column.data(), 1, apart);
  for (Index n = 0; n < rows; ++n) {
    const double* x = data.features(n);
    design->write(&x, 1, one.data(), width, 1);
    for (Index c = 0; c < width; ++c) {
      const double want = by_row[static_cast<std::size_t>(n * width + c)];
      EXPECT_EQ(by_column[static_cast<std::size_t>(c * apart + n)], want);
      EXPECT_EQ(one[static_cast<std::size_t>(c)], want);
    }
  }
  for (Index c = 0; c < width; ++c)  // nothing is written between the columns
    for (Index n = rows; n < apart; ++n) EXPECT_EQ(by_column[static_cast<std::size_t>(c * apart + n)], -77);
}

TEST(Design, TheWayBackHasTheSamePredictorOnTheRawColumns) {
  const Dataset data = table();
  const std::vector<double> theta = {0.7, -1.3, 0.4, 2.1, -0.6};
  for (const bool intercept : {true, false}) {
    const auto design = with_square(intercept);
    const BothScales both = design->both_scales();
    const std::vector<double> b = both.values(theta.data()), z = matrix_of(*design, data);
    ASSERT_EQ(both.num_parameters(), design->num_columns());
    EXPECT_EQ(both.names()[3], "b^2");
    EXPECT_EQ(both.names()[4], intercept ? "(intercept)" : "(offset)");
    for (Index n = 0; n < data.num_rows(); ++n) {
      const std::vector<double> raw = raw_columns(data, n);
      const double* row = z.data() + n * design->num_columns();
      const double want = std::inner_product(row, row + design->num_columns(), theta.begin(), 0.0);
      EXPECT_NEAR(std::inner_product(raw.begin(), raw.end(), b.begin(), b[4]), want,
                  1e-12 * (1 + std::abs(want)));
    }
  }
}

TEST(Design, ParametersThatAreNotCoefficientsAreTheSameOnBothScales) {
  for (const bool intercept : {true, false}) {
    const auto design = with_square(intercept);
    const BothScales both = design->both_scales({"log_noise", "shape"});
    const Index columns = design->num_columns();
    ASSERT_EQ(both.num_parameters(), columns + 2);
    ASSERT_EQ(both.num_original(), 7) << "four coefficients, a constant, two others";
    std::vector<double> theta(static_cast<std::size_t>(columns), 0.5);
    theta.insert(theta.end(), {-1.25, 3.5});
    const std::vector<double> values = both.values(theta.data());
    ASSERT_EQ(values.size(), both.names().size());
    EXPECT_EQ(both.names()[5], "log_noise");
    EXPECT_EQ(both.names()[6], "shape");
    EXPECT_EQ(both.names().back(), "std_shape");
    EXPECT_EQ(values[5], -1.25);
    EXPECT_EQ(values[6], 3.5);
    EXPECT_EQ(std::vector<double>(values.begin() + 7, values.end()), theta);
  }
}

TEST(Design, ARegressionSeesTheColumnsOfATermOfOnesOwn) {
  const Threads executor(1);
  const Dataset data = table();
  const auto design = with_square(true);
  const Response response = describe(Family::BernoulliLogit).read_response(data);
  const Regression own(data, distinct_rows(data, executor), design, response.values,
                       {Family::BernoulliLogit});
  const Regression plain(matrix_of(*design, data), response.values, {}, {Family::BernoulliLogit});
  ASSERT_EQ(own.num_parameters(), 5);
  EXPECT_EQ(own.parameter_name(3), "b^2");
  EXPECT_EQ(own.parameter_name(4), "(intercept)");
  const std::vector<double> theta = {0.2, -0.1, 0.4, 0.3, -0.2};
  const Derivatives got = own.evaluate(theta, Order::Hessian, executor),
                    want = plain.evaluate(theta, Order::Hessian, executor);
  EXPECT_EQ(got.value, want.value);
  EXPECT_EQ(got.gradient, want.gradient);
  EXPECT_EQ(got.hessian, want.hessian);
}

TEST(Design, RefusesAScaleOfOtherColumnsAndNoColumnAtAll) {
  const Dataset data = table();
  EXPECT_THROW(Design(Design::all_features(data), Standardisation::identity(2), {}), std::invalid_argument);
  EXPECT_THROW(Design({}, Standardisation::identity(0), {.intercept = false}), std::invalid_argument);
  EXPECT_EQ(Design({}, Standardisation::identity(0), {}).num_columns(), 1);
}

}  // namespace
}  // namespace giga::test
