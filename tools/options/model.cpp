// Tables and models: how they are read, and whether options agree with a coreset.
#include "options/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "giga/base/text.hpp"
#include "giga/data/input_files.hpp"
#include "giga/design/formula.hpp"
#include "giga/design/group_effect.hpp"
#include "support/exit_codes.hpp"
#include "support/lists.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

constexpr Index kMostLevels = 65536;
constexpr double kLeastScale = 1e-6, kMostScale = 1e6;

// The families of a name, that of the default link first.
std::vector<Family> families_named(const std::string& name) {
  std::vector<Family> out;
  for (const Family family : all_families()) {
    const FamilyDescription& each = describe(family);
    if (each.name == name && !each.is_given)
      out.insert(each.is_default_link ? out.begin() : out.end(), family);
  }
  return out;
}

// "log or softplus".
std::string links_of(const std::string& name) {
  std::string text;
  for (const Family family : families_named(name))
    text.append(text.empty() ? "" : " or ").append(link_name(family));
  return text;
}

// What a name of families says in help or messages, by `member` of the first of them.
std::string_view said_of(const std::string& name, std::string_view FamilyDescription::*member) {
  return describe(families_named(name).front()).*member;
}

std::string family_help() {
  std::vector<ChoiceLine> lines;
  for (const std::string& name : family_names())
    lines.push_back({name, spelled(said_of(name, &FamilyDescription::response_words))});
  return choice_lines(lines);
}

// "bernoulli: logit; poisson: log (default) or softplus, the paper's; gaussian: identity".
std::string link_help() {
  std::string text;
  for (const std::string& name : family_names()) {
    const std::vector<Family> families = families_named(name);
    text.append(text.empty() ? "" : "; ").append(name).append(": ");
    for (const Family family : families) {
      const FamilyDescription& each = describe(family);
      if (family != families.front()) text.append(" or ");
      text.append(each.link);
      if (families.size() > 1 && each.is_default_link) text.append(" (default)");
      if (!each.link_words.empty()) text.append(", ").append(each.link_words);
    }
  }
  return wrapped(text);
}

// The family that has a setting.
std::string_view owner_of(const FamilySetting& setting) {
  for (const Family family : all_families())
    if (describe(family).has_setting(setting.value)) return family_name(family);
  return "the";
}

// Whether a family learns it where it is not given.
bool is_learnt(const FamilySetting& setting) {
  for (const Family family : all_families())
    if (describe(family).is_given && describe(family).has_setting(setting.value)) return true;
  return false;
}

Family with_link(const std::string& family, const std::optional<std::string>& link) {
  const auto found = family_named(family, link);
  if (!found)
    throw UsageError(
        fmt::format("--link {} does not go with --family {}; it takes {}", *link, family, links_of(family)));
  return *found;
}

constexpr std::string_view kNoDelimiters = "\".+-eE0123456789";  // quotes, and what numbers are made of

class Agreement {
 public:
  Agreement(const Arguments& arguments, const CoresetFile& companion)
      : arguments_(arguments), file_(printable_path(companion.path)) {}

  void require(const std::string& option, const std::string& given, const std::string& known) const {
    if (arguments_.given(option) && given != known)
      throw UsageError(fmt::format("--{} is {}, but {} says {}; leave it out, or build the coreset again",
                                   option, printable(given), file_, printable(known)));
  }

  void require_number(const std::string& option, double known) const {
    const double given = arguments_.number(option, known, kLeastScale, kMostScale);
    require(option, shortest(given), shortest(known));
  }

  // The flag is the contrary of what the companion says.
  void require_without(const char* option, bool known) const {
    const char* words[] = {"false", "true"};
    require(option, words[arguments_.flag(option) ? 1 : 0], words[known ? 0 : 1]);
  }

