// Shards as files, their coresets, and all their rows as one table.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/job/build.hpp"
#include "giga/job/merge.hpp"
#include "giga/pipeline/read_table.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {

/// Rows of a shard: x about `centre` with sd `spread`, one of the carriers, and responses of three kinds.
struct ShardRows {
  int rows = 400;
  double centre = 0, spread = 1;
  std::vector<std::string> carriers = {"AA", "DL", "UA"};
  double slope = 0.8;
};

class MergeJobs : public ::testing::Test {
 protected:
  void write_shard(const std::string& name, const ShardRows& shard) const {
    std::string text = "id,x,z,carrier,label,count,length\n";
    Stream random = stream(5, name);
    for (int n = 0; n < shard.rows; ++n) {
      const double x = shard.centre + shard.spread * random.normal(), z = random.normal();
      const std::string& carrier = shard.carriers[random.below(shard.carriers.size())];
      const double s =
          shard.slope * (x - 1) - 0.5 * z + (carrier == "DL" ? 0.7 : 0) - (carrier == "UA" ? 0.4 : 0);
      const double u = random.uniform();
      text += name + std::to_string(n) + "," + shortest(x) + "," + shortest(z) + "," + carrier +
              (u < 1 / (1 + std::exp(-s)) ? ",yes," : ",no,") +
              std::to_string(static_cast<int>(std::exp(0.3 * s) + 2 * u)) + "," +
              shortest(3 + s + 0.7 * random.normal()) + "\n";
    }
    write_file(folder_ / (name + ".csv"), text);
  }

  /// Builds NAME-coreset.csv of NAME.csv.
  BuildRun build(const std::string& name, ModelOptions model, const std::string& response = "length",
                 Index size = 30) const {
    BuildJob job;
    job.input = folder_ / (name + ".csv");
    if (!model.formula)
      job.read = {.response = response, .features = std::vector<std::string>{"x", "z", "carrier"}};
    job.model = std::move(model);
    job.coreset = fit_coreset_options();
    if (size > 0) {
      job.coreset.size = size;
      job.coreset.tolerance = 0;
    }
    job.out = coreset(name);
    job.force = true;
    return run_build(job, executor_);
  }

  [[nodiscard]] std::filesystem::path coreset(const std::string& name) const {
    return folder_ / (name + "-coreset.csv");
  }

  [[nodiscard]] MergeJob merge_job(const std::vector<std::string>& names, const std::string& out) const {
    MergeJob job;
    for (const std::string& name : names) job.inputs.push_back(coreset(name));
    job.out = coreset(out);
    job.force = true;
    return job;
  }
  MergeRun merge(const std::vector<std::string>& names, const std::string& out, bool reduce = true,
                 Index size = 0) const {
    MergeJob job = merge_job(names, out);
    job.merge.reduce = reduce;
    if (size > 0) {
      job.merge.coreset.size = size;
      job.merge.coreset.tolerance = 0;
    }
    return run_merge(job, executor_);
  }

  /// The rows of all shards in one file.
  void write_all(const std::vector<std::string>& names, const std::string& out) const {
    std::string text;
    for (const std::string& name : names) {
      const std::string rows = read_file(folder_ / (name + ".csv"));
      text += text.empty() ? rows : rows.substr(rows.find('\n') + 1);
    }
    write_file(folder_ / (out + ".csv"), text);
  }

  /// All rows in the design of a coreset.
  struct AllRows {
    Dataset data;
    Problem problem;
    AllRows(Dataset rows, const CoresetFile& file, const Executor& executor)
        : data(std::move(rows)), problem(data, file.model, file.scale, executor) {}
  };
  [[nodiscard]] std::unique_ptr<AllRows> all_rows(const std::string& name, const CoresetFile& file) const {
    ReadOptions read = file.read;
    read.known = find_coreset(file.path.empty() ? coreset("merged") : file.path)->read.known;
    return std::make_unique<AllRows>(read_table(folder_ / (name + ".csv"), read, file.model, executor_).data,
                                     file, executor_);
  }

  TempDir folder_;
  Threads executor_{2};
};

}  // namespace giga::test
