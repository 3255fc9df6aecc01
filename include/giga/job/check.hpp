// The certificate of a coreset against all rows of the table that it was built from.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "giga/base/executor.hpp"
#include "giga/base/row_count.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/sample.hpp"
#include "giga/job/job.hpp"
#include "giga/record/coreset_file.hpp"
#include "giga/record/run_record.hpp"

namespace giga {

struct CheckJob {
  std::filesystem::path data = {};                  ///< "-" is CSV on standard input.
  std::filesystem::path coreset = {};               ///< coreset.csv
  CoresetFile file = {};                            ///< What its companion says.
  ReadOptions read = {};                            ///< Of the data.
  std::optional<std::filesystem::path> draws = {};  ///< A folder of draws; without it the coreset is sampled.
  SampleOptions sample = {};  ///< Its seed is that of the draws of the Laplace approximation too.
  Index chains = 4;
  RowCount check_rows = {};                       ///< As in CertificateOptions.
  bool strict = false;                            ///< For the record.
  std::optional<std::filesystem::path> out = {};  ///< The record; without it none is written.
  bool force = false;                             ///< Replace a record that exists.
};

/// Its certificate, and the names of its quantities and parameters, are in the record. Throws what run_build
/// throws; DataError where data, coreset and draws do not belong together.
[[nodiscard]] RunRecord run_check(const CheckJob& job, const Executor& executor,
                                  const JobObserver& observer = {});

}  // namespace giga
