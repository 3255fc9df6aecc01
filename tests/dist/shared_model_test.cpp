// Models of a table that ranks share have the bits of one process: whatever they are asked, and however
// little of the table a rank holds.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "dist/thread_ranks.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_share.hpp"
#include "giga/dist/rank_executor.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/read_table.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

constexpr Index kRows = 6 * kBlockRows + 321;

void on_each(int size, const std::function<void(const RankExecutor&)>& body) {
  on_ranks(size, [&](Transport& transport) {
    Ranks ranks(transport);
    std::exception_ptr failure;
    try {
      const RankExecutor executor(ranks, 1);
      body(executor);
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure = ranks.conclude(failure); failure) ADD_FAILURE() << "a rank failed";
  });
}

// Where rows repeat, the last repeat the first: of 2 ranks each holds distinct rows of its own, of 3 every
// rank all.
std::string trips_csv(bool repeat) {
  const Index distinct = repeat ? 5 * kBlockRows - 50 : kRows;
  std::string text = "carrier,hour,distance,days,delays,late,sign\n";
  for (Index n = 0; n < kRows; ++n) {
    const Index v = n % distinct * 7919 % 100'003, days = 1 + v % 19;
    text += std::string(v % 3 == 0   ? "AA"
                        : v % 3 == 1 ? "B6"
                                     : "UA") +
            "," + std::to_string(5 + v % 7) + "," + std::to_string(90 + v % 2400) + "," +
            std::to_string(days) + "," + std::to_string(days * (v % 11) / 10) + "," +
            (v % 11 > 4 ? "yes" : "no") + "," + (v % 13 > 5 ? "1" : "-1") + "\n";
  }
  return text;
}

struct Case {
  const char* formula;
  Family family;
  bool repeat = true;

  // In the name of a test: else its bytes, an address among them.
  friend void PrintTo(const Case& each, std::ostream* out) { *out << each.formula; }
};

// Every number of a derivative, exactly.
void expect_same(const Derivatives& got, const Derivatives& want) {
  EXPECT_EQ(got.value, want.value);
  EXPECT_EQ(got.gradient, want.gradient);
  EXPECT_EQ(got.hessian, want.hessian);
}

class SharedModel : public ::testing::TestWithParam<Case> {
 protected:
  SharedModel() { write_file(dir_ / "t.csv", trips_csv(GetParam().repeat)); }

  [[nodiscard]] ModelTable table(const Executor& executor) const {
    ModelOptions model{.family = {GetParam().family}};
    model.formula = GetParam().formula;
    return read_table(dir_ / "t.csv", {}, model, executor);
  }

  TempDir dir_;
};

TEST_P(SharedModel, HasTheBitsOfOneProcess) {
  const ModelTable whole = table(Threads(1));
  const Problem want(whole.data, whole.model, Threads(1));
  const Likelihood& all = want.likelihood();
  std::vector<double> theta = all.start(Threads(1));
  for (double& value : theta) value += 0.01;
  const Derivatives at_theta = all.evaluate(theta, Order::Hessian, Threads(1));
  std::vector<Index> some;
  for (Index n = 0; n < all.num_rows(); n += 3) some.push_back(n);
  const std::vector<double> weights(some.size(), 3);
  const Derivatives of_some = all.subset(some, weights)->evaluate(theta, Order::Hessian, Threads(1));
  for (const int size : {2, 3}) {
    on_each(size, [&](const RankExecutor& executor) {
      const ModelTable part = table(executor);
      ASSERT_TRUE(part.data.is_shared());
      const Problem got(part.data, part.model, executor);
      EXPECT_EQ(got.notes(), want.notes());
      EXPECT_EQ(got.table()->distinct.rows.empty(), !GetParam().repeat);
      EXPECT_EQ(got.table()->design->scale().mean, want.table()->design->scale().mean);
      EXPECT_EQ(got.table()->design->scale().scale, want.table()->design->scale().scale);
      const Likelihood& own = got.likelihood();
      EXPECT_EQ(own.start(executor), all.start(Threads(1)));
      expect_same(own.evaluate(theta, Order::Hessian, executor), at_theta);
      if (own.is_shared()) {
        EXPECT_LT(own.held().size(), own.num_rows());
        const auto shared = own.shared_subset(some, weights, executor);
        expect_same(shared->evaluate(theta, Order::Hessian, executor), of_some);
        EXPECT_EQ(shared->start(executor), all.subset(some, weights)->start(Threads(1)));
      }
      own.fetch(some, executor);
      expect_same(own.subset(some, weights)->evaluate(theta, Order::Hessian, executor.local()), of_some);
      own.complete(executor);
      EXPECT_EQ(own.held().size(), own.num_rows());
      expect_same(own.evaluate(theta, Order::Hessian, executor.local()), at_theta);
    });
  }
}

