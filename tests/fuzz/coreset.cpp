// The file of a coreset: coreset.json, a line "---", coreset.csv. Laws: what was read is written and read
// back the same; a coreset that is accepted is a problem that can be evaluated, its weights not negative.
#include "fuzz/support/memory_files.hpp"
#include "fuzz/support/target.hpp"
#include "giga/base/threads.hpp"
#include "giga/record/coreset_file.hpp"

namespace giga::fuzz {
namespace {

const std::string kName = "coreset.csv";
constexpr std::string_view kBetween = "\n---\n";

// Likelihoods may be too large for a double: that is told where the mode is searched for.
void evaluate(const Problem& problem) {
  const Likelihood& likelihood = problem.likelihood();
  constexpr Index kMostParameters = 200;
  if (likelihood.num_parameters() > kMostParameters) return;
  for (const std::string& note : problem.notes()) require_printable(note);
  const Points zero(likelihood.num_parameters(), 1);
  for (Index n = 0; n < likelihood.num_rows(); ++n) {
    double value = 0;
    likelihood.log_likelihoods(n, 1, zero, &value);
    require(likelihood.multiplicity(n) >= 0, "multiplicities are not negative");
  }
}

void run(std::string_view input) {
  const std::size_t between = input.find(kBetween);
  const std::string_view json = input.substr(0, between);
  const std::string_view csv =
      between == std::string_view::npos ? std::string_view() : input.substr(between + kBetween.size());
  const auto [found, why] = attempt([&] { return parse_coreset(json, kName); });
  if (!found || !*found) return;
  const CoresetFile& file = **found;
  const std::string written = coreset_json(file);
  const auto [again, why_again] = attempt([&] { return parse_coreset(written, kName); });
  if (!again) broken("what is written is read: " + why_again);
  require(*again && coreset_json(**again) == written, "what is written is read back the same");
  const MemoryFile rows(kName, csv);
  const Serial executor;
  const auto [problem, why_problem] = attempt([&] { return read_coreset(kName, file, executor); });
  if (problem) evaluate(*problem->problem);
}

}  // namespace
}  // namespace giga::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  giga::fuzz::run(giga::fuzz::text_of(data, size));
  return 0;
}
