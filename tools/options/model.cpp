// Tables and models: how they are read, and whether options agree with a coreset.
#include "options/model.hpp"

#include <fmt/format.h>

#include "giga/base/text.hpp"
#include "support/exit_codes.hpp"
#include "support/lists.hpp"

namespace giga::tool {
namespace {

constexpr double kLeastScale = 1e-6, kMostScale = 1e6;

constexpr const char* kFamilyHelp = R"(bernoulli  labels 0 and 1, or -1 and 1
poisson    counts
gaussian   real numbers, with a known --noise-scale)";

constexpr const char* kLinkHelp = R"(bernoulli: logit; poisson: log (default) or softplus, the paper's;
gaussian: identity)";

enum class FamilyWord { Bernoulli, Poisson, Gaussian };
constexpr auto name_table(FamilyWord) {
  using enum FamilyWord;
  return names_are<FamilyWord>({{Bernoulli, "bernoulli"}, {Poisson, "poisson"}, {Gaussian, "gaussian"}});
}

enum class LinkWord { Logit, Softplus, Log, Identity };
constexpr auto name_table(LinkWord) {
  using enum LinkWord;
  return names_are<LinkWord>(
      {{Logit, "logit"}, {Softplus, "softplus"}, {Log, "log"}, {Identity, "identity"}});
}

Family with_link(FamilyWord family, std::optional<LinkWord> link) {
  const auto refuse = [&](const char* links) -> Family {
    throw UsageError(
        fmt::format("--link {} does not go with --family {}; it takes {}", name(*link), name(family), links));
  };
  switch (family) {
    case FamilyWord::Bernoulli:
      return link.value_or(LinkWord::Logit) == LinkWord::Logit ? Family::BernoulliLogit : refuse("logit");
    case FamilyWord::Gaussian:
      return link.value_or(LinkWord::Identity) == LinkWord::Identity ? Family::GaussianIdentity
                                                                     : refuse("identity");
    case FamilyWord::Poisson: break;
  }
  switch (link.value_or(LinkWord::Log)) {
    case LinkWord::Log: return Family::PoissonLog;
    case LinkWord::Softplus: return Family::PoissonSoftplus;
    default: return refuse("log or softplus");
  }
}

constexpr std::string_view kNoDelimiters = "\".+-eE0123456789";  // quotes, and what numbers are made of

class Agreement {
 public:
  Agreement(const Arguments& arguments, const CoresetFile& companion)
      : arguments_(arguments), file_(printable_path(companion.path)) {}

  void require(const char* option, const std::string& given, const std::string& known) const {
    if (arguments_.given(option) && given != known)
      throw UsageError(fmt::format("--{} is {}, but {} says {}; leave it away, or build the coreset again",
                                   option, printable(given), file_, printable(known)));
  }

  void require_number(const char* option, double known) const {
    const double given = arguments_.number(option, known, kLeastScale, kMostScale);
    require(option, shortest(given), shortest(known));
  }

  // The flag is the contrary of what the companion says.
  void require_without(const char* option, bool known) const {
    const char* words[] = {"false", "true"};
    require(option, words[arguments_.flag(option) ? 1 : 0], words[known ? 0 : 1]);
  }

  void refuse(const char* option) const {
    if (arguments_.given(option))
      throw UsageError(
          fmt::format("--{} means nothing to a coreset that {} describes; leave it away", option, file_));
  }

 private:
  const Arguments& arguments_;
  std::string file_;
};

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list.append(list.empty() ? "" : ",").append(csv_field(name));
  return list;
}

}  // namespace

void add_table_options(Arguments& arguments, const std::string& table) {
  arguments.add_value("response", "NAME", "Column to explain (default `y`, else the last)", table);
  arguments.add_value("features", "A,B,...", "Columns that explain it (default all others)", table);
  arguments.add_value("weights", "NAME", "Column of observation weights (default none)", table);
  arguments.add_choice<Missing>("missing", "WHAT", "Rows with NaN, NA or empty cells: refuse (default), drop",
                                table);
  arguments.add_value("delimiter", "C", "Between the fields of CSV, or tab (default ,; tab for .tsv)", table);
  arguments.add_flag("no-header", "The first line of the CSV file has data, not names", table);
}

