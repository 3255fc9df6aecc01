// giga._giga: the verbs of the command as functions. Each takes words and settings as the command does, and
// data in memory besides, and gives back what came of it; python/giga makes of them what people call.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "build/options.hpp"
#include "build/print.hpp"
#include "call.hpp"
#include "check/options.hpp"
#include "commands.hpp"
#include "fit/options.hpp"
#include "fit/print.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/data/input_files.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/job/report.hpp"
#include "giga/job/summary.hpp"
#include "giga/report/certificate_text.hpp"
#include "keywords.hpp"
#include "memory.hpp"
#include "merge/options.hpp"
#include "merge/print.hpp"
#include "own_model.hpp"
#include "predict/options.hpp"
#include "results.hpp"
#include "running.hpp"
#include "sample/options.hpp"
#include "sample/print.hpp"
#include "support/coefficient_table.hpp"
#include "support/exit_codes.hpp"
#include "support/signals.hpp"

namespace giga::python {
namespace {

namespace py = pybind11;
using tool::Arguments;

using Words = std::vector<std::string>;

std::shared_ptr<const MemoryTable> table_of(const py::object& memory) {
  return memory.is_none() ? nullptr : memory.cast<const Memory&>().table();
}

std::optional<std::string> data_of(const Words& words) {
  if (words.empty()) return std::nullopt;
  return joined_input(words).native();
}

std::string python_string(const std::string& value) {
  return py::repr(text(value)).cast<std::string>();
}

// "giga.fit(<frame>, family='bernoulli')": what cannot be said as a command line.
std::string call_text(const std::string& verb, const std::string& data,
                      const std::vector<tool::Setting>& settings) {
  std::string line = "giga." + verb + "(" + data;
  for (const tool::Setting& setting : settings) {
    if (setting.name == "out" || setting.name == "force" || setting.name == "threads") continue;
    line += ", " + keyword(setting.name) + "=";
    line += setting.name.starts_with("no-") ? "False" : python_string(setting.value);
  }
  return line + ")";
}

Result result_of_fit(FitRun&& made, const std::filesystem::path& folder) {
  Result result;
  *result.run = std::move(made);
  result.has_coreset = result.has_draws = true;
  result.json = [run = result.run] { return run_json(run->record); };
  result.words = [run = result.run, folder] { return tool::fit_text(*run, folder); };
  result.files = [run = result.run] { return fit_files(*run, option_text); };
  forget_memory(result);
  return result;
}

std::string sample_text(const RunRecord& record, const PosteriorSummary& summary) {
  return tool::coefficient_table(summary.original(), record, "the summary has them") + "\n" +
         tool::sample_facts(record);
}

Result read_folder(const std::string& folder, const py::object& progress) {
  return translated([&] {
    Work work;
    FolderRun read = done(work, {}, progress, [&](const Executor& executor, const JobObserver&) {
      return read_run_folder(folder, executor);
    });
    Result result;
    FitRun& run = *result.run;
    const std::string command = read.record.command;
    run.record = std::move(read.record);
    run.summary = std::move(read.summary);
    run.total_s = run.record.total_s;
    if (run.record.seconds) run.seconds = *run.record.seconds;
    result.has_draws = true;
    if (const auto file = find_coreset(std::filesystem::path(folder) / kCoresetFiles[0])) {
      run.coreset = *file;
      result.has_coreset = true;
    }
    const bool is_fit = command == "fit" && run.record.certificate && run.record.coreset;
    result.words = [run = result.run, is_fit, folder] {
      return is_fit ? tool::fit_text(*run, folder) : sample_text(run->record, run->summary);
    };
    return result;
  });
}

Result fit(const Words& words, const Settings& settings, const py::object& memory, const py::object& progress,
           const py::object& ranks) {
  return translated([&] {
    CallArguments arguments("fit", tool::add_fit_options, settings);
    const auto data = data_of(words);
    const auto resume = arguments->text("resume");
    if (resume) {
      tool::check_resumed(*arguments, data);
      if (is_complete_fit(*resume)) {
        StoppedFit(*resume).remove();
        throw OptionError("`resume`: the run in " + printable_path(*resume) +
                          " is complete; read it with giga.read");
      }
    }
    tool::FitRequest request = asked(arguments, [&] { return tool::fit_request(*arguments, data); });
    FitJob& job = request.job;
    if (!resume && !arguments->given("out")) job.out.clear();
    job.how_to_resume = "giga.fit(resume=" + python_string(job.out.native()) + ")";
    job.read.memory = table_of(memory);
    if (job.read.memory) job.command_line = call_text("fit", job.input.native(), job.settings);
    Work work;
    Result result = result_of_fit(done(
                                      work, request.resources, progress,
                                      [&](const Executor& executor, const JobObserver& observer) {
                                        return run_fit(job, executor, observer);
                                      },
                                      ranks),
                                  job.out);
    result.notes = work.notes();
    return result;
  });
}

// Of functions of the caller's. What they raise is raised here; Ctrl-C is an exception already.
Result coreset(OwnModel& model, const Settings& settings, const py::object& progress) {
  return translated([&] {
    CallArguments arguments("coreset", add_own_model_options, settings);
    const FitOptions options = own_fit_options(*arguments);
    const bool timings = !arguments->flag("no-times");
    Work work;
    try {
      Result result = result_of_fit(done(work, resources_of(*arguments), progress,
                                         [&](const Executor& executor, const JobObserver& observer) {
                                           return model.fit(options, timings, work, executor, observer);
                                         }),
                                    {});
      result.notes = work.notes();
      return result;
    } catch (const std::exception&) {
      if (work.stop_requested()) model.raise_failure();
      throw;
    }
  });
}

Result build(const Words& words, const Settings& settings, const py::object& memory,
             const py::object& progress, const py::object& ranks) {
  return translated([&] {
    CallArguments arguments("build", tool::add_build_options, settings);
    tool::BuildRequest request =
        asked(arguments, [&] { return tool::build_request(*arguments, data_of(words)); });
    request.job.read.memory = table_of(memory);
    Work work;
    BuildRun made = done(
        work, request.resources, progress,
        [&](const Executor& executor, const JobObserver& observer) {
          return run_build(request.job, executor, observer);
        },
        ranks);
    Result result;
    result.words = [words = tool::build_text(made)] { return words; };
    result.run->record = std::move(made.record);
    result.json = [run = result.run] { return run_json(run->record); };
    result.run->coreset = std::move(made.file);
    result.has_coreset = true;
    result.notes = work.notes();
    result.files = [run = result.run] {
      RunFiles files{{kCoresetFiles[0], coreset_csv(run->coreset)}};
      if (run->coreset.has_table()) files.emplace_back(kCoresetFiles[1], coreset_json(run->coreset));
      return files;
    };
    forget_memory(result);
    return result;
  });
}

Result sample(const Words& words, const Settings& settings, const py::object& memory,
              const py::object& progress, const py::object& ranks) {
  return translated([&] {
    CallArguments arguments("sample", tool::add_sample_options, settings);
    tool::SampleRequest request =
        asked(arguments, [&] { return tool::sample_request(*arguments, data_of(words)); });
    request.job.read.memory = table_of(memory);
    Work work;
    SampleRun made = done(
        work, request.resources, progress,
        [&](const Executor& executor, const JobObserver& observer) {
          return run_sample(request.job, executor, observer);
        },
        ranks);
    Result result;
    result.run->record = std::move(made.record);
    result.run->summary = std::move(made.summary);
    result.words = [run = result.run] { return sample_text(run->record, run->summary); };
    result.json = [run = result.run] { return run_json(run->record); };
    result.has_draws = true;
    result.notes = work.notes();
    result.files = [run = result.run] {
      RunFiles files = draws_files(run->summary, *run->record.options.sample, run->record.ratios());
      files.emplace_back(kRecordFile, run_json(run->record));
      return files;
    };
    forget_memory(result);
    return result;
  });
}

// Of a merged coreset whose rows are elsewhere, what is known of its error.
std::optional<py::dict> error_alone(Arguments& arguments, const Words& words) {
  if (words.size() != 1 || arguments.given("sql") || !has_coreset_columns(words[0])) return std::nullopt;
  const auto file = find_coreset(words[0]);
  if (!file || !file->is_merged() || file->read.sql) return std::nullopt;
  const MergedError error = merged_error(*file->sums);
  py::dict out;
  out["num_rows"] = file->num_rows;
  out["size"] = file->coreset.size();
  out["error_bound"] = error.bound;
  out["usual_error"] = error.usual;
  out["text"] = text(tool::merged_error_text(error));
  return out;
}

py::object check(const Words& words, const Settings& settings, const py::object& memory,
                 const py::object& progress, const py::object& ranks) {
  return translated([&]() -> py::object {
    CallArguments arguments("check", tool::add_check_options, settings);
    if (const auto alone = error_alone(*arguments, words)) return *alone;
    tool::CheckRequest request = asked(arguments, [&] { return tool::check_request(*arguments, words); });
    request.job.read.memory = table_of(memory);
    Work work;
    RunRecord record = done(
        work, request.resources, progress,
        [&](const Executor& executor, const JobObserver& observer) {
          return run_check(request.job, executor, observer);
        },
        ranks);
    Result result;
    result.run->record = std::move(record);
    result.json = [run = result.run] { return run_json(run->record); };
    result.words = [run = result.run] {
      return certificate_text(*run->record.certificate, run->record.certificate_names);
    };
    result.notes = work.notes();
    forget_memory(result);
    return py::cast(std::move(result));
  });
}

Result merge(const Words& words, const Settings& settings, const py::object& progress) {
  return translated([&] {
    CallArguments arguments("merge", tool::add_merge_options, settings);
    const tool::MergeRequest request =
        asked(arguments, [&] { return tool::merge_request(*arguments, words); });
    Work work;
    MergeRun made = done(work, {.threads = request.threads}, progress,
                         [&](const Executor& executor, const JobObserver& observer) {
                           return run_merge(request.job, executor, observer);
                         });
    Result result;
    result.words = [words = tool::merge_text(made)] { return words; };
    result.json = [json = merge_json(made)] { return json; };
    result.run->coreset = std::move(made.file);
    result.has_coreset = true;
    result.notes = work.notes();
    result.files = [run = result.run] {
      return RunFiles{{kCoresetFiles[0], coreset_csv(run->coreset)},
                      {kCoresetFiles[1], coreset_json(run->coreset)}};
    };
    return result;
  });
}

py::dict predict(const Words& words, const Settings& settings, const py::object& memory,
                 const py::object& progress) {
  return translated([&] {
    CallArguments arguments("predict", tool::add_predict_options, settings);
    tool::PredictRequest request = asked(arguments, [&] { return tool::predict_request(*arguments, words); });
    request.job.memory = table_of(memory);
    Work work;
    const PredictRun made =
        done(work, request.resources, progress, [&](const Executor& executor, const JobObserver& observer) {
          return run_predict(request.job, executor, observer);
        });
    return predictions(made, predict_json(request.job, made), work.notes());
  });
}

py::dict summary(const Words& words, const py::object& progress) {
  return translated([&] {
    if (words.empty()) throw OptionError("no input; give a folder of giga.sample, or files of draws");
    Work work;
    const SummaryRun made =
        done(work, {}, progress, [&](const Executor& executor, const JobObserver& observer) {
          return run_summary({words.begin(), words.end()}, executor, observer);
        });
    py::dict out;
    out["table"] = text(summary_csv(made.quantities, made.ratios));
    out["text"] = text(summary_text(made.quantities));
    out["json"] = text(summary_json(made));
    out["notes"] = texts(work.notes());
    return out;
  });
}

py::str report(const std::string& folder, const Settings& settings, const py::object& progress) {
  return translated([&] {
    CallArguments arguments([](CLI::App& root) { return std::vector{tool::declare_report(root)}; }, "report",
                            settings);
    ReportJob job{.folder = folder,
                  .title = arguments->text("title"),
                  .force = arguments->flag("force"),
                  .spelling = option_text};
    if (const auto out = arguments->text("out")) job.out = *out;
    Work work;
    return text(done(work, {}, progress, [&](const Executor& executor, const JobObserver&) {
                  return run_report(job, executor);
                }).native());
  });
}

std::vector<tool::Verb> declare_simulate(CLI::App& root) {
  std::vector<tool::Verb> verbs = tool::declare_simulate_data(root);
  verbs.push_back(tool::declare_simulate_one_hot(root));
  verbs.push_back(tool::declare_simulate_vectors(root));
  return verbs;
}

// Its verbs look for a signal themselves: what ends them is the same as in the command.
void simulate(const std::string& verb, Settings settings, const py::object& progress) {
  translated([&] {
    settings.emplace_back("quiet", "true");
    CallArguments arguments(declare_simulate, verb, settings);
    Work work;
    tool::forget_signal();
    run_and_wait(work, progress, arguments.run(), [] { tool::take_signal_of_another(SIGINT); });
    return py::none();
  });
}

py::dict option_dict(const tool::CommandOption& option) {
  py::dict out;
  const std::string name = option.name.substr(2);
  out["option"] = name;
  out["name"] = keyword(name);
  out["flag"] = option.value_name.empty();
  out["value"] = option.value_name;
  out["choices"] = option.values.names;
  out["help"] = keyword_text(option.help);
  out["group"] = option.group;
  return out;
}

py::dict verb_dict(const tool::CommandNode& node) {
  py::dict out;
  out["name"] = node.name;
  out["description"] = node.description;
  py::list options, verbs;
  for (const tool::CommandOption& option : node.options)
    if (!option.name.starts_with("--help")) options.append(option_dict(option));
  for (const tool::CommandNode& verb : node.commands) verbs.append(verb_dict(verb));
  out["options"] = options;
  out["verbs"] = verbs;
  return out;
}

void add_memory(py::module_& module) {
  py::class_<Memory>(module, "Memory")
      .def(py::init<std::string, Index>(), py::arg("name"), py::arg("num_rows"))
      .def_static("from_arrow",
                  [](const py::capsule& stream, const std::string& name) {
                    return translated([&] { return Memory::from_arrow(stream, name); });
                  })
      .def("add_numbers", &Memory::add_numbers)
      .def("add_matrix", &Memory::add_matrix)
      .def("add_codes", &Memory::add_codes)
      .def("add_days", &Memory::add_days)
      .def("add_moments", &Memory::add_moments)
      .def_property_readonly("name", [](const Memory& m) { return text(m.name()); })
      .def_property_readonly("num_rows", &Memory::num_rows)
      .def_property_readonly("names", [](const Memory& m) { return texts(m.names()); });
}

}  // namespace
}  // namespace giga::python

