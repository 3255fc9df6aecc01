// Command lines: the verb, then a word a line; after a line "---" the file c.toml, which --config may name.
// They become what the verb is asked for, and nothing is run. Words have no slash, and the folder is an empty
// one of our own, so that nothing of the machine is looked at.
//
// Laws: whatever cannot be is refused as wrong usage, or for an input that is not there; settings that a run
// records, given again as those of a resumed run are, ask for the same.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "build/options.hpp"
#include "check/options.hpp"
#include "fit/options.hpp"
#include "fuzz/support/memory_files.hpp"
#include "fuzz/support/target.hpp"
#include "merge/options.hpp"
#include "options/model.hpp"
#include "predict/options.hpp"
#include "sample/options.hpp"
#include "support/arguments.hpp"
#include "support/process.hpp"

const giga::tool::Process& giga::tool::this_process() noexcept {
  static const Process kAlone;
  return kAlone;
}

namespace giga::fuzz {
namespace {

namespace fs = std::filesystem;
using namespace tool;

// A verb with its options, which take longer to make than to parse; CLI11 forgets what it parsed before. What
// Arguments remember besides, places in a file, is for messages.
struct Declared {
  Declared(const char* name, void (*add_options)(Arguments&))
      : arguments(Arguments::of_verb(root, name, "", "")) {
    add_options(arguments);
  }
  CLI::App root;
  Arguments arguments;
};

void fit(Arguments& arguments) {
  const auto data = take_data_and_formula(arguments);
  arguments.read_config();
  if (arguments.text("resume")) check_resumed(arguments, data);
  const FitRequest request = fit_request(arguments, data);
  static Declared resumed_fit("fit", add_fit_options);
  Arguments again = resumed_fit.arguments;
  again.app()->clear();
  again.take(request.job.settings, "run.json");
  require(again.settings().size() == request.job.settings.size(),
          "settings that are given again are all taken");
  const FitRequest resumed = fit_request(again, data);
  require(resumed.job.command_line == request.job.command_line,
          "settings that are given again ask for the same");
}

void build(Arguments& arguments) {
  const auto data = take_data_and_formula(arguments);
  arguments.read_config();
  (void)build_request(arguments, data);
}

void sample(Arguments& arguments) {
  const auto data = take_data_and_formula(arguments);
  arguments.read_config();
  (void)sample_request(arguments, data);
}

void check(Arguments& arguments) {
  const auto words = arguments.take_words();
  arguments.read_config();
  (void)check_request(arguments, words);
}

void merge(Arguments& arguments) {
  const auto words = arguments.take_words();
  arguments.read_config();
  (void)merge_request(arguments, words);
}

void predict(Arguments& arguments) {
  const auto words = arguments.take_words();
  arguments.read_config();
  (void)predict_request(arguments, words);
}

struct VerbToTry {
  const char* name;
  void (*add_options)(Arguments&);
  void (*run)(Arguments&);
};
constexpr std::array<VerbToTry, 6> kVerbs = {{{"fit", add_fit_options, fit},
                                              {"build", add_build_options, build},
                                              {"sample", add_sample_options, sample},
                                              {"check", add_check_options, check},
                                              {"merge", add_merge_options, merge},
                                              {"predict", add_predict_options, predict}}};

// An empty folder to work in, which is gone when the target ends.
class OwnFolder {
 public:
  OwnFolder() {
    require(::mkdtemp(name_.data()) != nullptr && ::chdir(name_.c_str()) == 0,
            "there is a folder to work in");
  }
  ~OwnFolder() {
    std::error_code ignored;
    require(fs::is_empty(name_, ignored), "nothing was written");
    fs::remove(name_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

 private:
  std::string name_ = (fs::temp_directory_path() / "giga-fuzz-XXXXXX").string();
};

// Divisions of a formula stay; paths lead nowhere.
std::string harmless(std::string word) {
  if (word.find('~') == std::string::npos) std::replace(word.begin(), word.end(), '/', '_');
  return word == ".." ? "." : word;
}

void try_verb(const VerbToTry& verb, std::vector<std::string> words) {
  static std::map<std::string, Declared> declared;
  Declared& each = declared.try_emplace(verb.name, verb.name, verb.add_options).first->second;
  Arguments arguments = each.arguments;
  words.emplace_back(verb.name);
  try {
    each.root.clear();
    each.root.parse(std::move(words));
  } catch (const CLI::ParseError&) {
    return;
  }
  try {
    verb.run(arguments);
  } catch (const OptionError&) {
  } catch (const InputMissing&) {
  } catch (const DataError&) {
  }
}

void run(std::string_view input) {
  static const OwnFolder kFolder;
  const std::string_view name = take_line(input);
  const auto verb = std::ranges::find_if(kVerbs, [&](const VerbToTry& each) { return name == each.name; });
  if (verb == kVerbs.end()) return;
  std::vector<std::string> words;
  while (!input.empty()) {
    const std::string_view word = take_line(input);
    if (word == "---") break;
    words.push_back(harmless(std::string(word.substr(0, word.find('\0')))));
  }
  const MemoryFile config("c.toml", input);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try_verb(*verb, std::move(words));
}

}  // namespace
}  // namespace giga::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  giga::fuzz::run(giga::fuzz::text_of(data, size));
  return 0;
}
