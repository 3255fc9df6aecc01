// The options of one verb. CLI11 splits the command line and prints the help; the values stay text until they
// are asked for here, so that every refusal names the option, the value and what is allowed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "giga/base/types.hpp"
#include "support/choices.hpp"
#include "support/config_file.hpp"

// CLI11 takes seconds to compile, so few files see it.
namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
class Option;
}  // namespace CLI

namespace giga::tool {

class Arguments {
 public:
  /// `app` must outlive this object.
  explicit Arguments(CLI::App& app) : app_(&app) {}

  /// Those of a new verb below `parent`; the help ends with the examples.
  [[nodiscard]] static Arguments of_verb(CLI::App& parent, const std::string& name,
                                         const std::string& description, const std::string& examples);
  [[nodiscard]] CLI::App* app() const { return app_; }

  /// Options are named without dashes. The group is a heading of the help.
  void add_value(const std::string& name, const std::string& value_name, const std::string& help,
                 const std::string& group);
  /// A value that may be given several times; texts() has them all.
  void add_repeated(const std::string& name, const std::string& value_name, const std::string& help,
                    const std::string& group);
  /// A value that choice() is asked for.
  template <NamedEnum Enum>
  void add_choice(const std::string& name, const std::string& value_name, const std::string& help,
                  const std::string& group) {
    add_one_of(name, value_name, choices_of<Enum>(), help, group);
  }
  void add_one_of(const std::string& name, const std::string& value_name,
                  const std::vector<std::string>& values, const std::string& help, const std::string& group);
  void add_flag(const std::string& name, const std::string& help, const std::string& group);

  /// A word that is not an option, and one of `values`. The usage shows it as `shown`.
  void add_word(const std::string& name, const std::string& shown, const std::vector<std::string>& values,
                const std::string& help);

  /// The options that --help lists; all of them are in --help-all. Without this call --help lists all.
  void show_first(const std::vector<std::string>& names);

  /// Throws UsageError if anything on the command line was not understood. `hint` says where words that are
  /// not options belong.
  void refuse_leftovers(const std::string& hint) const;

  /// The one word on the command line that is not an option, if there is one: the input. Throws UsageError
  /// for anything else that was not understood.
  [[nodiscard]] std::optional<std::string> take_word() const;

  /// All such words, for verbs that take several inputs.
  [[nodiscard]] std::vector<std::string> take_words() const;

  /// Takes what the command line did not give from the file that --config names, if it names one.
  void read_config();
  /// A message about an option, with the place in that file where it was given.
  [[nodiscard]] std::string with_place(const std::string& message) const;

  /// Takes what was not given from settings; `origin` is where they come from, for messages.
  void take(const std::vector<Setting>& settings, const std::string& origin);
  /// All that was given, in the order of the help.
  [[nodiscard]] std::vector<Setting> settings() const;

  [[nodiscard]] bool given(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name) const;

  /// These throw UsageError for an option given twice, empty, malformed or out of range.
  [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
  /// All values of an option that add_repeated added, in their order; none may be empty.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  /// A word that add_word added.
  [[nodiscard]] std::optional<std::string> word(const std::string& name) const;
  /// `other` is for the message: what else the value might have been, as "auto or ".
  [[nodiscard]] std::uint64_t whole(const std::string& name, std::uint64_t fallback, std::uint64_t least,
                                    std::uint64_t most, const std::string& other = "") const;
  [[nodiscard]] Index count(const std::string& name, Index fallback, Index least, Index most,
                            const std::string& other = "") const;
  /// One of the values that add_one_of was told; hyphens and underscores do not matter.
  [[nodiscard]] std::string one_of(const std::string& name, const std::string& fallback) const;
  [[nodiscard]] double number(const std::string& name, double fallback, double least, double most) const;

  /// Hyphens and underscores in the value do not matter. Throws std::logic_error unless add_choice of the
  /// same enumeration added the option: completion must offer what is understood here.
  template <NamedEnum Enum>
  [[nodiscard]] Enum choice(const std::string& name, Enum fallback) const {
    const std::vector<std::string> choices = choices_of<Enum>();
    require_declared(name, choices);
    const auto value = text(name);
    return value ? giga::values_of<Enum>()[position("--" + name, *value, choices)] : fallback;
  }

 private:
  [[nodiscard]] CLI::Option* option(const std::string& name) const;
  [[nodiscard]] CLI::Option* positional(const std::string& name) const;
  void require_declared(const std::string& name, const std::vector<std::string>& values) const;
  [[nodiscard]] std::vector<std::string> known() const;
  [[nodiscard]] bool is_repeated(const std::string& name) const;
  [[noreturn]] void refuse_unknown_option(const std::string& word) const;
  [[nodiscard]] static std::size_t position(const std::string& name, const std::string& value,
                                            const std::vector<std::string>& names);

  CLI::App* app_;
  std::vector<std::string> repeated_;  // options that add_repeated added
  // Of options that a file gave: "run.toml, line 3". Copies of this object share it.
  std::shared_ptr<std::map<std::string, std::string>> places_ =
      std::make_shared<std::map<std::string, std::string>>();
};

/// A verb of the command: where its options were parsed, and what to do with them.
struct Verb {
  CLI::App* app;
  std::function<void()> run;
  bool on_all_ranks = false;  ///< Otherwise rank 0 alone runs it.
};

/// A new verb below `parent`: Arguments::of_verb with what `add_options` adds; `run` gets what was given.
[[nodiscard]] Verb declare_verb(CLI::App& parent, const std::string& name, const std::string& description,
                                const std::string& examples, void (*add_options)(Arguments&),
                                const std::function<void(const Arguments&)>& run);

}  // namespace giga::tool
