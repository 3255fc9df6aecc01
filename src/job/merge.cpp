// From files to a file: read the coresets of all shards, merge them, say of every point whose row it was.
#include "giga/job/merge.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/data/output_file.hpp"
#include "giga/record/same_data.hpp"
#include "job/shared_design.hpp"
#include "job/words.hpp"
#include "record/forms.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

// A coreset as it was read.
struct Input {
  fs::path path;
  CoresetFile file;
  WeightedProblem loaded;
};

// Made and destroyed before the work, as a build does.
void require_creatable(const MergeJob& job, const std::vector<Input>& inputs) {
  if (!job.out) return;
  std::error_code ignored;
  for (const Input& input : inputs) {
    for (const fs::path& path : {input.path, input.file.path}) {
      for (const fs::path& out : {*job.out, companion_path(*job.out)}) {
        if (fs::equivalent(out, path, ignored))
          throw OptionError("`out` would replace the input " + printable_path(path) + "; give another name");
      }
    }
  }
  if (OutputFile::is_direct(*job.out)) return;
  const OutputFile probe(*job.out, job.force);
  const OutputFile another(companion_path(*job.out), job.force);
}

// What the companion says, before any row is read.
CoresetFile companion_of(const fs::path& path, const fs::path& given) {
  require_input(path);
  const std::string name = printable_path(path);
  if (!has_coreset_columns(path))
    throw DataError(name +
                    ": is not a coreset, whose columns begin with row and weight; give the file that "
                    "giga build or giga merge wrote");
  auto file = find_coreset(path);
  if (!file)
    throw DataError(name + ": there is no " + companion_path(path).filename().native() +
                    " beside it, which says what was left out; a coreset of vectors has none and cannot be "
                    "merged, since the rows of a table make a model and vectors do not");
  if (!file->sums)
    throw DataError(name + ": " +
                    (file->num_parameters > kMostSummedParameters
                         ? "has " + grouped(file->num_parameters) + " parameters, and beyond " +
                               std::to_string(kMostSummedParameters) +
                               " a coreset does not keep what merging needs; build all rows together"
                         : "does not have the sums over all rows that merging needs, as those of versions "
                           "before 0.2 do not; build it again from its data"));
  // A shard is called after its coreset, whose own file must not depend on how the data are called.
  for (ShardPart& shard : file->sums->shards)
    if (shard.name.empty()) shard.name = job::input_name(given);
  if (file->coreset.size() == 0)
    throw DataError(name + ": has no points: the vectors of its rows sum to zero; leave it out");
  return *std::move(file);
}

// Names and levels become those of the input, which coreset.csv may have had to spell differently.
Input read_input(const fs::path& path, CoresetFile file, const Executor& executor, const Observer& watch) {
  tell(watch, {.stage = Stage::Load});
  Input input{path, std::move(file), {}};
  input.loaded = read_coreset(path, input.file, executor);
  for (Index d = 0; d < input.loaded.data->num_features(); ++d) {
    const std::string& name = input.file.features[at(d)];
    const auto kind = std::ranges::find(input.file.kinds, name, &KnownColumn::name);
    input.loaded.data->rename_feature(
        d, name, kind == input.file.kinds.end() ? std::vector<std::string>{} : kind->levels);
  }
  return input;
}

// How coresets were read is part of what a check needs, so it must be one way.
void require_same_reading(const std::vector<Input>& inputs) {
  const CoresetFile& first = inputs.front().file;
  for (const Input& input : inputs) {
    if (input.file.read.weights == first.read.weights) continue;
    throw DataError(printable_path(input.path) + " and " + printable_path(inputs.front().path) +
                    ": cannot be merged: the weights are column '" +
                    printable(input.file.read.weights.value_or("")) + "' in the one and '" +
                    printable(first.read.weights.value_or("")) + "' in the other; build both with the same");
  }
}

// What people call the shards: the names of their inputs, with the digest where two have the same.
std::vector<std::string> labels_of(const std::vector<ShardPart>& shards) {
  std::vector<std::string> labels;
  for (const ShardPart& shard : shards) {
    const auto same = std::ranges::count(shards, shard.name, &ShardPart::name);
    labels.push_back(same == 1 ? shard.name : shard.name + " " + shard.digest);
  }
  return labels;
}

// A column of the merged file: which column of each input it is, -1 where an input lacks it.
struct MergedColumns {
  std::vector<std::string> names;
  std::vector<std::vector<Index>> places;
};

