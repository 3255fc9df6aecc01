// The command: declares its verbs, parses, and runs one of them.
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "giga/base/text.hpp"
#include "support/arguments.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/help_format.hpp"
#include "support/process.hpp"
#include "support/suggest.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription =
    "Bayesian coresets: a few weighted rows that carry the posterior of all the data.";

constexpr const char* kFooter = R"(Examples:
  giga simulate logistic --rows 100000 --dim 10 --out flights.csv
  giga fit flights.csv --family bernoulli
  giga predict flights-fit new.csv --out predictions.csv
  giga build flights.csv --family bernoulli --size 100 --out coreset.csv
  giga sample coreset.csv --out draws
  giga summary draws
  giga check flights.csv coreset.csv draws
  giga build --help

Results go to stdout, messages and progress to stderr; NO_COLOR is honoured.

)";

constexpr const char* kSimulateFooter = R"(Examples:
  giga simulate logistic --rows 100000 --dim 10 --out flights.csv
  giga simulate onehot --out table.csv
  giga simulate vectors --rows 100000 --dim 50 --out V.npy)";

class Command {
 public:
  Command() {
    root_.name("giga");
    root_.formatter(format_);
    root_.set_version_flag("--version", "giga " GIGA_VERSION, "Print the version and exit");
    root_.set_help_flag("-h,--help", "Print this help and exit");
    root_.set_help_all_flag("--help-all", "Print the help with all options and exit");
    root_.footer(kFooter + exit_code_help());
    root_.allow_extras();
    root_.require_subcommand(0, 1);
    verbs_.push_back(on_all_ranks(declare_fit(root_)));
    verbs_.push_back(on_all_ranks(declare_build(root_)));
    verbs_.push_back(on_all_ranks(declare_sample(root_)));
    verbs_.push_back(declare_summary(root_));
    verbs_.push_back(on_all_ranks(declare_check(root_)));
    verbs_.push_back(declare_merge(root_));
    verbs_.push_back(declare_predict(root_));
    verbs_.push_back(declare_report(root_));
    verbs_.push_back(declare_reproduce(root_));
    simulate_ = root_.add_subcommand("simulate", "Make up data to try things on");
    simulate_->footer(kSimulateFooter);
    simulate_->allow_extras();
    simulate_->require_subcommand(0, 1);
    for (Verb& verb : declare_simulate_data(*simulate_)) verbs_.push_back(std::move(verb));
    verbs_.push_back(declare_simulate_one_hot(*simulate_));
    verbs_.push_back(declare_simulate_vectors(*simulate_));
    verbs_.push_back(declare_completion(root_));
    declare_help();
    verbs_.push_back(declare_man(root_));
    for (CLI::App* app : {static_cast<CLI::App*>(&root_), simulate_}) {
      for (CLI::App* verb : app->get_subcommands([](CLI::App*) { return true; })) verb->group("Commands");
    }
  }

  int run(int argc, char** argv) {
    std::vector<std::string> words = words_of(argc, argv);
    try {
      root_.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
      refuse_all_leftovers();
      write_stdout(root_.help());
      return kOk;
    } catch (const CLI::CallForAllHelp&) {
      refuse_all_leftovers();
      format_->list_all(true);
      write_stdout(root_.help());
      return kOk;
    } catch (const CLI::CallForVersion& version) {
      write_stdout(std::string(version.what()) + "\n");
      return kOk;
    } catch (const CLI::ArgumentMismatch& error) {  // "--size: 1 required TEXT missing"
      const std::string text = error.what();
      throw UsageError(text.substr(0, text.find(':')) + " needs a value");
    } catch (const CLI::ParseError& error) {
      throw UsageError(error.what());
    }
    refuse_all_leftovers();
    for (const Verb& verb : verbs_) {
      if (!verb.app->parsed()) continue;
      if (verb.on_all_ranks || this_process().leads()) verb.run();
      return kOk;
    }
    write_stderr(root_.help());
    return kUsage;
  }

 private:
  static Verb on_all_ranks(Verb verb) {
    verb.on_all_ranks = true;
    return verb;
  }

  // What follows "--" are words, whatever they begin with; a file named so is ./-file just as well. CLI11
  // takes the last one first.
  static std::vector<std::string> words_of(int argc, char** argv) {
    std::vector<std::string> words;
    bool only_words = false;
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (!only_words && word == "--") {
        only_words = true;
        continue;
      }
      words.push_back(only_words && word.size() > 1 && word.front() == '-' ? "./" + word : word);
    }
    std::reverse(words.begin(), words.end());
    return words;
  }

  // giga help simulate vectors: the same as giga simulate vectors --help.
  void declare_help() {
    Arguments arguments = Arguments::of_verb(root_, "help", "Print the help of a command",
                                             "Examples:\n  giga help fit\n  giga help simulate logistic");
    verbs_.push_back({arguments.app(), [this, arguments] {
                        const CLI::App* app = &root_;
                        std::string path = root_.get_name();
                        for (const std::string& word : arguments.take_words()) {
                          app = &verb_named(*app, word);
                          path += " " + word;
                        }
                        write_stdout(format_->make_help(app, path, CLI::AppFormatMode::Normal));
                      }});
  }

  static const CLI::App& verb_named(const CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
      if (verb->get_name() == word) return *verb;
      names.push_back(verb->get_name());
    }
    const std::string suggestion = did_you_mean(word, names);
    throw UsageError("unknown command '" + printable(word) + "'" +
                     (suggestion.empty() ? "; see giga --help" : suggestion));
  }

  void refuse_all_leftovers() const {
    refuse_leftovers(root_);
    refuse_leftovers(*simulate_);
  }

  // Words that belong to no verb: before it, in place of it, or after a "--".
  static void refuse_leftovers(const CLI::App& app) {
    const std::vector<std::string> left = app.remaining();
    if (left.empty()) return;
    const std::string word = "'" + printable(left[0]) + "'";
    if (!app.get_subcommands().empty()) throw UsageError("unexpected argument " + word + "; see giga --help");
    if (left[0].starts_with('-')) throw UsageError("unknown option " + word + "; see giga --help");
    (void)verb_named(app, left[0]);
  }

  std::shared_ptr<HelpFormat> format_ = std::make_shared<HelpFormat>();
  CLI::App root_{kDescription};
  CLI::App* simulate_ = nullptr;
  std::vector<Verb> verbs_;
};

}  // namespace

int run_command(int argc, char** argv) {
  return Command().run(argc, argv);
}

}  // namespace giga::tool
