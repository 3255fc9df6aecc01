// The verbs. Each adds its options and help to the command and says what to run when it was asked for.
#pragma once

#include <vector>

#include "support/arguments.hpp"

namespace giga::tool {

[[nodiscard]] Verb declare_fit(CLI::App& root);
[[nodiscard]] Verb declare_build(CLI::App& root);
[[nodiscard]] Verb declare_sample(CLI::App& root);
[[nodiscard]] Verb declare_summary(CLI::App& root);
[[nodiscard]] Verb declare_check(CLI::App& root);
[[nodiscard]] Verb declare_merge(CLI::App& root);
[[nodiscard]] Verb declare_predict(CLI::App& root);
[[nodiscard]] Verb declare_report(CLI::App& root);
[[nodiscard]] Verb declare_reproduce(CLI::App& root);
[[nodiscard]] std::vector<Verb> declare_simulate_data(CLI::App& simulate);
[[nodiscard]] Verb declare_simulate_one_hot(CLI::App& simulate);
[[nodiscard]] Verb declare_simulate_vectors(CLI::App& simulate);
[[nodiscard]] Verb declare_completion(CLI::App& root);
/// After all others: it offers the pages of the verbs that are there.
[[nodiscard]] Verb declare_man(CLI::App& root);

}  // namespace giga::tool
