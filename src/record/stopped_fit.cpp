// The state of a stopped fit, written and read. Numbers are written so that they read back to the same
// bits, and files carry digests: a fit that goes on must end with the bits of one that was never
// stopped, or refuse.
#include "giga/record/stopped_fit.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/output_file.hpp"
#include "giga/data/unchanged.hpp"
#include "giga/record/draws_file.hpp"
#include "giga/record/same_data.hpp"
#include "record/forms.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;
using record::Fields;
using record::Json;

// Without what a build could be resumed from, and without its work: a larger coreset is built anew.
Json form_of(const Coreset& coreset) {
  return {{"rows", coreset.rows}, {"weights", coreset.weights}};
}

Coreset points_of(const Fields& fields) {
  return {fields.get<std::vector<Index>>("rows"), fields.get<std::vector<double>>("weights")};
}

Json form_of(const CoresetResult& result) {
  Json out;
  out["coreset"] = form_of(result.coreset);
  out["multiplicity"] = result.multiplicity;
  out["method"] = name(result.build.method);
  out["distinct"] = form_of(result.build.coreset);
  out["relative_error"] = result.build.relative_error;
  out["heldout_error"] = result.heldout_error;
  out["termination"] = name(result.build.termination);
  out["trace"] = record::list_form(result.build.trace);
  out["laplace"] = result.laplace ? record::form_of(*result.laplace) : Json(nullptr);
  out["separable"] = result.separable;
  out["dim"] = result.dim;
  out["trials"] = record::list_form(result.trials);
  out["expansion"] = name(result.options.expansion);
  out["remainder_dim"] = result.options.remainder_dim;
  out["remainder"] = result.remainder;
  out["norm_sum"] = result.norm_sum;
  out["target_norm"] = result.target_norm;
  out["num_zero_rows"] = result.num_zero_rows;
  out["tolerance"] = result.tolerance;
  out["num_candidates"] = result.num_candidates;
  out["heldout_rows"] = result.heldout_rows;
  out["heldout_noise"] = result.heldout_noise;
  out["heldout_norm"] = result.heldout_norm;
  out["heldout_residual"] = result.heldout_residual;
  out["selector"] = result.selector ? Json(name(*result.selector)) : Json(nullptr);
  out["notes"] = result.notes;
  return out;
}

CoresetResult result_of(const Fields& fields) {
  CoresetResult out;
  out.coreset = points_of(fields.at("coreset"));
  out.multiplicity = fields.get<std::vector<double>>("multiplicity");
  out.build.method = fields.choice<Method>("method");
  out.build.coreset = points_of(fields.at("distinct"));
  out.build.relative_error = fields.number("relative_error");
  out.heldout_error = fields.number("heldout_error");
  out.build.termination = fields.choice<Termination>("termination");
  out.build.trace = record::list_of(fields, "trace", record::step_of);
  if (!fields.is_null("laplace")) {
    out.laplace = record::laplace_of(fields.at("laplace"));
    out.pihat = out.laplace->posterior;
  }
  out.separable = fields.get<bool>("separable");
  out.dim = fields.get<Index>("dim");
  out.trials = record::list_of(fields, "trials", record::trial_of);
  out.options.expansion = fields.choice<Expansion>("expansion");
  out.options.remainder_dim = fields.get<Index>("remainder_dim");
  out.remainder = fields.number("remainder");
  out.norm_sum = fields.number("norm_sum");
  out.target_norm = fields.number("target_norm");
  out.num_zero_rows = fields.get<Index>("num_zero_rows");
  out.tolerance = fields.number("tolerance");
  out.num_candidates = fields.get<Index>("num_candidates");
  out.heldout_rows = fields.get<Index>("heldout_rows");
  out.heldout_noise = fields.number("heldout_noise");
  // A run that an older giga stopped does not say these.
  out.heldout_norm = fields.has("heldout_norm") ? fields.number("heldout_norm") : std::nan("");
  if (fields.has("heldout_residual")) out.heldout_residual = fields.numbers("heldout_residual");
  if (!fields.is_null("selector")) out.selector = fields.choice<SelectorKind>("selector");
  out.notes = fields.get<std::vector<std::string>>("notes");
  return out;
}

// What a file of draws does not have: counts that are written as settings of our own.
constexpr std::pair<const char*, Index Chain::*> kCounts[] = {{"giga_gradients", &Chain::num_gradients},
                                                              {"giga_not_finite", &Chain::num_not_finite},
                                                              {"giga_attempts", &Chain::attempts}};

// Chains as they were sampled, under names of our own: the names of the problem do not matter here.
std::string chain_text(const Chain& chain, const SampleOptions& options, Index index) {
  std::vector<std::string> names;
  for (Index d = 0; d < chain.dim; ++d) names.push_back("theta_" + std::to_string(d + 1));
  DrawsFile file = draws_file(std::move(names), options, index, chain);
  for (const auto& [setting, count] : kCounts)
    file.settings.emplace_back(setting, std::to_string(chain.*count));
  return draws_csv(file);
}

