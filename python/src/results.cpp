// Vectors of the library as arrays, and texts as str.
#include "results.hpp"

#include <algorithm>
#include <utility>

#include "giga/infer/chain.hpp"
#include "giga/report/certificate_text.hpp"
#include "keywords.hpp"

namespace giga::python {
namespace {

namespace py = pybind11;

template <typename T>
py::array_t<T> copied(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array_t<std::int64_t> rows_array(const std::vector<Index>& rows) {
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(rows.size()));
  std::copy(rows.begin(), rows.end(), out.mutable_data());
  return out;
}

// Chains x draws x parameters; chains are cut to the shortest, as everywhere.
py::array_t<double> draws_array(const std::vector<Chain>& chains) {
  if (chains.empty()) return py::array_t<double>(std::vector<py::ssize_t>{0, 0, 0});
  Index length = chains.front().num_draws();
  for (const Chain& chain : chains) length = std::min(length, chain.num_draws());
  const Index dim = chains.front().dim;
  py::array_t<double> out(std::vector<py::ssize_t>{std::ssize(chains), length, dim});
  double* to = out.mutable_data();
  for (const Chain& chain : chains) to = std::copy_n(chain.draws.data(), length * dim, to);
  return out;
}

template <typename T, typename Get>
py::array_t<T> stat_array(const std::vector<Chain>& chains, const Get& get) {
  const Index length = chains.empty() ? 0 : chains.front().num_draws();
  py::array_t<T> out(std::vector<py::ssize_t>{std::ssize(chains), length});
  T* to = out.mutable_data();
  for (const Chain& chain : chains)
    for (Index s = 0; s < length; ++s) *to++ = static_cast<T>(get(chain.stats[at(s)]));
  return out;
}

py::dict stats(const std::vector<Chain>& chains) {
  py::dict out;
  out["lp"] = stat_array<double>(chains, [](const DrawStats& s) { return s.log_density; });
  out["acceptance_rate"] = stat_array<double>(chains, [](const DrawStats& s) { return s.accept_stat; });
  out["step_size"] = stat_array<double>(chains, [](const DrawStats& s) { return s.step_size; });
  out["tree_depth"] = stat_array<std::int64_t>(chains, [](const DrawStats& s) { return s.tree_depth; });
  out["n_steps"] = stat_array<std::int64_t>(chains, [](const DrawStats& s) { return s.num_leapfrog; });
  out["diverging"] = stat_array<bool>(chains, [](const DrawStats& s) { return s.divergent; });
  out["energy"] = stat_array<double>(chains, [](const DrawStats& s) { return s.energy; });
  return out;
}

py::object weights_of(const Result& result) {
  const auto& certificate = result.run->record.certificate;
  if (!certificate || certificate->coreset.weights.empty()) return py::none();
  py::array_t<double> flat = copied(certificate->coreset.weights);
  const auto chains = std::ssize(result.run->summary.chains);
  if (chains == 0 || flat.size() % chains != 0) return flat;
  return flat.reshape(std::vector<py::ssize_t>{chains, flat.size() / chains});
}

py::object coreset_of(const Result& result) {
  if (!result.has_coreset) return py::none();
  const CoresetFile& file = result.run->coreset;
  py::dict out;
  out["rows"] = rows_array(file.coreset.rows);
  out["weights"] = copied(file.coreset.weights);
  out["columns"] = texts(file.columns);
  py::list cells;
  for (const auto& row : file.cells) cells.append(texts(row));
  out["cells"] = cells;
  out["num_rows"] = file.num_rows;
  return out;
}

std::string table_of(const Result& result, bool corrected) {
  const FitRun& run = *result.run;
  if (!result.has_draws) return {};
  if (!corrected || !run.record.certificate || !run.safe())
    return summary_csv(run.summary.quantities, run.record.ratios());
  return posterior_csv(run);
}

}  // namespace

py::str text(const std::string& utf8) {
  PyObject* made =
      PyUnicode_DecodeUTF8(utf8.data(), static_cast<py::ssize_t>(utf8.size()), "surrogateescape");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

py::list texts(const std::vector<std::string>& all) {
  py::list out;
  for (const std::string& each : all) out.append(text(each));
  return out;
}

void forget_memory(Result& result) {
  if (result.run->record.options.read) result.run->record.options.read->memory.reset();
  result.run->coreset.read.memory.reset();
}

void add_result(py::module_& module) {
  py::class_<Result>(module, "Result")
      .def_property_readonly("json", [](const Result& r) { return text(r.json ? r.json() : ""); })
      .def_property_readonly("text",
                             [](const Result& r) { return text(keyword_text(r.words ? r.words() : "")); })
      .def_property_readonly("notes", [](const Result& r) { return texts(r.notes); })
      .def_property_readonly("warnings",
                             [](const Result& r) {
                               std::vector<std::string> spelled;
                               for (const std::string& each : r.run->summary.warnings)
                                 spelled.push_back(keyword_text(each));
                               return texts(spelled);
                             })
      .def_property_readonly("has_draws", [](const Result& r) { return r.has_draws; })
      .def_property_readonly("names", [](const Result& r) { return texts(r.run->summary.names); })
      .def_property_readonly("num_original", [](const Result& r) { return r.run->summary.num_original; })
      .def_property_readonly("coreset", coreset_of)
      .def_property_readonly("certified",
                             [](const Result& r) -> py::object {
                               if (!r.run->record.certificate) return py::none();
                               return py::bool_(r.run->safe());
                             })
      .def_property_readonly("sentence",
                             [](const Result& r) {
                               if (!r.run->record.certificate) return text("");
                               return text(keyword_text(certificate_sentence(*r.run->record.certificate)));
                             })
      .def("draws", [](const Result& r) { return draws_array(r.run->summary.chains); })
      .def("stats", [](const Result& r) { return stats(r.run->summary.chains); })
      .def("weights", weights_of)
      .def("table", [](const Result& r, bool corrected) { return text(table_of(r, corrected)); })
      .def("files", [](const Result& r) {
        py::dict out;
        if (!r.files) return out;
        for (const auto& [name, content] : r.files()) out[text(name)] = py::bytes(content);
        return out;
      });
}

py::dict predictions(const PredictRun& run, const std::string& json, const std::vector<std::string>& notes) {
  const Predictions& all = run.predictions;
  const auto matrix = [&all](const std::vector<double>& values) -> py::object {
    if (values.empty()) return py::none();
    return copied(values).reshape(std::vector<py::ssize_t>{all.num_rows, all.width});
  };
  py::dict out;
  out["rows"] = rows_array(run.rows);
  out["quantiles"] = copied(run.quantiles);
  out["expected"] = matrix(all.expected);
  out["new"] = matrix(all.observations);
  out["log_density"] = all.log_density.empty() ? py::object(py::none()) : copied(all.log_density);
  out["words"] = text(run.expected);
  out["json"] = text(json);
  out["notes"] = texts(notes);
  return out;
}

}  // namespace giga::python
