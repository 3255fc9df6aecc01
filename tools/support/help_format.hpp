// The layout of the help texts: CLI11's, with one blank line between parts and the help option last.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/command_tree.hpp"

namespace giga::tool {

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat() {
    column_width(kColumn);
    label("OPTIONS", "options");
    label("SUBCOMMAND", "command");
    label("Positionals", "Arguments");
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
      text.erase(at, 1);
    return text;
  }

  // A verb whose input is a word says so; CLI11 does not know of that word, since it is taken from
  // what is left over.
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = CLI::Formatter::make_usage(app, std::move(name));
    const auto at = text.find(" [options]");
    if (at == std::string::npos) return text;
    if (app->get_name() == "fit") text.insert(at, " [DATA...] [FORMULA]");
    if (app->get_name() == "report") text.insert(at, " DIR");
    if (app->get_name() == "build") text.insert(at, " [DATA...] [FORMULA]");
    if (app->get_name() == "sample") text.insert(at, " [DATA...|coreset.csv] [FORMULA]");
    if (app->get_name() == "check") text.insert(at, " [DATA...] coreset.csv [DIR]");
    if (app->get_name() == "predict") text.insert(at, " DIR [DATA...]");
    if (app->get_name() == "merge") text.insert(at, " coreset.csv|DIR...");
    if (app->get_name() == "help") text.insert(at, " [COMMAND]");
    if (app->get_name() == "summary") text.insert(at, " DIR|FILE...");
    return text;
  }

  /// Whether all options are listed, or those that a verb shows first.
  void list_all(bool all) { all_ = all; }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    std::erase_if(options, [this](const CLI::Option* option) { return !all_ && !is_shown_first(*option); });
    return options.empty() ? "" : CLI::Formatter::make_group(std::move(group), is_positional, options);
  }

  std::string make_option_usage(const CLI::Option* option) const override {
    return option->get_option_text();
  }

  std::string make_description(const CLI::App* app) const override { return app->get_description() + "\n\n"; }

 private:
  static constexpr std::size_t kColumn = 21;
  bool all_ = false;
};

}  // namespace giga::tool