Chain read_chain(const fs::path& path) {
  DrawsFile file = read_draws(path);
  for (const auto& [setting, count] : kCounts) {
    const std::string text = file.setting(setting).value_or("");
    const auto result = std::from_chars(text.data(), text.data() + text.size(), file.chain.*count);
    if (result.ec != std::errc{}) throw DataError(printable_path(path) + ": has no " + setting);
  }
  return std::move(file.chain);
}

void write_whole(const fs::path& path, const std::string& text) {
  OutputFile file(path, true);
  file.write(text);
  file.commit();
}

constexpr const char* kAdvice = "start anew with `force`";

[[noreturn]] void refuse_damaged(const fs::path& path, const std::string& what) {
  throw DataError(printable_path(path) + ": is damaged (" + printable(what, 200) + "); " + kAdvice);
}

// Where a text ceases to be JSON; `byte` counts from 1 and is beyond the text at its end.
std::string where(const std::string& text, std::size_t byte) {
  if (byte > text.size()) return "it was cut short";
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(byte > 0 ? byte - 1 : 0);
  return "it is not JSON from line " + std::to_string(1 + std::count(text.begin(), end, '\n')) + " on";
}

std::string text_of(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_empty(path, ignored)) refuse_damaged(path, "it is empty");
  const MappedFile file = MappedFile::open(path);
  return of_unchanged(file, [&] {
    return std::string(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  });
}

// A file with a digest of what else is in it: numbers that were changed would give other results than a run
// that was not stopped, or none that make sense.
void write_json_file(const fs::path& path, Json json) {
  const std::string digest = text_digest(record::dumped(json));
  json["digest"] = digest;
  write_whole(path, record::dumped(json));
}

// What `read` makes of the JSON in the file; anything wrong with it is one DataError.
template <typename Read>
auto read_json_file(const fs::path& path, const Read& read) {
  const std::string text = text_of(path);
  if (record::is_too_deep(text)) refuse_damaged(path, "lists lie in each other too deep");
  try {
    Json json = Json::parse(text);
    const auto digest = json.at("digest").get<std::string>();
    json.erase("digest");
    if (digest != text_digest(record::dumped(json))) refuse_damaged(path, "it was changed");
    return read(Fields(json, printable_path(path), kAdvice, true));
  } catch (const Json::parse_error& error) {
    refuse_damaged(path, where(text, error.byte));
  } catch (const Json::exception&) {
    refuse_damaged(path, "it lacks its digest");
  } catch (const std::invalid_argument& error) {
    refuse_damaged(path, error.what());
  }
}

// A path need not be UTF-8, and a text in JSON must be: every byte becomes the character of that code
// (Latin-1), written in UTF-8.
std::string text_of_bytes(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) text += static_cast<char>(0xC0 | byte >> 6);
    text += static_cast<char>(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte);
  }
  return text;
}

std::string bytes_of_text(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80 && ++i == text.size()) break;
    bytes += byte < 0x80 ? text[i] : static_cast<char>((byte & 3) << 6 | (text[i] & 0x3F));
  }
  return bytes;
}

fs::path chain_path(const fs::path& folder, std::size_t round, std::size_t chain) {
  return folder / ("chain_" + std::to_string(round + 1) + "_" + std::to_string(chain + 1) + ".csv");
}

// As OutputFile calls them.
bool is_temporary(const std::string& name) {
  return name.starts_with(".giga-") && name.ends_with(".tmp");
}

// Whether a file of this name in DIR/partial is a partial run's, or was to be one.
bool is_own_name(const std::string& name) {
  constexpr std::string_view kChain = "chain_", kAfter = ".csv";
  const bool chain = name.starts_with(kChain) && name.ends_with(kAfter) &&
                     name.find_first_not_of("0123456789_", kChain.size()) == name.size() - kAfter.size();
  return chain || is_temporary(name) || name == "request.json" || name == "state.json";
}

// DIR/partial may be a folder of the user's: only what a run has made is ever removed.
bool is_own_folder(const fs::path& partial) {
  if (type_of(partial) != fs::file_type::directory) return false;
  for (const fs::path& path : entries_of(partial)) {
    if (!is_own_name(path.filename().string()) || type_of(path) != fs::file_type::regular) return false;
  }
  return true;
}

}  // namespace

StoppedFit::StoppedFit(fs::path folder) : folder_(std::move(folder)), partial_(folder_ / "partial") {}

bool StoppedFit::exists() const {
  return is_present(partial_ / "request.json");
}

bool StoppedFit::has_state() const {
  return is_present(partial_ / "state.json");
}

void StoppedFit::begin(const Request& request) {
  if (is_present(partial_) && !is_own_folder(partial_))
    throw CannotCreate(printable_path(partial_) + ": is not of a stopped run; give another `out`");
  made_folder_ = make_folder(folder_);
  remove_folder(partial_);
  try {
    make_folder(partial_);
    write_request(request);
  } catch (const std::exception&) {
    remove_if_possible();
    throw;
  }
}

