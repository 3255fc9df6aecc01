#include "giga/data/read_dataset.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "data/csv_reader.hpp"
#include "data/libsvm.hpp"
#include "data/matrix_reader.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {

Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options, const ThreadPool& pool,
                     const ReadProgress& progress) {
  if (path == "-") return read_csv_stream(STDIN_FILENO, "standard input", options, pool, progress);
  std::string file = path.filename().string();
  std::transform(file.begin(), file.end(), file.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (file.ends_with(".csv")) return read_csv(path, options, pool, progress);
  if (file.ends_with(".csv.gz")) return read_gzip_csv(path, options, pool, progress);
  if (file.ends_with(".npy")) return read_npy_dataset(path, options, pool, progress);
  if (file.ends_with(".npz")) return read_npz_dataset(path, options, pool, progress);
  if (file.ends_with(".svm") || file.ends_with(".libsvm")) return read_libsvm(path, options, pool, progress);
  (void)MappedFile::open(path);  // a file that is not there is the first thing to say
  throw DataError(
      printable_path(path) +
      ": the format is told by the extension: .csv, .csv.gz, .npy, .npz, .svm or .libsvm; rename the "
      "file, or give CSV on standard input as -");
}

}  // namespace giga