  void refuse(const std::string& option) const {
    if (arguments_.given(option))
      throw UsageError(
          fmt::format("--{} has no effect with a coreset that {} describes; leave it out", option, file_));
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

// The names of extra parameters of all families, each once: --prior-sigma.
std::vector<std::string> extra_names() {
  std::vector<std::string> names;
  for (const Family family : all_families()) {
    for (const ExtraParameter& extra : describe(family).extras)
      if (std::ranges::find(names, extra.name) == names.end()) names.emplace_back(extra.name);
  }
  return names;
}

std::string prior_option(const std::string& extra) {
  return "prior-" + option_name(extra);
}

bool has_extra(Family family, const std::string& name) {
  return std::ranges::any_of(describe(family).extras,
                             [&name](const ExtraParameter& extra) { return extra.name == name; });
}

void add_prior_options(Arguments& arguments, const std::string& group) {
  arguments.add_repeated("prior", "P",
                         "Prior of the coefficients: normal(0, 2.5), student_t(4, 0, 1),\n"
                         "cauchy(0, 2.5), laplace(0, 1), logistic(0, 1) or flat; of one column,\n"
                         "term or other parameter: 'NAME = P'. May be given several times\n"
                         "(default normal(0, 1), on standardised features)",
                         group);
  arguments.add_value("prior-intercept", "P", "Prior of the intercept (default that of the coefficients)",
                      group);
  for (const std::string& extra : extra_names())
    arguments.add_value(prior_option(extra), "P",
                        "Prior of " + extra +
                            ": exponential(1), half_normal(1), half_student_t(3, 1),\n"
                            "half_cauchy(1), gamma(2, 0.1) or lognormal(0, 1)",
                        group);
  arguments.add_value("prior-group", "P",
                      "Prior of the sds of group effects, as of sigma (default exponential(1), in\n"
                      "units of the response where its noise is learnt, over sd(x) for (x | g))",
                      group);
  arguments.add_value("prior-scale", "S", "theta ~ N(0, S^2 I), S from 1e-6 to 1e6 (default 1)", group);
  arguments.add_flag("autoscale",
                     "Scales of priors are in units of the data, as in rstanarm: sd(y) for\n"
                     "an identity link, over sd(x) with --no-standardise",
                     group);
}

// Which option leaves a family without an extra: the one that fixes it, or --family.
std::string why_without(Family family, const std::string& extra) {
  const auto learns = family_named(family_name(family), link_name(family));
  if (describe(family).is_given && learns && has_extra(*learns, extra))
    return fmt::format("--{}, which fixes {}", option_name(describe(family).settings[0].name), extra);
  return fmt::format("--family {}", family_name(family));
}

PriorOptions prior_options(const Arguments& arguments, Family family) {
  PriorOptions priors;
  for (const std::string& text : arguments.texts("prior")) add_prior(priors, text);
  if (priors.coefficients && arguments.given("prior-scale"))
    throw UsageError("--prior and --prior-scale are both given for all coefficients; give one of them");
  if (const auto text = arguments.text("prior-intercept"))
    priors.intercept = parse_prior(*text, "prior_intercept");
  for (const std::string& extra : extra_names()) {
    const auto text = arguments.text(prior_option(extra));
    if (!text) continue;
    if (!has_extra(family, extra))
      throw UsageError(fmt::format("--{} has no effect with {}; leave it out", prior_option(extra),
                                   why_without(family, extra)));
    add_prior(priors, {extra, parse_prior(*text, "prior_" + extra)});
  }
  if (const auto text = arguments.text("prior-group"))
    add_prior(priors, {kGroupSds, parse_prior(*text, "prior_group")});
  priors.autoscale = arguments.flag("autoscale");
  return priors;
}

// "normal(0, 1); x = flat", in an order that does not depend on that of the options.
std::string listed_priors(const PriorOptions& priors) {
  std::vector<std::string> texts = prior_texts(priors);
  std::ranges::sort(texts);
  std::string list;
  for (const std::string& text : texts) list.append(list.empty() ? "" : "; ").append(text);
  return list.empty() ? "none" : list;
}

void require_priors(const Arguments& arguments, const ModelOptions& known, const Agreement& agreement) {
  const PriorOptions given = prior_options(arguments, known.family.family);
  const std::string all = listed_priors(given), of_file = listed_priors(known.priors);
  agreement.require("prior", all, of_file);
  for (const std::string& extra : extra_names()) agreement.require(prior_option(extra), all, of_file);
  agreement.require("prior-group", all, of_file);
  agreement.require("prior-intercept", given.intercept ? given.intercept->text() : "",
                    known.priors.intercept ? known.priors.intercept->text() : "none");
  const char* words[] = {"false", "true"};
  agreement.require("autoscale", words[given.autoscale ? 1 : 0], words[known.priors.autoscale ? 1 : 0]);
}

}  // namespace

std::string setting_help(const FamilySetting& setting, std::string_view whose, bool learnt) {
  return wrapped(fmt::format(
      "{}, 1e-6 to 1e6 ({})", fmt::format(fmt::runtime(setting.words), whose),
      learnt ? "learnt unless it is given" : "default " + shortest(FamilyParameters{}.*setting.value)));
}

void add_table_options(Arguments& arguments, const std::string& group) {
  arguments.add_value("response", "NAME", "Column to explain (default `y`, else the last)", group);
  arguments.add_value("features", "A,B,...", "Columns that explain it (default all others)", group);
  arguments.add_value("weights", "NAME", "Column of observation weights (default none)", group);
  arguments.add_value("trials", "NAME", "Column of trials; the response are then the successes (binomial)",
                      group);
  arguments.add_value("categories", "A,B,...", "Columns that are categories although they look like numbers",
                      group);
  arguments.add_value("max-levels", "K", "Levels of a category, 1 to 65536 (default 1000)", group);
  add_file_options(arguments, group);
}

void add_file_options(Arguments& arguments, const std::string& group) {
  arguments.add_choice<Missing>("missing", "WHAT", "Rows with NaN, NA or empty cells: refuse (default), drop",
                                group);
  arguments.add_value("sql", "QUERY",
                      "A SELECT of DuckDB whose result is the table, over any files it reads;\n"
                      "DATA, which may be left out, is called data in it",
                      group);
  arguments.add_value("delimiter", "C", "Between the fields of CSV, or tab (default ,; tab for .tsv)", group);
  arguments.add_flag("no-header", "The first line of the CSV file has data, not names", group);
}

std::string joined_data(const std::vector<std::string>& words) {
  std::error_code ignored;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-" || words[i].find_first_of("./*?[,") != std::string::npos ||
        std::filesystem::exists(words[i], ignored))
      continue;
    throw UsageError("unexpected argument '" + printable(words[i]) + "'; the input is '" +
                     printable(words[0]) + "', it is no other file, and a formula has a ~");
  }
  return joined_input(words);
}

std::optional<std::string> take_data_and_formula(Arguments& arguments) {
  std::vector<std::string> words = arguments.take_words();
  // Of a query, which needs no DATA, it may be the only word.
  const auto formula = std::ranges::find_if(words, [](const std::string& word) {
    std::error_code ignored;
    return word.find('~') != std::string::npos && !std::filesystem::exists(word, ignored);
  });
  if (formula != words.end()) {
    const bool last = formula + 1 == words.end();
    if (!last || (arguments.given("formula") && words.size() > 1)) {
      throw UsageError("unexpected argument '" + printable(last ? *formula : *(formula + 1)) +
                       "'; the input is '" + printable(words.front()) + "'" +
                       (last ? "" : ", and the formula comes last"));
    }
    if (!arguments.given("formula")) {
      arguments.take({{"formula", *formula}}, "the command line");
      words.pop_back();
    }
  }
  if (words.empty()) return std::nullopt;
  return joined_data(words);
}

void add_model_options(Arguments& arguments, const std::string& group) {
  arguments.add_value("formula", "F",
                      "R's, as in 'late ~ hour + carrier'; may follow DATA without --formula\n"
                      "(default: the response explained by all features)",
                      group);
  // Known before the help of families, which speaks of them.
  for (const FamilySetting& setting : family_settings()) know_option(option_name(setting.name));
  arguments.add_one_of("family", "NAME", family_names(), family_help(), group);
  arguments.add_one_of("link", "NAME", link_names(), link_help(), group);
  for (const FamilySetting& setting : family_settings())
    arguments.add_value(option_name(setting.name), "S",
                        setting_help(setting, owner_of(setting), is_learnt(setting)), group);
  arguments.add_value("success", "LEVEL", "Label that counts as 1 (default 1, or the second of two words)",
                      group);
  add_prior_options(arguments, group);
  arguments.add_flag("no-intercept", "No constant term", group);
  arguments.add_flag("no-standardise", "Take the features as they are", group);
}

std::optional<char> delimiter_of(const Arguments& arguments) {
  const auto delimiter = arguments.text("delimiter");
  if (!delimiter) return std::nullopt;
  if (*delimiter == "tab" || *delimiter == "\\t") return '\t';
  if (delimiter->size() == 1 && (*delimiter)[0] >= ' ' && (*delimiter)[0] < 127 &&
      kNoDelimiters.find((*delimiter)[0]) == std::string_view::npos)
    return (*delimiter)[0];
  throw UsageError("--delimiter is '" + printable(*delimiter) +
                   "'; must be one character such as ';', or tab");
}

ReadOptions read_options(const Arguments& arguments) {
  ReadOptions read;
  if (!arguments.given("trials")) read.response = arguments.text("response");  // else the formula has it
  read.weights = arguments.text("weights");
  if (const auto features = arguments.text("features")) read.features = names_in_list("features", *features);
  if (const auto names = arguments.text("categories")) read.categories = names_in_list("categories", *names);
  read.max_levels = arguments.count("max-levels", read.max_levels, 1, kMostLevels);
  read.missing = arguments.choice("missing", Missing::Refuse);
  read.header = !arguments.flag("no-header");
  read.sql = arguments.text("sql");
  if (const auto delimiter = delimiter_of(arguments)) read.delimiter = *delimiter;
  return read;
}

namespace {

// A name as a formula takes it, whatever it has in it.
std::string in_backticks(const std::string& name) {
  if (name.find('`') != std::string::npos)
    throw UsageError("column '" + printable(name) +
                     "' has a backtick in its name, which formulas cannot say");
  return "`" + name + "`";
}

// With --trials N the response k stands for cbind(k, N - k).
std::optional<std::string> formula_of(const Arguments& arguments, Family family) {
  std::optional<std::string> formula = arguments.text("formula");
  const auto trials = arguments.text("trials");
  if (!trials) return formula;
  if (!describe(family).has_trials)
    throw UsageError(
        fmt::format("--trials has no effect with --family {}; leave it out", family_name(family)));
  std::string successes, rest = " ~ .";
  if (formula) {
    const std::size_t tilde = formula->find('~');
    if (tilde == std::string::npos) return formula;  // the parser will say what is wrong
    successes = formula->substr(0, tilde);
    rest = formula->substr(tilde);
  } else {
    const auto response = arguments.text("response");
    if (!response) throw UsageError("--trials needs --response, the column of successes, or a formula");
    if (arguments.given("features"))
      throw UsageError("--features has no effect with --trials; name the columns in a formula");
    successes = in_backticks(*response);
  }
  return "cbind(" + successes + ", " + in_backticks(*trials) + " - (" + successes + ")) " + rest;
}

}  // namespace

ModelOptions model_options(const Arguments& arguments) {
  ModelOptions model;
  if (!arguments.given("family")) {
    std::string known;
    for (const std::string& name : family_names())
      known += fmt::format("{}{} for {}", known.empty() ? "" : ", ", name,
                           said_of(name, &FamilyDescription::responses));
    throw UsageError("--family is needed: " + known);
  }
  const std::string family = arguments.one_of("family", "");
  std::optional<std::string> link;
  if (arguments.given("link")) link = arguments.one_of("link", "");
  model.family.family = with_link(family, link);
  for (const FamilySetting& setting : family_settings()) {
    const std::string option = option_name(setting.name);
    if (!arguments.given(option)) continue;
    const auto given = with_setting(model.family.family, setting);
    if (!given)
      throw UsageError(fmt::format("--{} has no effect with --family {}; leave it out", option, family));
    model.family.family = *given;
    model.family.*setting.value =
        arguments.number(option, model.family.*setting.value, kLeastScale, kMostScale);
  }
  model.prior_scale = arguments.number("prior-scale", 1, kLeastScale, kMostScale);
  model.priors = prior_options(arguments, model.family.family);
  model.formula = formula_of(arguments, model.family.family);
  if (model.formula && arguments.flag("no-intercept"))
    throw UsageError("--no-intercept has no effect with a formula; write y ~ 0 + ...");
  for (const char* option : {"response", "features"}) {
    if (arguments.given("formula") && arguments.given(option))
      throw UsageError(
          fmt::format("--{} has no effect with a formula, which names its columns; leave it out", option));
  }
  model.intercept = !arguments.flag("no-intercept");
  model.standardise = !arguments.flag("no-standardise");
  model.success = arguments.text("success");
  if (model.success && !describe(model.family.family).is_binary)
    throw UsageError(fmt::format("--success has no effect with --family {}; leave it out", family));
  return model;
}

namespace {

// Blanks do not matter, nor how numbers and texts are written.
void require_formula(const Arguments& arguments, const std::optional<std::string>& known,
                     const Agreement& agreement) {
  const auto given = arguments.text("formula");
  if (given && known && deparse(parse_formula(*given)) == deparse(parse_formula(*known))) return;
  agreement.require("formula", given.value_or(""), known.value_or("nothing of it"));
}

void require_model(const Arguments& arguments, const CoresetFile& companion, const Agreement& agreement) {
  const Family family = companion.model.family.family;
  agreement.require("family", arguments.one_of("family", ""), std::string(family_name(family)));
  agreement.require("link", arguments.one_of("link", ""), std::string(link_name(family)));
  for (const FamilySetting& setting : family_settings()) {
    const std::string option = option_name(setting.name);
    if (describe(family).has_setting(setting.value)) {
      agreement.require_number(option, companion.model.family.*setting.value);
    } else if (with_setting(family, setting)) {
      agreement.require(option, arguments.text(option).value_or(""), "learnt");
    } else {
      agreement.refuse(option);
    }
  }
  agreement.require_number("prior-scale", companion.model.prior_scale);
  require_priors(arguments, companion.model, agreement);
  agreement.require_without("no-intercept", companion.model.intercept);
  agreement.require_without("no-standardise", companion.model.standardise);
  agreement.require("success", arguments.text("success").value_or(""),
                    companion.model.success.value_or("nothing of it"));
  agreement.refuse("trials");
  require_formula(arguments, companion.model.formula, agreement);
  agreement.require("response", arguments.text("response").value_or(""), companion.response);
  if (const auto features = arguments.text("features"))
    agreement.require("features", listed(names_in_list("features", *features)), listed(companion.features));
}

}  // namespace

void require_agreement(const Arguments& arguments, const CoresetFile& companion) {
  const Agreement agreement(arguments, companion);
  require_model(arguments, companion, agreement);
  agreement.require("weights", arguments.text("weights").value_or(""), "weight");
  for (const char* option : {"missing", "sql", "delimiter", "no-header", "categories", "max-levels"})
    agreement.refuse(option);
}

void require_reading_agreement(const Arguments& arguments, const CoresetFile& companion) {
  const Agreement agreement(arguments, companion);
  require_model(arguments, companion, agreement);
  agreement.require("weights", arguments.text("weights").value_or(""),
                    companion.read.weights.value_or("none"));
  const Missing known = companion.read.missing;
  agreement.require("missing", std::string(name(arguments.choice("missing", known))),
                    std::string(name(known)));
  for (const char* option : {"categories", "max-levels"}) agreement.refuse(option);
}

}  // namespace giga::tool