PYBIND11_MODULE(_giga, module) {
  namespace here = giga::python;
  using Arg = pybind11::arg;
  module.attr("version") = giga::version();
  giga::outlive_lost_pages();
  (void)here::verb_tree();  // options are known before any thread asks for them
  here::add_result(module);
  here::add_memory(module);
  here::add_own_model(module);
  module.def("verbs", [] { return pybind11::list(here::verb_dict(here::verb_tree())["verbs"]); });
  module.def("keyword_text", [](const std::string& text) { return here::text(here::keyword_text(text)); });
  module.def("fit", &here::fit, Arg("words"), Arg("settings"), Arg("memory"), Arg("progress"),
             Arg("ranks") = pybind11::none());
  module.def("coreset", &here::coreset);
  module.def("build", &here::build, Arg("words"), Arg("settings"), Arg("memory"), Arg("progress"),
             Arg("ranks") = pybind11::none());
  module.def("sample", &here::sample, Arg("words"), Arg("settings"), Arg("memory"), Arg("progress"),
             Arg("ranks") = pybind11::none());
  module.def("check", &here::check, Arg("words"), Arg("settings"), Arg("memory"), Arg("progress"),
             Arg("ranks") = pybind11::none());
  module.def("merge", &here::merge);
  module.def("predict", &here::predict);
  module.def("summary", &here::summary);
  module.def("report", &here::report);
  module.def("simulate", &here::simulate);
  module.def("read_folder", &here::read_folder);
}
