// Values of options, parsed and checked when a verb asks for them. Messages have one form: the option, the
// value, and what is allowed ("--size is 'x'; must be a whole number from 1 to ...").
#include "support/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "giga/base/text.hpp"
#include "support/command_tree.hpp"
#include "support/exit_codes.hpp"
#include "support/spelling.hpp"
#include "support/suggest.hpp"

namespace giga::tool {
namespace {

// Numbers bare, anything else in quotes.
std::string shown(const std::string& value) {
  const bool bare = !value.empty() && value.find_first_not_of("0123456789.-+eE") == std::string::npos;
  return bare ? printable(value) : "'" + printable(value) + "'";
}

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& rule) {
  throw UsageError(name + " is " + shown(value) + "; must be " + rule);
}

std::string without_separators(std::string text) {
  std::erase_if(text, [](char c) { return c == '-' || c == '_'; });
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all.append(all.empty() ? "" : ", ").append(word);
  return all;
}

// "sise" of "--sise=10".
std::string bare_name(const std::string& argument) {
  const std::size_t first = argument.find_first_not_of('-');
  return first == std::string::npos ? "" : argument.substr(first, argument.find('=') - first);
}

bool is_word(const std::string& argument) {
  return !argument.starts_with('-') || argument == "-";
}

}  // namespace

Arguments Arguments::of_verb(CLI::App& parent, const std::string& name, const std::string& description,
                             const std::string& examples) {
  CLI::App* app = parent.add_subcommand(name, description);
  app->allow_extras();
  app->footer(examples);
  return Arguments(*app);
}

Verb declare_verb(CLI::App& parent, const std::string& name, const std::string& description,
                  const std::string& examples, void (*add_options)(Arguments&),
                  const std::function<void(const Arguments&)>& run) {
  Arguments arguments = Arguments::of_verb(parent, name, description, examples);
  add_options(arguments);
  return {arguments.app(), [arguments, run] {
            try {
              run(arguments);
            } catch (const UsageError& error) {
              throw UsageError(arguments.with_place(error.what()));
            }
          }};
}

// Not CLI11's get_option, which looks in a function that must not throw: out of memory, the program would end
// there.
CLI::Option* Arguments::option(const std::string& name) const {
  for (CLI::Option* each : app_->get_options({})) {
    if (std::ranges::find(each->get_lnames(), name) != each->get_lnames().end()) return each;
  }
  throw std::logic_error("--" + name + " was not added");
}

CLI::Option* Arguments::positional(const std::string& name) const {
  for (CLI::Option* each : app_->get_options({})) {
    if (each->get_positional() && each->get_name(true) == name) return each;
  }
  throw std::logic_error(name + " was not added");
}

void Arguments::add_value(const std::string& name, const std::string& value_name, const std::string& help,
                          const std::string& group) {
  know_option(name);
  // TakeAll: a repeated option is refused by text(), in our words.
  app_->add_option(
          "--" + name, [](const CLI::results_t&) { return true; }, help)
      ->option_text(value_name)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
}

void Arguments::add_repeated(const std::string& name, const std::string& value_name, const std::string& help,
                             const std::string& group) {
  add_value(name, value_name, help, group);
  repeated_.push_back(name);
}

bool Arguments::is_repeated(const std::string& name) const {
  return std::find(repeated_.begin(), repeated_.end(), name) != repeated_.end();
}

void Arguments::add_one_of(const std::string& name, const std::string& value_name,
                           const std::vector<std::string>& values, const std::string& help,
                           const std::string& group) {
  add_value(name, value_name, help, group);
  set_values(*option(name), values);
}

void Arguments::add_word(const std::string& name, const std::string& shown,
                         const std::vector<std::string>& values, const std::string& help) {
  CLI::Option* word = app_->add_option(
      name, [](const CLI::results_t&) { return true; }, help);
  word->option_text(shown);
  set_values(*word, values);
}

void Arguments::add_flag(const std::string& name, const std::string& help, const std::string& group) {
  know_option(name);
  app_->add_flag("--" + name, help)->group(group);
}

void Arguments::show_first(const std::vector<std::string>& names) {
  for (const std::string& name : known()) {
    set_shown_first(*option(name), std::ranges::find(names, name) != names.end());
  }
}

std::vector<std::string> Arguments::known() const {
  std::vector<std::string> names;
  for (const CLI::Option* each : app_->get_options()) {
    if (each->nonpositional()) names.push_back(each->get_lnames().front());
  }
  return names;
}

void Arguments::refuse_unknown_option(const std::string& word) const {
  const std::string suggestion = did_you_mean(bare_name(word), known(), "--");
  throw UsageError("unknown option '" + printable(word.substr(0, word.find('='))) + "'" +
                   (suggestion.empty() ? "; see --help-all for the options" : suggestion));
}

void Arguments::refuse_leftovers(const std::string& hint) const {
  const std::vector<std::string> left = app_->remaining();
  if (left.empty()) return;
  const std::string& first = left.front();
  if (is_word(first)) throw UsageError("unexpected argument '" + printable(first) + "'" + hint);
  refuse_unknown_option(first);
}

std::vector<std::string> Arguments::take_words() const {
  std::vector<std::string> left = app_->remaining();
  for (const std::string& word : left) {
    if (!is_word(word)) refuse_unknown_option(word);
    if (word.empty()) throw UsageError("the name of the input is empty");
  }
  return left;
}

std::optional<std::string> Arguments::take_word() const {
  const std::vector<std::string> left = take_words();
  if (left.empty()) return std::nullopt;
  if (left.size() > 1) {
    throw UsageError("unexpected argument '" + printable(left[1]) + "'; the input is '" + printable(left[0]) +
                     "'");
  }
  return left[0];
}

