// What the stages ask of a model: N independent rows with log-likelihoods L_n(theta), theta in R^D.
//
// The regressions of regression.hpp implement it with vectorised kernels. A model of your own needs only the
// three functions of RowModel below; likelihood_of() makes the rest:
//
//   struct Exponential {                               // times t_n with rate exp(theta)
//     std::vector<double> times;
//     Index num_rows() const { return std::ssize(times); }
//     Index num_parameters() const { return 1; }
//     double log_likelihood(Index n, const double* theta) const {
//       return theta[0] - times[n] * std::exp(theta[0]);
//     }
//     void gradient(Index n, const double* theta, double* out) const {
//       out[0] = 1 - times[n] * std::exp(theta[0]);
//     }
//     void hessian(Index n, const double* theta, double* out) const {  // D x D, all of it
//       out[0] = -times[n] * std::exp(theta[0]);
//     }
//   };
//   const auto model = likelihood_of(Exponential{times});
//
// With autodiff.hpp log_likelihood is enough, and the derivatives are made.
//
// "Row" means a distinct row throughout: one that occurs several times, or has an observation weight, counts
// `multiplicity` times.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/types.hpp"

namespace giga {

class LinearModel;

/// How much of a sum over rows is wanted.
enum class Order { Value, Gradient, Hessian };

struct Derivatives {
  double value = 0;
  std::vector<double> gradient;  ///< D values, empty below Order::Gradient
  std::vector<double> hessian;   ///< D x D, symmetric, empty below Order::Hessian
};

/// Points theta_0, theta_1, ... in R^D, stored by component so that kernels advance many points at once.
class Points {
 public:
  Points(Index dim, Index count);

  [[nodiscard]] Index dim() const { return dim_; }
  [[nodiscard]] Index count() const { return count_; }
  /// From one component to the next; at least count(), a multiple of 16. The points beyond count() are 0.
  [[nodiscard]] Index stride() const { return stride_; }
  [[nodiscard]] const double* component(Index d) const { return values_.data() + d * stride_; }
  [[nodiscard]] double at(Index d, Index point) const { return component(d)[point]; }
  void set(Index point, std::span<const double> theta);
  /// Writes the D components of a point.
  void get(Index point, double* theta) const;

 private:
  Index dim_, count_, stride_;
  std::vector<double> values_;
};

/// Derivatives along chosen directions. Derivative j of row n is
///     scale * <c_k, grad L_n(theta_j)>,  k = coordinate[j].
struct DirectionalFeatures {
  Points points;                  ///< theta_j
  std::vector<Index> coordinate;  ///< of each point, 0 .. D-1, ascending
  std::optional<Points> frame;    ///< c_0 .. c_{D-1}; none: the unit vectors
  double scale = 1;
};

class Likelihood {
 public:
  virtual ~Likelihood() = default;

  [[nodiscard]] virtual Index num_rows() const = 0;
  [[nodiscard]] virtual Index num_parameters() const = 0;
  /// How often row n counts; > 0.
  [[nodiscard]] virtual double multiplicity(Index n) const = 0;

  /// out[i * S + s] = L_n(theta_s) for n = first + i: of one observation, whatever the multiplicity. The bits
  /// of an element depend on n and theta_s alone. Safe from several threads, as are all functions here.
  virtual void log_likelihoods(Index first, Index count, const Points& points, double* out) const = 0;

  /// out[i * J + j] = derivative j of row n = first + i, times the multiplicity. Bits as for log_likelihoods.
  virtual void directional_derivatives(Index first, Index count, const DirectionalFeatures& features,
                                       double* out) const = 0;

  /// out[s] += sum of multiplicity(n) L_n(theta_s) over the rows first .. first + count - 1, each to 1e-14
  /// absolute or a few roundings of its terms. The bits of an element do not depend on the other points.
  virtual void add_log_likelihoods(Index first, Index count, const Points& points, double* out) const = 0;

  /// out[d * apart + s] += sum of multiplicity(n) dL_n/dtheta_d (theta_s) over the same rows, added one after
  /// the other; apart >= S.
  virtual void add_gradients(Index first, Index count, const Points& points, Index apart,
                             double* out) const = 0;

  /// sum_n multiplicity(n) L_n(theta) and its derivatives, in blocks reduced in block order: the same bits
  /// under any executor.
  [[nodiscard]] virtual Derivatives evaluate(std::span<const double> theta, Order order,
                                             const Executor& executor) const = 0;

  /// The model of some of the rows, row k counted weights[k] times (instead of its multiplicity). It does not
  /// refer to this object's rows.
  [[nodiscard]] virtual std::unique_ptr<Likelihood> subset(std::span<const Index> rows,
                                                           std::span<const double> weights) const = 0;

