// From the files of an input to the reader of their kind.
#include "giga/data/read_dataset.hpp"

#include <unistd.h>

#include <string>
#include <vector>

#include "data/csv_reader.hpp"
#include "data/duckdb_library.hpp"
#include "data/duckdb_table.hpp"
#include "data/file_kind.hpp"
#include "data/file_state.hpp"
#include "data/libsvm.hpp"
#include "data/matrix_reader.hpp"
#include "data/memory_reader.hpp"
#include "data/shared_stream.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/input_files.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/unchanged.hpp"

namespace giga {
namespace {

Dataset read_files(const std::vector<std::filesystem::path>& files, const std::string& name,
                   const ReadOptions& options, const Executor& executor, const Observer& observer) {
  switch (require_one_kind(files, options)) {
    case FileKind::Parquet: return read_parquet(files, name, options, executor, observer);
    case FileKind::Npy: return read_npy_dataset(files, name, options, executor, observer);
    case FileKind::Npz: return read_npz_dataset(files, name, options, executor, observer);
    case FileKind::Libsvm: return read_libsvm(files, name, options, executor, observer);
    case FileKind::Text:
    case FileKind::Other: break;
  }
  return read_csv_files(files, name, options, executor, observer);
}

}  // namespace

void require_input(const std::filesystem::path& path, const ReadOptions& options) {
  if (options.memory) {
    if (options.sql) throw OptionError("`sql` cannot read a table in memory; save it to a file first");
    return;
  }
  if (path == "-") {
    if (options.sql) throw OptionError("`sql` cannot read standard input; save it to a file first");
    return;
  }
  bool parquet = false;
  if (!path.empty()) {
    for (const std::filesystem::path& file : input_files(path)) {
      const bool here = file_kind(file) == FileKind::Parquet;
      parquet = parquet || here;
      const std::vector<std::filesystem::path> parts = here ? parquet_files({&file, 1}) : std::vector{file};
      for (const std::filesystem::path& part : parts) (void)MappedFile::open(part);
    }
  }
  if (parquet || options.sql) (void)duck::load_library();
}

Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                     const Observer& observer) {
  if (options.memory) {
    require_input(path, options);
    return read_memory(*options.memory, options, executor, observer);
  }
  if (options.sql) {
    require_input(path, options);
    return read_query(path, options, executor, observer);
  }
  if (path == "-") {
    const SharedStream stream(STDIN_FILENO, input_words(path), executor);
    return read_csv_stream(stream.descriptor(), input_words(path), options, executor, observer);
  }
  const std::vector<std::filesystem::path> files = input_files(path);
  const std::string name = files.size() == 1 ? printable_path(files.front()) : input_words(path);
  return of_unchanged(FileStates(files),
                      [&] { return read_files(files, name, options, executor, observer); });
}

}  // namespace giga
