// Draws of a chain in the form of CmdStan; after a first line "weights", a file of weights. Laws: draws that
// are written are read back to the same bits; any draws can be summarised.
#include <algorithm>

#include "fuzz/support/memory_files.hpp"
#include "fuzz/support/target.hpp"
#include "giga/base/threads.hpp"
#include "giga/record/draws_file.hpp"
#include "giga/record/weights_file.hpp"
#include "giga/report/draws_summary.hpp"

namespace giga::fuzz {
namespace {

const std::string kName = "draws_1.csv";

bool same(double a, double b) {
  return same_bits(a, b) || (a != a && b != b);  // any NaN is "nan"
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same(x, y); });
}

bool same(const DrawStats& a, const DrawStats& b) {
  return same(a.log_density, b.log_density) && same(a.accept_stat, b.accept_stat) &&
         same(a.step_size, b.step_size) && same(a.energy, b.energy) && a.tree_depth == b.tree_depth &&
         a.num_leapfrog == b.num_leapfrog && a.divergent == b.divergent;
}

// Settings of other programs may promise what our form says otherwise (thinning, warm-up): they are left out.
void require_reads_back(DrawsFile file) {
  file.settings.clear();
  file.chain.inverse_metric.clear();
  file.names = safe_columns(file.names);
  const std::string text = draws_csv(file);
  const MemoryFile written("again.csv", text);
  const auto [again, why] = attempt([] { return read_draws("again.csv"); });
  if (!again) broken("draws that are written are read: " + why);
  const Chain &chain = file.chain, &other = again->chain;
  require(again->names == file.names, "names are read back");
  require(same(chain.draws, other.draws), "draws are read back to the bit");
  require(std::equal(chain.stats.begin(), chain.stats.end(), other.stats.begin(), other.stats.end(),
                     [](const DrawStats& a, const DrawStats& b) { return same(a, b); }),
          "what is known of draws is read back");
  require(same(chain.step_size, other.step_size), "the step size is read back");
}

void run(std::string_view input) {
  constexpr std::string_view kWeights = "weights\n";
  if (input.starts_with(kWeights)) {
    input.remove_prefix(kWeights.size());
    const auto [weights, why] = attempt([&] { return parse_weights(input, "weights.csv"); });
    if (weights)
      require(std::ranges::all_of(*weights, [](double w) { return w >= 0; }), "weights are not negative");
    return;
  }
  const MemoryFile file(kName, input);
  const auto [draws, why] = attempt([] { return read_draws(kName); });
  if (!draws) return;
  const Chain& chain = draws->chain;
  require(chain.num_draws() > 0 && std::ssize(chain.draws) == chain.num_draws() * chain.dim,
          "there is a number for every parameter of every draw");
  require_reads_back(*draws);
  constexpr Index kMostNumbers = 2000;
  if (std::ssize(chain.draws) > kMostNumbers) return;
  const auto quantities = summarise_chains({&chain, 1}, draws->names, true, Serial());
  (void)summary_text(quantities);
  (void)summary_csv(quantities);
  for (const std::string& each : warnings(quantities, health_of({&chain, 1}, std::nullopt, 0)))
    require_printable(each);
}

}  // namespace
}  // namespace giga::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  giga::fuzz::run(giga::fuzz::text_of(data, size));
  return 0;
}