TEST_P(SharedModel, IsFittedAsByOneProcess) {
  FitOptions options;
  options.coreset = fit_coreset_options();
  options.chains = 2;
  options.sample.warmup = 40;
  options.sample.draws = 30;
  options.max_rounds = 1;
  const ModelTable whole = table(Threads(1));
  const Problem problem(whole.data, whole.model, Threads(1));
  const FitResult want = fit(problem, options, Threads(1));
  for (const int size : {2, 3}) {
    on_each(size, [&](const RankExecutor& executor) {
      const ModelTable part = table(executor);
      const Problem own(part.data, part.model, executor);
      const FitResult got = fit(own, options, executor);
      EXPECT_EQ(got.coreset.coreset.rows, want.coreset.coreset.rows);
      EXPECT_EQ(got.coreset.coreset.weights, want.coreset.coreset.weights);
      EXPECT_EQ(got.coreset.heldout_error, want.coreset.heldout_error);
      ASSERT_EQ(got.chains.size(), want.chains.size());
      for (std::size_t c = 0; c < got.chains.size(); ++c)
        EXPECT_EQ(got.chains[c].draws, want.chains[c].draws);
      EXPECT_EQ(got.certificate.coreset.k_hat, want.certificate.coreset.k_hat);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formulas, SharedModel,
    ::testing::Values(
        Case{"late ~ hour + carrier + distance + delays + days", Family::BernoulliLogit},
        Case{"late ~ factor(hour) + ns(distance, 3) + poly(delays, 2)", Family::BernoulliProbit},
        Case{"cbind(delays, days - delays) ~ (1 | carrier) + distance + hour", Family::BinomialLogit},
        Case{"delays ~ hour + distance + offset(log(days))", Family::PoissonLog},
        Case{"log(distance) ~ hour + delays + carrier", Family::StudentT},
        // Rows that all differ, whose responses are read where the table has them, or are not.
        Case{"sign ~ distance + hour + delays + days", Family::BernoulliLogit, false},
        Case{"late ~ distance + hour + delays + days", Family::BernoulliLogit, false},
        Case{"delays ~ distance + hour + offset(log(days))", Family::PoissonLog, false},
        Case{"log(distance) ~ hour + delays + days", Family::GaussianIdentity, false}),
    [](const auto& each) { return "Formula" + std::to_string(each.index); });

TEST(SharedSurvey, ASampleByScoresIsThatOfOneProcess) {
  std::vector<float> scores(static_cast<std::size_t>(kRows));
  for (std::size_t n = 0; n < scores.size(); ++n)
    scores[n] = static_cast<float>(std::fmod(static_cast<double>(n) * 0.618, 1.0));
  for (const Index size : {Index{10}, Index{3000}, kRows - 1, kRows}) {
    const RowSample want = priority_sample(scores, size, 7, Threads(1), 2);
    on_each(3, [&](const RankExecutor& executor) {
      const RowSample got = priority_sample(scores, size, 7, executor, 2);
      EXPECT_EQ(got.rows, want.rows);
      EXPECT_EQ(got.counts, want.counts);
      EXPECT_EQ(got.num_certain, want.num_certain);
    });
  }
}

}  // namespace
}  // namespace giga::test
