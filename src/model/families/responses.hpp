// How the responses of a table are read: the kinds that families share. Each throws DataError naming what is
// wrong; `family` is for the message.
#pragma once

#include <string_view>

#include "giga/data/dataset.hpp"
#include "giga/model/family.hpp"

namespace giga::families {

/// 0 and 1, or -1 and 1; as -1 and +1, with a note of which is which.
[[nodiscard]] Response labels(const Dataset& data, std::string_view family);

/// Whole numbers from 0 to 2^53.
[[nodiscard]] Response counts(const Dataset& data, std::string_view family);

/// Any number.
[[nodiscard]] Response reals(const Dataset& data);

/// Any number above 0.
[[nodiscard]] Response positive(const Dataset& data, std::string_view family);

/// The predictors at which a label is 1 with probability p, by their links; p is kept within [0.001, 0.999],
/// as with one class only they would be infinite.
[[nodiscard]] double logit_of(double p);
[[nodiscard]] double probit_of(double p);
[[nodiscard]] double cloglog_of(double p);
/// How far from the real line Phi(s), and 1 - exp(-e^s), have their first zeros: log of either is analytic
/// within.
inline constexpr double kProbitAnalyticWithin = 2.8, kCloglogAnalyticWithin = 1.57;

/// Where the logarithm of the noise's standard deviation begins: that of the response, whatever its size.
[[nodiscard]] double log_of_scale(const ResponseMoments& response);

}  // namespace giga::families