void add_model_options(Arguments& arguments, const std::string& model) {
  arguments.add_choice<FamilyWord>("family", "NAME", kFamilyHelp, model);
  arguments.add_choice<LinkWord>("link", "NAME", kLinkHelp, model);
  arguments.add_value("noise-scale", "S", "Standard deviation of gaussian noise, 1e-6 to 1e6 (default 1)",
                      model);
  arguments.add_value("prior-scale", "S", "theta ~ N(0, S^2 I), S from 1e-6 to 1e6 (default 1)", model);
  arguments.add_flag("no-intercept", "No constant term", model);
  arguments.add_flag("no-standardise", "Take the features as they are", model);
}

ReadOptions read_options(const Arguments& arguments) {
  ReadOptions read;
  read.response = arguments.text("response");
  read.weights = arguments.text("weights");
  if (const auto features = arguments.text("features")) read.features = names_in_list("features", *features);
  read.missing = arguments.choice("missing", Missing::Refuse);
  read.header = !arguments.flag("no-header");
  if (const auto delimiter = arguments.text("delimiter")) {
    if (*delimiter == "tab" || *delimiter == "\\t") {
      read.delimiter = '\t';
    } else if (delimiter->size() == 1 && (*delimiter)[0] >= ' ' && (*delimiter)[0] < 127 &&
               kNoDelimiters.find((*delimiter)[0]) == std::string_view::npos) {
      read.delimiter = (*delimiter)[0];
    } else {
      throw UsageError("--delimiter is '" + printable(*delimiter) +
                       "'; must be one character such as ';', or tab");
    }
  }
  return read;
}

ModelOptions model_options(const Arguments& arguments) {
  ModelOptions model;
  if (!arguments.given("family"))
    throw UsageError(
        "--family is needed: bernoulli for labels, poisson for counts, gaussian for real numbers");
  const auto family = arguments.choice("family", FamilyWord::Bernoulli);
  std::optional<LinkWord> link;
  if (arguments.given("link")) link = arguments.choice("link", LinkWord::Logit);
  model.family.family = with_link(family, link);
  if (arguments.given("noise-scale") && family != FamilyWord::Gaussian)
    throw UsageError(fmt::format("--noise-scale means nothing to --family {}; leave it away", name(family)));
  model.family.noise_scale = arguments.number("noise-scale", 1, kLeastScale, kMostScale);
  model.prior_scale = arguments.number("prior-scale", 1, kLeastScale, kMostScale);
  model.intercept = !arguments.flag("no-intercept");
  model.standardise = !arguments.flag("no-standardise");
  return model;
}

namespace {

void require_model(const Arguments& arguments, const CoresetFile& companion, const Agreement& agreement) {
  const Family family = companion.model.family.family;
  agreement.require("family", std::string(name(arguments.choice("family", FamilyWord::Bernoulli))),
                    std::string(family_name(family)));
  agreement.require("link", std::string(name(arguments.choice("link", LinkWord::Logit))),
                    std::string(link_name(family)));
  if (family == Family::GaussianIdentity) {
    agreement.require_number("noise-scale", companion.model.family.noise_scale);
  } else {
    agreement.refuse("noise-scale");
  }
  agreement.require_number("prior-scale", companion.model.prior_scale);
  agreement.require_without("no-intercept", companion.model.intercept);
  agreement.require_without("no-standardise", companion.model.standardise);
  agreement.require("response", arguments.text("response").value_or(""), companion.response);
  if (const auto features = arguments.text("features"))
    agreement.require("features", listed(names_in_list("features", *features)), listed(companion.features));
}

}  // namespace

void require_agreement(const Arguments& arguments, const CoresetFile& companion) {
  const Agreement agreement(arguments, companion);
  require_model(arguments, companion, agreement);
  agreement.require("weights", arguments.text("weights").value_or(""), "weight");
  for (const char* option : {"missing", "delimiter", "no-header"}) agreement.refuse(option);
}

void require_reading_agreement(const Arguments& arguments, const CoresetFile& companion) {
  const Agreement agreement(arguments, companion);
  require_model(arguments, companion, agreement);
  agreement.require("weights", arguments.text("weights").value_or(""),
                    companion.read.weights.value_or("none"));
  const Missing known = companion.read.missing;
  agreement.require("missing", std::string(name(arguments.choice("missing", known))),
                    std::string(name(known)));
}

}  // namespace giga::tool