// The columns of all inputs, in the order of their digests, after one for the shard.
MergedColumns columns_of(const std::vector<const Input*>& inputs) {
  MergedColumns out;
  const auto first_own = [](const Input& input) { return input.file.is_merged() ? 1 : 0; };
  for (const Input* input : inputs) {
    for (std::size_t j = at(first_own(*input)); j < input->file.columns.size(); ++j) {
      const std::string& name = input->file.columns[j];
      if (std::ranges::find(out.names, name) == out.names.end()) out.names.push_back(name);
    }
  }
  for (const Input* input : inputs) {
    const std::vector<std::string>& columns = input->file.columns;
    out.places.emplace_back();
    for (const std::string& name : out.names) {
      const auto found = std::find(columns.begin() + first_own(*input), columns.end(), name);
      out.places.back().push_back(found == columns.end() ? -1 : found - columns.begin());
    }
  }
  std::string shard = "shard";
  while (std::ranges::find(out.names, shard) != out.names.end()) shard += "_";
  out.names.insert(out.names.begin(), shard);
  return out;
}

// A text of coreset.csv before it was made inert there; it will be again. Features have been read back
// already.
std::string as_it_was(const std::string& text) {
  return text.starts_with('\'') && inert(text.substr(1)) == text ? text.substr(1) : text;
}

// A point of the merged coreset.
struct Point {
  Index shard = 0, row = 0;  // of the input of that shard
  double weight = 0, multiplicity = 0;
  std::vector<std::string> cells;
};

class MergedFile {
 public:
  MergedFile(const std::vector<Input>& inputs, const MergeResult& merged) : merged_(merged) {
    for (const Input& input : inputs) inputs_.push_back(&input);
    const auto& shards = merged.sums.shards;
    for (std::size_t s = 0; s < shards.size(); ++s)
      shard_at_.emplace(shards[s].digest, static_cast<Index>(s));
    labels_ = labels_of(shards);
    columns_ = columns_of(sorted());
    for (const Input* input : sorted()) places_.emplace(input, columns_.places[places_.size()]);
    for (const Input& input : inputs) {
      std::vector<Index> rows(at(input.loaded.data->num_rows()));
      std::iota(rows.begin(), rows.end(), Index{0});
      texts_.emplace(&input, input.loaded.data->cells(rows));
    }
  }

  [[nodiscard]] CoresetFile file() const {
    const Input& first = *sorted().front();
    std::string digests;
    for (const ShardPart& shard : merged_.sums.shards) digests += shard.digest + "\n";
    CoresetFile out = coreset_file(*merged_.problem, merged_.coreset, first.file.read, text_digest(digests));
    out.sums = merged_.sums;
    out.num_rows = 0;
    for (const ShardPart& shard : merged_.sums.shards) out.num_rows += shard.num_rows;
    out.columns = columns_.names;
    std::erase_if(out.kinds, [&out](const KnownColumn& column) {
      return std::ranges::find(out.columns, column.name) == out.columns.end();
    });
    out.response = first.file.response;
    out.coreset = {};
    out.multiplicity.clear();
    out.cells.clear();
    for (Point& point : points()) {
      out.coreset.rows.push_back(point.row);
      out.coreset.weights.push_back(point.weight);
      out.multiplicity.push_back(point.multiplicity);
      out.shard_of.push_back(point.shard);
      out.cells.push_back(std::move(point.cells));
    }
    return out;
  }

 private:
  // As the digests of their shards are.
  [[nodiscard]] std::vector<const Input*> sorted() const {
    std::vector<const Input*> out = inputs_;
    std::ranges::sort(out, {}, [](const Input* input) {
      std::vector<std::string> digests;
      for (const ShardPart& part : input->file.sums->shards) digests.push_back(part.digest);
      return digests;
    });
    return out;
  }

  [[nodiscard]] std::vector<Point> points() const {
    std::vector<Point> out;
    const CoresetResult& result = merged_.coreset;
    for (std::size_t k = 0; k < result.coreset.rows.size(); ++k) {
      const ShardRow& origin = merged_.origin[at(result.coreset.rows[k])];
      const Input& input = *inputs_[at(origin.shard)];
      const Index own = input.file.is_merged() ? input.file.shard_of[at(origin.row)] : 0;
      Point point;
      point.shard = shard_at_.at(input.file.sums->shards[at(own)].digest);
      point.row = input.loaded.input_rows[at(origin.row)];
      point.weight = result.coreset.weights[k];
      // In the data, where that is known; else it counts once.
      point.multiplicity = input.file.multiplicity.empty() ? 1 : input.file.multiplicity[at(origin.row)];
      point.cells = cells_of(input, origin.row, point.shard);
      out.push_back(std::move(point));
    }
    std::ranges::sort(out, {}, [](const Point& point) { return std::pair(point.shard, point.row); });
    return out;
  }

