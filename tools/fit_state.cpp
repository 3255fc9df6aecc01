#include "fit_state.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/output_file.hpp"
#include "giga/pipeline/same_data.hpp"
#include "giga/report/draws_csv.hpp"
#include "record_parts.hpp"

namespace giga::tool {
namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<double>;

// Numbers that are not finite have no form in JSON: they are texts here, so that they come back as they were.
Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  return text == "inf" ? kInfinite : text == "-inf" ? -kInfinite : std::numeric_limits<double>::quiet_NaN();
}

Json numbers_json(const Numbers& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number_json(value));
  return list;
}

Numbers numbers_of(const Json& json) {
  Numbers values;
  for (const Json& value : json) values.push_back(number_of(value));
  return values;
}

Json coreset_json(const Coreset& coreset) {
  return {{"rows", coreset.rows}, {"weights", numbers_json(coreset.weights)}};
}

Coreset coreset_of(const Json& json) {
  return {json.at("rows").get<std::vector<Index>>(), numbers_of(json.at("weights"))};
}

Json trace_json(const std::vector<StepRecord>& trace) {
  Json list = Json::array();
  for (const StepRecord& r : trace) {
    list.push_back({r.step, r.row, r.size, number_json(r.step_length), number_json(r.alignment),
                    number_json(r.relative_error), number_json(r.bound), number_json(r.heldout_error)});
  }
  return list;
}

std::vector<StepRecord> trace_of(const Json& json) {
  std::vector<StepRecord> trace;
  for (const Json& r : json) {
    trace.push_back({.step = r.at(0).get<Index>(),
                     .row = r.at(1).get<Index>(),
                     .size = r.at(2).get<Index>(),
                     .step_length = number_of(r.at(3)),
                     .alignment = number_of(r.at(4)),
                     .relative_error = number_of(r.at(5)),
                     .bound = number_of(r.at(6)),
                     .heldout_error = number_of(r.at(7))});
  }
  return trace;
}

Json laplace_json(const LaplaceResult& laplace) {
  return {{"mean", numbers_json(laplace.posterior.mean())},
          {"precision", numbers_json(laplace.posterior.precision())},
          {"log_joint", number_json(laplace.log_joint)},
          {"log_likelihood", number_json(laplace.log_likelihood)},
          {"log_prior", number_json(laplace.log_prior)},
          {"iterations", laplace.iterations},
          {"decrement", number_json(laplace.decrement)},
          {"end", static_cast<int>(laplace.end)}};
}

LaplaceResult laplace_of(const Json& json) {
  LaplaceResult out{Normal::with_precision(numbers_of(json.at("mean")), numbers_of(json.at("precision")))};
  out.log_joint = number_of(json.at("log_joint"));
  out.log_likelihood = number_of(json.at("log_likelihood"));
  out.log_prior = number_of(json.at("log_prior"));
  out.iterations = json.at("iterations").get<Index>();
  out.decrement = number_of(json.at("decrement"));
  out.end = static_cast<LaplaceEnd>(json.at("end").get<int>());
  return out;
}

Json trials_json(const std::vector<ProjectionTrial>& trials) {
  Json list = Json::array();
  for (const ProjectionTrial& t : trials)
    list.push_back({t.dim, number_json(t.relative_error), number_json(t.heldout_error), t.size});
  return list;
}

std::vector<ProjectionTrial> trials_of(const Json& json) {
  std::vector<ProjectionTrial> trials;
  for (const Json& t : json)
    trials.push_back({t.at(0).get<Index>(), number_of(t.at(1)), number_of(t.at(2)), t.at(3).get<Index>()});
  return trials;
}

// Without what a build could be resumed from, and without its work: a larger coreset is built anew.
Json result_json(const CoresetResult& result) {
  Json out;
  out["coreset"] = coreset_json(result.coreset);
  out["multiplicity"] = numbers_json(result.multiplicity);
  out["method"] = name(result.build.method);
  out["distinct"] = coreset_json(result.build.coreset);
  out["relative_error"] = number_json(result.build.relative_error);
  out["heldout_error"] = number_json(result.heldout_error);
  out["termination"] = name(result.build.termination);
  out["trace"] = trace_json(result.build.trace);
  out["laplace"] = result.laplace ? laplace_json(*result.laplace) : Json(nullptr);
  out["separable"] = result.separable;
  out["dim"] = result.dim;
  out["trials"] = trials_json(result.trials);
  out["norm_sum"] = number_json(result.norm_sum);
  out["target_norm"] = number_json(result.target_norm);
  out["num_zero_rows"] = result.num_zero_rows;
  out["selector"] = result.selector ? Json(name(*result.selector)) : Json(nullptr);
  out["notes"] = result.notes;
  return out;
}

