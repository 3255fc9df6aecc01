// Arguments of a call, and its thread.
#include "call.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "keywords.hpp"
#include "support/process.hpp"

// Options are spelled as keywords, nobody leads and nothing is printed.
const giga::tool::Process& giga::tool::this_process() noexcept {
  static const Process kAlone;
  return kAlone;
}

namespace giga::python {
namespace {

std::unique_ptr<CLI::App> new_root() {
  auto root = std::make_unique<CLI::App>("");
  root->name("giga");
  return root;
}

}  // namespace

CallArguments::CallArguments(const std::string& verb, void (*add_options)(tool::Arguments&),
                             const Settings& settings)
    : root_(new_root()), arguments_(tool::Arguments::of_verb(*root_, verb, "", "")) {
  add_options(*arguments_);
  take(verb, settings);
}

CallArguments::CallArguments(const std::function<std::vector<tool::Verb>(CLI::App&)>& declare,
                             const std::string& verb, const Settings& settings)
    : root_(new_root()) {
  for (tool::Verb& each : declare(*root_)) {
    if (each.app->get_name() != verb) continue;
    arguments_.emplace(*each.app);
    run_ = std::move(each.run);
  }
  if (!arguments_) throw std::invalid_argument("there is no verb " + verb);
  take(verb, settings);
}

CallArguments::~CallArguments() = default;

void CallArguments::take(const std::string& verb, const Settings& settings) {
  std::vector<tool::Setting> all;
  for (const auto& [name, value] : settings) {
    if (name != "config") all.push_back({name, value});
  }
  arguments_->take(all, "giga." + verb);
  // A file of settings is named by an option, which settings in a file cannot be.
  for (const auto& [name, value] : settings)
    if (name == "config") arguments_->app()->get_option("--config")->add_result(value);
  if (arguments_->app()->get_option_no_throw("--config") != nullptr) arguments_->read_config();
}

JobObserver Work::observer() {
  return {[this](const StageProgress& at) {
            see(at);
            return stop_ ? Answer::Stop : Answer::Continue;
          },
          [this](const std::string& text) { notes_.push_back(keyword_text(text)); },
          // Files are those of the command, word for word.
          [](const std::string& text) { return option_text(text); },
          {}};
}

// Chains tell of themselves alone: what is shown is the sum of all.
void Work::see(const StageProgress& at) {
  const int stage = static_cast<int>(at.stage);
  if (at.stage == Stage::Sample) {
    const auto chain = static_cast<std::size_t>(at.chain);
    if (chain >= sampled_.size()) return;
    sampled_[chain].store(at.done, std::memory_order_relaxed);
    Index chains = chains_.load(std::memory_order_relaxed);
    while (chains <= at.chain && !chains_.compare_exchange_weak(chains, at.chain + 1)) {
    }
  } else {
    done_.store(at.done, std::memory_order_relaxed);
  }
  total_.store(at.total, std::memory_order_relaxed);
  stage_.store(stage, std::memory_order_relaxed);
}

Progress Work::progress() const {
  const int stage = stage_;
  if (stage < 0) return {};
  Progress out{std::string(name(static_cast<Stage>(stage))), done_, total_};
  if (static_cast<Stage>(stage) != Stage::Sample) return out;
  out.done = 0;
  const auto chains = static_cast<std::size_t>(chains_.load());
  for (std::size_t c = 0; c < chains; ++c) out.done += sampled_[c].load();
  out.total *= static_cast<Index>(chains);
  return out;
}

Work::~Work() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void Work::begin(std::function<void()> run) {
  thread_ = std::thread([this, run = std::move(run)] {
    try {
      run();
    } catch (...) {
      error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    ended_.notify_all();
  });
}

bool Work::wait(int milliseconds) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, std::chrono::milliseconds(milliseconds), [this] { return has_ended_; });
}

void Work::finish() {
  thread_.join();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace giga::python
