// Vectors that are never stored, a build that is watched and stopped, and one that goes on where it stopped.
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/build.hpp"

namespace {

// Row n is the log-likelihood of observation n of a logistic regression at J values of theta, less its mean:
// the centred L2 projection. Rows are computed when they are asked for; what is kept is the data, N x D
// numbers and not N x J.
class LogisticRows : public giga::RowSource {
 public:
  /// `signed_data`: y_n z_n with y_n in {-1, 1}, num_rows x num_params; `thetas`: J x num_params.
  LogisticRows(std::vector<double> signed_data, std::vector<double> thetas, giga::Index num_params)
      : data_(std::move(signed_data)), thetas_(std::move(thetas)), num_params_(num_params) {}

  [[nodiscard]] giga::Index num_rows() const override { return std::ssize(data_) / num_params_; }
  [[nodiscard]] giga::Index dim() const override { return std::ssize(thetas_) / num_params_; }

  // Called from several threads at once; row n must have the same bits however it is asked for.
  void read(giga::Index first, giga::Index count, double* out) const override {
    for (giga::Index n = first; n < first + count; ++n, out += dim()) {
      double sum = 0;
      for (giga::Index j = 0; j < dim(); ++j) {
        out[j] = -std::log1p(std::exp(-product(n, j)));
        sum += out[j];
      }
      for (giga::Index j = 0; j < dim(); ++j) out[j] -= sum / static_cast<double>(dim());
    }
  }

  [[nodiscard]] std::string name() const override { return "logistic model"; }

 private:
  [[nodiscard]] double product(giga::Index n, giga::Index j) const {
    double sum = 0;
    for (giga::Index k = 0; k < num_params_; ++k) {
      sum += data_[static_cast<std::size_t>(n * num_params_ + k)] *
             thetas_[static_cast<std::size_t>(j * num_params_ + k)];
    }
    return sum;
  }

  std::vector<double> data_;
  std::vector<double> thetas_;
  giga::Index num_params_;
};

std::vector<double> normals(const char* purpose, giga::Index count, double mean) {
  giga::Stream random = giga::stream(7, purpose);
  std::vector<double> values;
  for (giga::Index i = 0; i < count; ++i) values.push_back(mean + random.normal());
  return values;
}

}  // namespace

int main() {
  constexpr giga::Index kNumRows = 20000, kDim = 40, kNumParams = 5;
  const LogisticRows rows(normals("data", kNumRows * kNumParams, 0.5),
                          normals("thetas", kDim * kNumParams, 1.0), kNumParams);
  const giga::Threads threads;
  const giga::VectorTable table(rows, threads);

  // The observer sees every step as it ends, and may end the build.
  giga::BuildResult result = giga::giga(table, {.size = 40}, [](const giga::StageProgress& at) {
    const giga::StepRecord& step = *at.step;
    std::printf("step %2td: row %5td, error %.3e, promised %.3e\n", step.step, step.row, step.relative_error,
                step.bound);
    return step.step == 3 ? giga::Answer::Stop : giga::Answer::Continue;
  });
  const bool stopped = result.termination == giga::Termination::Stopped && result.trace.size() == 3;

  // Going on gives the same bits as never having stopped.
  result = giga::resume(table, std::move(result), giga::GreedyOptions{.size = 40});
  const giga::BuildResult straight = giga::giga(table, {.size = 40});
  const bool same =
      result.coreset.rows == straight.coreset.rows && result.coreset.weights == straight.coreset.weights;

  std::printf("%td rows after %zu steps, relative error %.3e (%s); straight through: %s\n",
              result.coreset.size(), result.trace.size(), result.relative_error,
              name(result.termination).data(), same ? "the same bits" : "different");
  return stopped && same ? 0 : 1;
}