CoresetResult result_of(const Json& json) {
  CoresetResult out;
  out.coreset = coreset_of(json.at("coreset"));
  out.multiplicity = numbers_of(json.at("multiplicity"));
  out.build.method = enum_of<Method>(json.at("method"));
  out.build.coreset = coreset_of(json.at("distinct"));
  out.build.relative_error = number_of(json.at("relative_error"));
  out.heldout_error = number_of(json.at("heldout_error"));
  out.build.termination = enum_of<Termination>(json.at("termination"));
  out.build.trace = trace_of(json.at("trace"));
  if (!json.at("laplace").is_null()) {
    out.laplace = laplace_of(json.at("laplace"));
    out.pihat = out.laplace->posterior;
  }
  out.separable = json.at("separable").get<bool>();
  out.dim = json.at("dim").get<Index>();
  out.trials = trials_of(json.at("trials"));
  out.norm_sum = number_of(json.at("norm_sum"));
  out.target_norm = number_of(json.at("target_norm"));
  out.num_zero_rows = json.at("num_zero_rows").get<Index>();
  if (!json.at("selector").is_null()) out.selector = enum_of<SelectorKind>(json.at("selector"));
  out.notes = json.at("notes").get<std::vector<std::string>>();
  return out;
}

Json rounds_json(const std::vector<FitRound>& rounds) {
  Json list = Json::array();
  for (const FitRound& r : rounds) {
    list.push_back({r.size, number_json(r.relative_error), number_json(r.heldout_error), number_json(r.k_hat),
                    number_json(r.effective_size), name(r.doubt)});
  }
  return list;
}

std::vector<FitRound> rounds_of(const Json& json) {
  std::vector<FitRound> rounds;
  for (const Json& r : json) {
    rounds.push_back({r.at(0).get<Index>(), number_of(r.at(1)), number_of(r.at(2)), number_of(r.at(3)),
                      number_of(r.at(4)), enum_of<Doubt>(r.at(5))});
  }
  return rounds;
}

Json seconds_json(const FitSeconds& s) {
  return {s.laplace, s.project, s.prepare, s.construct, s.sample, s.certify};
}

FitSeconds seconds_of(const Json& json) {
  const auto at = [&json](std::size_t i) { return json.at(i).get<double>(); };
  return {at(0), at(1), at(2), at(3), at(4), at(5)};
}

// What a file of draws does not have besides.
constexpr std::pair<const char*, Index Chain::*> kCounts[] = {{"giga_gradients", &Chain::num_gradients},
                                                              {"giga_not_finite", &Chain::num_not_finite},
                                                              {"giga_attempts", &Chain::attempts}};

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

[[noreturn]] void refuse_damaged(const fs::path& path, const std::string& what) {
  throw DataError(printable_path(path) + ": is damaged (" + printable(what, 200) +
                  "); start anew with --force");
}

std::string text_of(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_empty(path, ignored)) refuse_damaged(path, "it is empty");
  const MappedFile file = MappedFile::open(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// A file with a digest of what else is in it: numbers that were changed would give other results than a run
// that was not stopped, or none that make sense.
void write_json_file(const fs::path& path, Json json) {
  const std::string digest = text_digest(dumped(json));
  json["digest"] = digest;
  write_whole(path, dumped(json));
}

// What `read` makes of the JSON in the file; anything wrong with it is one DataError.
template <typename Read>
auto read_json_file(const fs::path& path, const Read& read) {
  const std::string text = text_of(path);
  try {
    Json json = Json::parse(text);
    const auto digest = json.at("digest").get<std::string>();
    json.erase("digest");
    if (digest != text_digest(dumped(json))) throw DataError("it was changed");
    return read(json);
  } catch (const std::exception& error) {
    refuse_damaged(path, error.what());
  }
}

// A path need not be UTF-8, and a text in JSON must be: every byte is a character here.
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
  return folder / fmt::format("chain_{}_{}.csv", round + 1, chain + 1);
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

// What a run that was killed had begun to write; nothing of this run is open when it is asked for.
std::vector<fs::path> temporaries_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entries(folder, error), end; !error && entries != end;
       entries.increment(error)) {
    if (is_temporary(entries->path().filename().string())) found.push_back(entries->path());
  }
  return found;
}

// DIR/partial may be a folder of the user's: only what a run has made is ever removed.
bool is_own_folder(const fs::path& partial) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(partial, error))) return false;
  for (fs::directory_iterator entries(partial, error), end; !error && entries != end;
       entries.increment(error)) {
    if (!is_own_name(entries->path().filename().string()) || !entries->is_regular_file(error)) return false;
  }
  return !error;
}

}  // namespace

PartialRun::PartialRun(fs::path folder) : folder_(std::move(folder)), partial_(folder_ / "partial") {}

bool PartialRun::exists() const {
  std::error_code ignored;
  return fs::exists(partial_ / "request.json", ignored);
}

bool PartialRun::has_state() const {
  std::error_code ignored;
  return fs::exists(partial_ / "state.json", ignored);
}