  // Cells of coreset.csv are those of row and weight, of a table of several files also of file and file_row,
  // then those of the input's columns.
  [[nodiscard]] std::vector<std::string> cells_of(const Input& input, Index row, Index shard) const {
    const Index before = input.file.files.empty() ? 2 : 4;
    const std::vector<std::string>& texts = texts_.at(&input)[at(row)];
    std::vector<std::string> out{labels_[at(shard)]};
    for (const Index place : places_.at(&input)) {
      if (place < 0) {
        out.emplace_back();
        continue;
      }
      const Column& column = input.loaded.data->columns()[at(before + place)];
      const std::string& text = texts[at(before + place)];
      out.push_back(column.role == ColumnRole::Feature ? text : as_it_was(text));
    }
    return out;
  }

  const MergeResult& merged_;
  std::vector<const Input*> inputs_;
  std::map<std::string, Index> shard_at_;  // by digest
  std::vector<std::string> labels_;
  MergedColumns columns_;
  std::map<const Input*, std::vector<Index>> places_;
  std::map<const Input*, std::vector<std::vector<std::string>>> texts_;  // of every row
};

std::vector<Input> read_inputs(const MergeJob& job, const Executor& executor, const Observer& watch) {
  if (job.inputs.size() < 2) throw OptionError("there must be at least 2 coresets to merge");
  std::vector<std::pair<fs::path, CoresetFile>> companions;
  for (const fs::path& input : job.inputs) {
    const fs::path path = job::coreset_in(input);
    companions.emplace_back(path, companion_of(path, input));
  }
  std::vector<Input> inputs;
  for (auto& [path, file] : companions) inputs.push_back(read_input(path, std::move(file), executor, watch));
  require_same_reading(inputs);
  return inputs;
}

}  // namespace

MergeRun run_merge(const MergeJob& job, const Executor& executor, const JobObserver& observer) {
  const Stopwatch total;
  job::Notes notes(observer);
  const std::vector<Input> inputs = read_inputs(job, executor, observer.watch);
  require_creatable(job, inputs);
  const double load_s = total.seconds();
  std::vector<Shard> shards;
  for (const Input& input : inputs)
    shards.push_back({printable_path(input.path), input.loaded.problem.get(), input.loaded.data.get(),
                      input.file.raw_columns, &*input.file.sums});
  MergeResult merged = merge_coresets(shards, job.merge, executor, observer.watch);
  notes.say(merged.notes);

  MergeRun run;
  run.file = MergedFile(inputs, merged).file();
  run.error = merged_error(merged.sums);
  for (std::size_t s = 0; s < inputs.size(); ++s)
    run.inputs.push_back(
        {job.inputs[s], inputs[s].file.num_rows, inputs[s].file.coreset.size(), merged.distances[s]});
  run.union_size = merged.problem->likelihood().num_rows();
  run.reduced = job.merge.reduce;
  run.threads = executor.num_threads();
  run.notes = notes.kept();
  run.seconds = merged.coreset.seconds;
  run.seconds.load = load_s;
  run.coreset = std::move(merged.coreset);
  run.out = job.out;
  run.total_s = total.seconds();
  if (job.out) write_coreset(*job.out, run.file, job.force);
  return run;
}

std::string merge_json(const MergeRun& run) {
  using record::Json;
  Json out;
  out["command"] = "merge";
  out["version"] = version();
  out["inputs"] = Json::array();
  for (const MergeInput& input : run.inputs)
    out["inputs"].push_back({{"path", input.path.native()},
                             {"N", input.num_rows},
                             {"size", input.size},
                             {"distance", input.distance}});
  out["options"] = record::construction_form(run.coreset.options);
  out["options"]["seed"] = run.coreset.options.seed;
  out["options"]["reduce"] = run.reduced;
  out["options"]["threads"] = run.threads;
  out["options"]["out"] = run.out ? Json(run.out->native()) : Json(nullptr);
  out["N"] = run.file.num_rows;
  out["D"] = run.file.num_parameters;
  out["J"] = run.file.dim;
  out["union_size"] = run.union_size;
  out["size"] = run.file.coreset.size();
  out["steps"] = run.coreset.build.trace.size();
  out["relative_error"] = run.file.relative_error;
  out["heldout_error"] = run.file.heldout_error;
  out["termination"] = run.reduced ? Json(name(run.file.termination)) : Json(nullptr);
  out["error_bound"] = run.error.bound;
  out["usual_error"] = run.error.usual;
  out["shards"] = Json::array();
  for (const ShardPart& shard : run.file.sums->shards)
    out["shards"].push_back(
        {{"name", shard.name}, {"digest", shard.digest}, {"N", shard.num_rows}, {"error", shard.share()}});
  out["reductions"] = Json::array();
  for (const ErrorPart& part : run.file.sums->reductions) out["reductions"].push_back(part.share());
  out["notes"] = run.notes;
  out["seconds"] = record::form_of(run.seconds);
  out["seconds"]["total"] = run.total_s;
  return record::dumped(out);
}

}  // namespace giga
