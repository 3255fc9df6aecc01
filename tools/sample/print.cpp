// The facts of a run of chains, one line each.
#include "sample/print.hpp"

#include <fmt/format.h>

#include "giga/base/text.hpp"
#include "giga/report/model_check_text.hpp"
#include "support/console.hpp"
#include "support/prior_table.hpp"
#include "support/ranks_text.hpp"

namespace giga::tool {

std::string sample_facts(const RunRecord& record) {
  const SampleOptions& sample = *record.options.sample;
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<16} {}\n", label, value);
  };
  std::string input = input_words(record.options.path);
  if (record.coreset_digest) {
    input +=
        fmt::format(": {} for N = {}", plural(*record.rows_used, "point"), plural(record.num_rows, "row"));
  } else {
    input += ": N = " + plural(record.num_rows, "row");
  }
  line("input", fmt::format("{}, D = {}, response {}", input, plural(*record.num_parameters, "parameter"),
                            printable(*record.response, 40)));
  line("model", record.model);
  if (!record.priors.empty()) line("priors", priors_text(record.priors));
  std::string sampler(name(sample.sampler));
  if (sample.sampler != SamplerKind::Rwmh) sampler += fmt::format(" with a {} metric", name(sample.metric));
  line("sampler", fmt::format("{}, {} of {} warm-up + {}{}", sampler, plural(*record.options.chains, "chain"),
                              sample.warmup, plural(sample.draws, "draw"),
                              sample.thin > 1 ? fmt::format(" thinned by {}", sample.thin) : ""));
  if (record.model_check) {
    const char* label = "model check";
    for (const std::string& sentence : model_verdict(*record.model_check)) {
      line(label, stderr_has_colours() && record.model_check->doubtful() ? amber(sentence) : sentence);
      label = "";
    }
  }
  const StageSeconds& s = *record.seconds;
  const double rate = s.sample > 0 ? static_cast<double>(record.num_gradients()) / s.sample : 0;
  line("gradients", fmt::format("{}, {:.0f} per second", record.num_gradients(), rate));
  line("seconds", fmt::format("{:.3f} load, {:.3f} laplace, {:.3f} sample", s.load, s.laplace, s.sample));
  if (record.options.communication) line("ranks", ranks_text(*record.options.communication));
  for (const auto& [key, value] : record.options.files) {
    if (key == "out" && value) line("written", printable_path(*value));
  }
  return text;
}

}  // namespace giga::tool
