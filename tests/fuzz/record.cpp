// Records of runs: run.json or certificate.json. Laws: what a record is refused for is said in words; of one
// that is accepted a report can be made, or is refused as damaged; nothing from the record is markup in the
// page.
#include <cmath>
#include <stdexcept>

#include "fuzz/support/target.hpp"
#include "giga/base/threads.hpp"
#include "giga/job/report.hpp"
#include "giga/record/run_record.hpp"

namespace giga::fuzz {
namespace {

constexpr Index kDraws = 8, kMostParameters = 40, kMostChains = 6;

// Some chains that the record could be of.
std::vector<Chain> chains_of(const RunRecord& record, Index dim) {
  std::vector<Chain> chains(record.chains.size());
  double value = 0;
  for (Chain& chain : chains) {
    chain.dim = dim;
    chain.stats.resize(at(kDraws));
    for (Index i = 0; i < kDraws * dim; ++i) chain.draws.push_back(std::sin(value += 1));
  }
  return chains;
}

// As run_report does with a folder: parts that do not fit each other are told as damage.
void report(const RunRecord& record) {
  const Index dim = record.scales().num_parameters();
  if (!record.options.sample || record.num_parameters != dim || record.chains.empty()) return;
  if (dim > kMostParameters || std::ssize(record.chains) > kMostChains) return;
  const PosteriorSummary summary =
      posterior_summary(record.scales(), chains_of(record, dim), *record.options.sample, Serial());
  const std::string page = report_html(report_data(record, summary));
  require(page.find("<fuzz") == std::string::npos, "texts of a record are no markup of its page");
}

void run(std::string_view input) {
  const auto [record, why] = attempt([&] { return parse_run(input, "run.json"); });
  if (!record) return;
  (void)record->num_gradients();
  (void)record->option_texts();
  try {
    (void)record->ratios();
    report(*record);
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace
}  // namespace giga::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  giga::fuzz::run(giga::fuzz::text_of(data, size));
  return 0;
}