void StoppedFit::write_request(const Request& request) const {
  Json json;
  json["giga"] = "fit";
  json["version"] = version();
  json["input"] = request.input;
  json["absolute_input"] = text_of_bytes(request.absolute_input.native());
  json["settings"] = Json::array();
  for (const Setting& setting : request.settings) json["settings"].push_back({setting.name, setting.value});
  write_json_file(partial_ / "request.json", std::move(json));
}

StoppedFit::Request StoppedFit::request() const {
  if (!is_folder(folder_))
    throw InputMissing(printable_path(folder_) + ": no such folder; `resume` takes that of a stopped run");
  if (!exists())
    throw InputMissing(printable_path(folder_) + ": has no stopped run; start one with giga fit DATA --out " +
                       printable_path(folder_));
  Request out;
  const auto begun_by = read_json_file(partial_ / "request.json", [&out](const Fields& fields) {
    out.input = fields.get<std::string>("input");
    out.absolute_input = bytes_of_text(fields.get<std::string>("absolute_input"));
    for (const Json& setting : fields.json().at("settings"))
      out.settings.push_back({setting.at(0).get<std::string>(), setting.at(1).get<std::string>()});
    return fields.get<std::string>("version");
  });
  if (begun_by != version())
    throw DataError(printable_path(folder_) + ": was begun by giga " + printable(begun_by) +
                    ", and this is " + std::string(version()) + "; start anew with `force`");
  return out;
}

void StoppedFit::save(const FitState& state, const SampleOptions& options, const std::string& data_digest) {
  // Chains first, then the state that names them by their digests: a state on disk is always complete.
  const std::size_t round = state.rounds.size();
  Json chains = Json::array();
  for (std::size_t c = 0; c < state.chains.size(); ++c) {
    const std::string text = chain_text(state.chains[c], options, static_cast<Index>(c));
    write_whole(chain_path(partial_, round, c), text);
    chains.push_back(text_digest(text));
  }
  Json json;
  json["data_digest"] = data_digest;
  json["rounds"] = record::list_form(state.rounds);
  json["next_size"] = state.next_size;
  json["seconds"] = record::form_of(state.seconds);
  json["passes"] = record::form_of(state.passes);
  json["coreset"] = state.coreset ? form_of(*state.coreset) : Json(nullptr);
  json["chains"] = std::move(chains);
  write_json_file(partial_ / "state.json", std::move(json));
}

// Everything is checked before it is believed: the digest of the state, of the data and of each chain.
FitState StoppedFit::load(const std::string& data_digest) const {
  FitState state;
  if (!has_state()) return state;
  std::vector<std::string> chains;
  const auto digest = read_json_file(partial_ / "state.json", [&](const Fields& fields) {
    state.rounds = record::list_of(fields, "rounds", record::round_of);
    state.next_size = fields.get<Index>("next_size");
    state.seconds = record::seconds_of(fields.at("seconds"));
    state.passes = record::passes_of(fields.at("passes"));
    if (!fields.is_null("coreset")) state.coreset = result_of(fields.at("coreset"));
    chains = fields.get<std::vector<std::string>>("chains");
    return fields.get<std::string>("data_digest");
  });
  if (digest != data_digest)
    throw DataError(printable_path(folder_) +
                    ": the data have changed since the run was stopped; start anew with `force`");
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const fs::path path = chain_path(partial_, state.rounds.size(), c);
    if (!is_present(path)) refuse_damaged(path, "it is gone");
    if (text_digest(text_of(path)) != chains[c]) refuse_damaged(path, "it was changed");
    state.chains.push_back(read_chain(path));
  }
  return state;
}

void StoppedFit::require_draws(const Chain& chain, Index draws) const {
  if (chain.num_draws() == draws) return;
  refuse_damaged(partial_, "a chain has " + std::to_string(chain.num_draws()) + " draws, and " +
                               std::to_string(draws) + " are made now");
}

void StoppedFit::remove() {
  // What a run that was killed had begun to write; nothing of this run is open now.
  for (const fs::path& path : entries_of(folder_))
    if (is_temporary(path.filename().string())) remove_present(path);
  if (is_present(partial_) && is_own_folder(partial_)) {
    // Killed on the way, the run can still be resumed: the state goes before the chains it names, the request
    // last.
    remove_present(partial_ / "state.json");
    for (const fs::path& path : entries_of(partial_))
      if (path.filename() != "request.json") remove_present(path);
    remove_folder(partial_);
  }
  std::error_code ignored;
  if (made_folder_) fs::remove(folder_, ignored);  // refused by the system unless it is empty
}

void StoppedFit::remove_if_possible() noexcept {
  try {
    remove();
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is something else to tell
  }
}

}  // namespace giga
