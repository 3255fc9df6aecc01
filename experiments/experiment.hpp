// An experiment of the paper: the jobs it consists of, and what their results say.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/figure.hpp"
#include "experiments/settings.hpp"
#include "experiments/trial_store.hpp"

namespace giga::experiments {

/// A claim and what was found.
struct Finding {
  std::string source;  ///< who claims it: "paper" or "giga"
  std::string claim;
  std::string ours;
  bool holds = false;
};

struct Report {
  std::vector<Finding> findings;  ///< of results alone: the same in every run with the same settings
  std::vector<Finding> timing;    ///< of measured times
  std::vector<Figure> figures;
  std::vector<std::string> notes;          ///< what was not run, and how to run it
  std::vector<std::string> samplers = {};  ///< that it speaks of, in this run or an earlier one
  std::vector<std::string> timing_headings = {};
  std::vector<std::vector<std::string>> timing_rows = {};
};

class Experiment {
 public:
  virtual ~Experiment() = default;

  [[nodiscard]] virtual std::string name() const = 0;   ///< of its folder
  [[nodiscard]] virtual std::string title() const = 0;  ///< as a heading
  /// All that its trials depend on besides their number.
  [[nodiscard]] virtual Json settings() const = 0;
  /// Reads what its trials need, before anything is made or removed in its folder. Throws InputMissing and
  /// DataError for data that cannot be used; CannotCreate if the trials there were made with other data.
  virtual void prepare(const std::filesystem::path& /*folder*/, Earlier /*earlier*/) {}
  /// Keeps in the folder what prepare() will look for in a later run.
  virtual void begin(const TrialStore& /*store*/) const {}
  /// What is still to be done. Jobs save their trials to the store, which must outlive them.
  [[nodiscard]] virtual std::vector<Job> jobs(const TrialStore& store) const = 0;
  /// Of all that is finished in the store.
  [[nodiscard]] virtual Report report(const TrialStore& store) const = 0;
};

/// `settings` must outlive the experiment.
[[nodiscard]] std::unique_ptr<Experiment> make_fig1(const Settings& settings);
[[nodiscard]] std::unique_ptr<Experiment> make_vectors(const Settings& settings);
[[nodiscard]] std::unique_ptr<Experiment> make_axis(const Settings& settings);
[[nodiscard]] std::unique_ptr<Experiment> make_regression(const Settings& settings);

}  // namespace giga::experiments