void PartialRun::begin(const Request& request) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(partial_, error)) && !is_own_folder(partial_))
    throw CannotCreate(printable_path(partial_) + ": is not of a stopped run; give another --out");
  made_folder_ = fs::create_directory(folder_, error);
  if (!error) fs::remove_all(partial_, error);
  if (!error) fs::create_directory(partial_, error);
  if (error) throw CannotCreate(printable_path(folder_) + ": cannot make the folder: " + error.message());
  Json json;
  json["giga"] = "fit";
  json["version"] = GIGA_VERSION;
  json["input"] = request.input;
  json["absolute_input"] = text_of_bytes(request.absolute_input.native());
  json["settings"] = Json::array();
  for (const Setting& setting : request.settings) json["settings"].push_back({setting.name, setting.value});
  try {
    write_json_file(partial_ / "request.json", std::move(json));
  } catch (const std::exception&) {
    remove();
    throw;
  }
}

PartialRun::Request PartialRun::request() const {
  std::error_code ignored;
  if (!fs::is_directory(folder_, ignored))
    throw InputMissing(printable_path(folder_) + ": no such folder; --resume takes that of a stopped run");
  if (!exists())
    throw InputMissing(printable_path(folder_) + ": has no stopped run; start one with giga fit DATA --out " +
                       printable_path(folder_));
  Request out;
  const auto version = read_json_file(partial_ / "request.json", [&out](const Json& json) {
    out.input = json.at("input").get<std::string>();
    out.absolute_input = bytes_of_text(json.at("absolute_input").get<std::string>());
    for (const Json& setting : json.at("settings"))
      out.settings.push_back({setting.at(0).get<std::string>(), setting.at(1).get<std::string>()});
    return json.at("version").get<std::string>();
  });
  if (version != GIGA_VERSION)
    throw DataError(printable_path(folder_) + ": was begun by giga " + printable(version) + ", and this is " +
                    GIGA_VERSION + "; start anew with --force");
  return out;
}

void PartialRun::save(const FitState& state, const SampleOptions& options, const std::string& data_digest) {
  const std::size_t round = state.rounds.size();
  Json chains = Json::array();
  for (std::size_t c = 0; c < state.chains.size(); ++c) {
    const std::string text = chain_text(state.chains[c], options, static_cast<Index>(c));
    write_whole(chain_path(partial_, round, c), text);
    chains.push_back(text_digest(text));
  }
  Json json;
  json["data_digest"] = data_digest;
  json["rounds"] = rounds_json(state.rounds);
  json["next_size"] = state.next_size;
  json["seconds"] = seconds_json(state.seconds);
  json["coreset"] = state.coreset ? result_json(*state.coreset) : Json(nullptr);
  json["chains"] = std::move(chains);
  write_json_file(partial_ / "state.json", std::move(json));
}

FitState PartialRun::load(const std::string& data_digest, Index draws) const {
  FitState state;
  if (!has_state()) return state;
  std::vector<std::string> chains;
  const auto digest = read_json_file(partial_ / "state.json", [&](const Json& json) {
    state.rounds = rounds_of(json.at("rounds"));
    state.next_size = json.at("next_size").get<Index>();
    state.seconds = seconds_of(json.at("seconds"));
    if (!json.at("coreset").is_null()) state.coreset = result_of(json.at("coreset"));
    chains = json.at("chains").get<std::vector<std::string>>();
    return json.at("data_digest").get<std::string>();
  });
  if (digest != data_digest)
    throw DataError(printable_path(folder_) +
                    ": the data have changed since the run was stopped; start anew with --force");
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const fs::path path = chain_path(partial_, state.rounds.size(), c);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) refuse_damaged(path, "it is gone");
    if (text_digest(text_of(path)) != chains[c]) refuse_damaged(path, "it was changed");
    state.chains.push_back(read_chain(path));
    if (state.chains.back().num_draws() != draws)
      refuse_damaged(
          path, fmt::format("it has {} draws, and {} are made now", state.chains.back().num_draws(), draws));
  }
  return state;
}

void PartialRun::remove() {
  std::error_code ignored;
  for (const fs::path& path : temporaries_in(folder_)) fs::remove(path, ignored);
  if (is_own_folder(partial_)) {
    // Killed on the way, the run can still be resumed: the state goes before the chains it names, the request
    // last.
    fs::remove(partial_ / "state.json", ignored);
    std::vector<fs::path> others;
    for (const auto& entry : fs::directory_iterator(partial_, ignored)) {
      if (entry.path().filename() != "request.json") others.push_back(entry.path());
    }
    for (const fs::path& path : others) fs::remove(path, ignored);
    fs::remove_all(partial_, ignored);
  }
  if (made_folder_) fs::remove(folder_, ignored);  // refused by the system unless it is empty
}

}  // namespace giga::tool
