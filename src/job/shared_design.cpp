#include "job/shared_design.hpp"

#include <algorithm>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/record/coreset_file.hpp"

namespace giga::job {

namespace fs = std::filesystem;

fs::path coreset_in(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? path / "coreset.csv" : path;
}

void take_design(const fs::path& coreset, ReadOptions& read, ModelOptions& model) {
  const fs::path path = coreset_in(coreset);
  require_input(path);
  const auto file = find_coreset(path);
  if (!file)
    throw DataError(printable_path(path) + ": there is no " + companion_path(path).filename().native() +
                    " beside it to take the design from; give a coreset that giga build made of a table");
  if (model.formula && model.formula != file->model.formula)
    throw OptionError("`design_from`: the formula of " + printable_path(path) + " is " +
                      printable(file->model.formula.value_or("none"), 200) + ", and not " +
                      printable(*model.formula, 200) + "; leave one of them out");
  model.formula = file->model.formula;
  model.design = file->model.design;
  read.known = file->read.known;
  if (model.formula) return;
  if (read.features && *read.features != file->features)
    throw OptionError("`design_from`: the features of " + printable_path(path) +
                      " are others, or in another order; leave out `features`");
  read.features = file->features;
  if (!read.response) read.response = file->response;
}

}  // namespace giga::job