  // Ranks may share the rows: then each holds its own (Executor::own_rows), of which it is asked in folds,
  // and may be asked for others only if they were fetched. These are called by all ranks together.

  /// Whether they do; and the rows that this one holds.
  [[nodiscard]] virtual bool is_shared() const { return false; }
  [[nodiscard]] virtual RowRange held() const { return {0, num_rows()}; }
  /// After this any function, subset() too, may be asked for these rows one by one, on every rank.
  virtual void fetch(std::span<const Index> /*rows*/, const Executor& /*executor*/) const {}
  /// After this every rank holds all rows.
  virtual void complete(const Executor& /*executor*/) const {}
  /// subset() of rows that ascend, shared by ranks as this is.
  [[nodiscard]] virtual std::unique_ptr<Likelihood> shared_subset(std::span<const Index> rows,
                                                                  std::span<const double> weights,
                                                                  const Executor& /*executor*/) const {
    return subset(rows, weights);
  }

  /// Where an optimiser should begin.
  [[nodiscard]] virtual std::vector<double> start(const Executor& executor) const;
  /// What parameter d is called.
  [[nodiscard]] virtual std::string parameter_name(Index d) const;

  /// The linear predictor through which coefficients enter, if there is one; else null.
  [[nodiscard]] virtual const LinearModel* linear_model() const { return nullptr; }
};

/// A model given row by row. `out` of gradient has D entries, of hessian D x D; all are to be written. A row
/// that throws a std::exception at some theta has log-likelihood -infinity there, and derivatives NaN.
/// Two more members are used if the model has them, as in Likelihood:
///     std::vector<double> start() const
///     std::string parameter_name(Index d) const
template <typename Model>
concept RowModel = requires(const Model& model, Index n, const double* theta, double* out) {
  { model.num_rows() } -> std::convertible_to<Index>;
  { model.num_parameters() } -> std::convertible_to<Index>;
  { model.log_likelihood(n, theta) } -> std::convertible_to<double>;
  model.gradient(n, theta, out);
  model.hessian(n, theta, out);
};

/// The functions of a model given row by row, with its type erased: gradient and hessian, or
/// add_derivatives and directional_derivatives in their place.
struct RowFunctions {
  Index num_rows = 0;
  Index num_parameters = 0;
  std::function<double(Index, const double*)> log_likelihood = {};
  std::function<void(Index, const double*, double*)> gradient = {};
  std::function<void(Index, const double*, double*)> hessian = {};

  /// sum += times[i] (L_n, its gradient, its Hessian) at theta for n = rows[i], one row after the other.
  /// `sum` has room for what `order` asks for. Of the Hessian, the part below the diagonal is not read.
  std::function<void(std::span<const Index> rows, std::span<const double> times, const double* theta,
                     Order order, Derivatives& sum)>
      add_derivatives = {};
  /// out[i * J + j] = <c_k, grad L_n(theta_j)>, k = coordinate[j], for n = rows[i]: without the scale.
  std::function<void(std::span<const Index> rows, const DirectionalFeatures& features, double* out)>
      directional_derivatives = {};

  std::function<std::vector<double>()> start = {};        ///< none: that of Likelihood
  std::function<std::string(Index)> parameter_name = {};  ///< none: that of Likelihood
};

/// Takes over the optional members of a model.
template <typename Model>
void take_optional_members(RowFunctions& functions, const std::shared_ptr<const Model>& model) {
  if constexpr (requires {
                  { model->start() } -> std::convertible_to<std::vector<double>>;
                })
    functions.start = [model] { return model->start(); };
  if constexpr (requires(Index d) {
                  { model->parameter_name(d) } -> std::convertible_to<std::string>;
                })
    functions.parameter_name = [model](Index d) { return model->parameter_name(d); };
}

/// `multiplicity` is empty or has a positive entry for every row.
[[nodiscard]] std::unique_ptr<Likelihood> likelihood_of(RowFunctions functions,
                                                        std::vector<double> multiplicity = {});

template <RowModel Model>
[[nodiscard]] std::unique_ptr<Likelihood> likelihood_of(Model model, std::vector<double> multiplicity = {}) {
  const auto shared = std::make_shared<const Model>(std::move(model));
  RowFunctions functions;
  functions.num_rows = shared->num_rows();
  functions.num_parameters = shared->num_parameters();
  functions.log_likelihood = [shared](Index n, const double* theta) {
    return shared->log_likelihood(n, theta);
  };
  functions.gradient = [shared](Index n, const double* theta, double* out) {
    shared->gradient(n, theta, out);
  };
  functions.hessian = [shared](Index n, const double* theta, double* out) { shared->hessian(n, theta, out); };
  take_optional_members(functions, shared);
  return likelihood_of(std::move(functions), std::move(multiplicity));
}

}  // namespace giga