void Arguments::read_config() {
  const auto path = text("config");
  if (!path) return;
  const std::vector<std::string> names = known();
  const auto is_given = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end() && given(name);
  };
  std::vector<Setting> settings;
  for (const FileSetting& each : read_settings(*path, app_->get_name(), repeated_)) {
    settings.push_back(each.setting);
    if (!is_given(each.setting.name)) places_->emplace(each.setting.name, each.place);
  }
  take(settings, printable(*path, 4096));
  std::error_code ignored;
  if (is_given("out") && std::filesystem::equivalent(*text("out"), *path, ignored))
    throw UsageError("--out would replace the file of --config, " + printable(*path, 4096) +
                     "; give another name");
}

// A message about an option begins with its name.
std::string Arguments::with_place(const std::string& message) const {
  if (!message.starts_with("--")) return message;
  const auto place = places_->find(message.substr(2, message.find(' ') - 2));
  return place == places_->end() ? message : place->second + ": " + message;
}

// The command line wins: a setting counts only if its option was not given.
void Arguments::take(const std::vector<Setting>& settings, const std::string& origin) {
  const std::vector<std::string> names = known();
  std::vector<std::string> begun;  // options that take several values, and have begun to
  for (const Setting& setting : settings) {
    const bool exists = std::find(names.begin(), names.end(), setting.name) != names.end();
    if (!exists || setting.name == "config" || setting.name.starts_with("help")) {
      const auto place = places_->find(setting.name);
      throw UsageError((place == places_->end() ? origin : place->second) + ": unknown key '" +
                       printable(setting.name) + "'" + (exists ? "" : did_you_mean(setting.name, names)));
    }
    const bool goes_on = std::find(begun.begin(), begun.end(), setting.name) != begun.end();
    if (option(setting.name)->count() > 0 && !goes_on) continue;
    option(setting.name)->add_result(setting.value);
    if (is_repeated(setting.name)) begun.push_back(setting.name);
  }
}

std::vector<Setting> Arguments::settings() const {
  std::vector<Setting> all;
  for (const CLI::Option* each : app_->get_options()) {
    if (!each->nonpositional() || each->count() == 0) continue;
    const std::string& name = each->get_lnames().front();
    if (!is_repeated(name)) {
      all.push_back({name, each->results().back()});
      continue;
    }
    for (const std::string& value : each->results()) all.push_back({name, value});
  }
  return all;
}

bool Arguments::given(const std::string& name) const {
  return option(name)->count() > 0;
}

bool Arguments::flag(const std::string& name) const {
  const auto value = given(name) ? option(name)->results().back() : "false";
  for (const char* yes : {"true", "on", "yes", "1"}) {
    if (value == yes) return true;
  }
  for (const char* no : {"false", "off", "no", "0"}) {
    if (value == no) return false;
  }
  refuse("--" + name, value, "true or false");
}

std::optional<std::string> Arguments::text(const std::string& name) const {
  const CLI::results_t& values = option(name)->results();
  if (values.empty()) return std::nullopt;
  if (values.size() > 1) {
    throw UsageError("--" + name + " is given " + std::to_string(values.size()) + " times; give it once");
  }
  if (values[0].empty()) throw UsageError("--" + name + " is empty; give it a value");
  return values[0];
}

std::vector<std::string> Arguments::texts(const std::string& name) const {
  for (const std::string& value : option(name)->results())
    if (value.empty()) throw UsageError("--" + name + " is empty; give it a value");
  return option(name)->results();
}

std::uint64_t Arguments::whole(const std::string& name, std::uint64_t fallback, std::uint64_t least,
                               std::uint64_t most, const std::string& other) const {
  const auto value = text(name);
  if (!value) return fallback;
  std::uint64_t parsed = 0;
  const char* end = value->data() + value->size();
  const auto result = std::from_chars(value->data(), end, parsed);
  if (result.ec != std::errc{} || result.ptr != end || parsed < least || parsed > most) {
    refuse("--" + name, *value,
           other + "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return parsed;
}

Index Arguments::count(const std::string& name, Index fallback, Index least, Index most,
                       const std::string& other) const {
  return static_cast<Index>(whole(name, static_cast<std::uint64_t>(fallback),
                                  static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most),
                                  other));
}

double Arguments::number(const std::string& name, double fallback, double least, double most) const {
  const auto value = text(name);
  if (!value) return fallback;
  const auto parsed = parse_double(*value);
  if (!parsed || *parsed < least || *parsed > most) {
    refuse("--" + name, *value, "a number from " + shortest(least) + " to " + shortest(most));
  }
  return *parsed + 0.0;  // -0 becomes 0
}

std::optional<std::string> Arguments::word(const std::string& name) const {
  const CLI::Option* word = positional(name);
  if (word->empty()) return std::nullopt;
  const std::vector<std::string> values = values_of(*word);
  return values[position(name, word->results().front(), values)];
}

std::string Arguments::one_of(const std::string& name, const std::string& fallback) const {
  const auto value = text(name);
  if (!value) return fallback;
  const std::vector<std::string> values = values_of(*option(name));
  return values[position("--" + name, *value, values)];
}

void Arguments::require_declared(const std::string& name, const std::vector<std::string>& values) const {
  if (values_of(*option(name)) != values)
    throw std::logic_error("--" + name + " was not added with the values it is asked for");
}

std::size_t Arguments::position(const std::string& name, const std::string& value,
                                const std::vector<std::string>& names) {
  // frank-wolfe, frank_wolfe and frankwolfe are the same name.
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (without_separators(names[i]) == without_separators(value)) return i;
  }
  refuse(name, value, "one of " + joined(names) + did_you_mean(value, names));
}

}  // namespace giga::tool
