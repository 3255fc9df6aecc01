// The draws of a chain in the form of CmdStan, written. draws_file.hpp shows the form;
// read_draws.cpp reads it.
#include "giga/record/draws_file.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "giga/base/text.hpp"

namespace giga {
namespace {

std::string number(double value) {
  return std::isnan(value) ? "nan" : shortest(value);  // never "-nan"
}

void append_fields(std::string& out, const double* values, Index count, std::string_view between) {
  for (Index i = 0; i < count; ++i) {
    if (i > 0) out += between;
    out += number(values[i]);
  }
}

// `dense`: the inverse metric is a matrix, a line for each row.
void append_adaptation(std::string& out, const Chain& chain, bool dense) {
  out += "# Adaptation terminated\n# Step size = " + number(chain.step_size) + "\n";
  const auto values = static_cast<Index>(chain.inverse_metric.size());
  if (values == 0) return;
  out += dense ? "# Elements of inverse mass matrix:\n" : "# Diagonal elements of inverse mass matrix:\n";
  const Index width =
      dense ? static_cast<Index>(std::llround(std::sqrt(static_cast<double>(values)))) : values;
  for (Index at = 0; at < values; at += width) {
    out += "# ";
    append_fields(out, chain.inverse_metric.data() + at, std::min(width, values - at), ", ");
    out += "\n";
  }
}

void append_draw(std::string& out, const DrawStats& stats, const double* draw, Index dim) {
  out += number(stats.log_density) + "," + number(stats.accept_stat) + "," + number(stats.step_size) + "," +
         std::to_string(stats.tree_depth) + "," + std::to_string(stats.num_leapfrog) + "," +
         (stats.divergent ? "1" : "0") + "," + number(stats.energy) + ",";
  append_fields(out, draw, dim, ",");
  out += "\n";
}

void set_algorithm(DrawsFile& file, const SampleOptions& options) {
  const auto set = [&file](const char* name, std::string value) {
    file.settings.emplace_back(name, std::move(value));
  };
  switch (options.sampler) {
    case SamplerKind::Nuts:
      set("algorithm", "hmc");
      set("engine", "nuts");
      set("max_depth", std::to_string(options.max_depth));
      break;
    case SamplerKind::Hmc:
      set("algorithm", "hmc");
      set("engine", "static");
      set("leapfrog_steps", std::to_string(options.leapfrog_steps));
      break;
    case SamplerKind::Rwmh: set("algorithm", "rwm"); break;
  }
  switch (file.chain.metric) {
    case MetricKind::Dense: set("metric", "dense_e"); break;
    case MetricKind::Diagonal: set("metric", "diag_e"); break;
    case MetricKind::Unit: set("metric", "unit_e"); break;
  }
}

}  // namespace

std::optional<std::string> DrawsFile::setting(std::string_view name) const {
  for (const auto& [key, value] : settings) {
    if (key == name) return value;
  }
  return std::nullopt;
}

bool DrawsFile::has(std::string_view sampler_column) const {
  return std::find(sampler_columns.begin(), sampler_columns.end(), sampler_column) != sampler_columns.end();
}

DrawsFile draws_file(std::vector<std::string> names, const SampleOptions& options, Index index, Chain chain) {
  // What random_walk.cpp adapts to, whatever target_accept says.
  constexpr double kWalkTarget = 0.234;
  if (std::ssize(names) != chain.dim)
    throw std::invalid_argument("there are " + std::to_string(names.size()) + " names for " +
                                std::to_string(chain.dim) + " parameters");
  DrawsFile file;
  file.names = std::move(names);
  file.sampler_columns.assign(kSamplerColumns.begin(), kSamplerColumns.end());
  file.chain = std::move(chain);
  // Stan counts transitions, of which one in `thin` is kept.
  file.settings = {
      {"method", "sample"},
      {"num_samples", std::to_string(options.draws * options.thin)},
      {"num_warmup", std::to_string(options.warmup)},
      {"save_warmup", "0"},
      {"thin", std::to_string(options.thin)},
      {"engaged", options.warmup > 0 ? "1" : "0"},
      {"delta", number(options.sampler == SamplerKind::Rwmh ? kWalkTarget : options.target_accept)}};
  set_algorithm(file, options);
  file.settings.emplace_back("id", std::to_string(index + 1));
  file.settings.emplace_back("seed", std::to_string(options.seed));
  if (!std::isnan(file.chain.e_bfmi))
    file.settings.emplace_back("e_bfmi_of_all_transitions", number(file.chain.e_bfmi));
  return file;
}

std::string draws_csv(const DrawsFile& file) {
  const Chain& chain = file.chain;
  if (file.names != safe_columns(file.names) || std::ssize(file.names) != chain.dim)
    throw std::invalid_argument("there must be a safe name for every parameter");
  std::string out = "# Draws by giga, in the form of CmdStan\n";
  for (const auto& [name, value] : file.settings)
    out.append("# ").append(name).append(" = ").append(value).append("\n");
  for (const std::string_view name : kSamplerColumns) out.append(name).append(",");
  for (std::size_t d = 0; d < file.names.size(); ++d) out.append(d == 0 ? "" : ",").append(file.names[d]);
  out += "\n";
  append_adaptation(out, chain, file.setting("metric") == "dense_e");
  for (Index s = 0; s < chain.num_draws(); ++s)
    append_draw(out, chain.stats[static_cast<std::size_t>(s)], chain.draw(s), chain.dim);
  // rstan warns about files without times; zeros keep the bytes the same for the same chain.
  return out +
         "#\n#  Elapsed Time: 0 seconds (Warm-up)\n#                0 seconds (Sampling)\n"
         "#                0 seconds (Total)\n# Times are not part of the draws; see run.json\n";
}

}  // namespace giga
