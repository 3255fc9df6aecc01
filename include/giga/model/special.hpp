// The functions that log-likelihoods are made of, accurate over the whole range of a double.
//
// The error is at most 2 units in the last place, subnormal results included. The bits of a result depend on
// the argument alone: not on the instruction set, the position in an array or its length. NaN gives NaN.
#pragma once

#include <span>

namespace giga {

/// 1 / (1 + exp(-z)).
[[nodiscard]] double sigmoid(double z);
/// log(1 + exp(z)).
[[nodiscard]] double softplus(double z);
/// log(softplus(z)): z for very negative z, zero at log(e - 1).
[[nodiscard]] double log_softplus(double z);
/// log(y!) for a whole number y >= 0.
[[nodiscard]] double log_factorial(double y);
/// log |Gamma(x)|, to the accuracy of the C library's lgamma, but without its global variable `signgam`.
[[nodiscard]] double log_gamma(double x);
/// Its first and second derivative. Unlike the others they are within 1e-14 of the value;
/// near the zeros of digamma, within 1e-14 of its largest term. At 0, -1, -2, ... digamma is NaN and trigamma
/// infinite.
[[nodiscard]] double digamma(double x);
[[nodiscard]] double trigamma(double x);

/// out[i] = f(in[i]). `out` has the size of `in` and may be `in` itself.
void sigmoid(std::span<const double> z, std::span<double> out);
void softplus(std::span<const double> z, std::span<double> out);
void log_softplus(std::span<const double> z, std::span<double> out);
void log_factorial(std::span<const double> y, std::span<double> out);

}  // namespace giga
