// dlopen and dlsym: the first library that can be opened must have every function.
#include "data/duckdb_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "giga/base/text.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga::duck {
namespace {

constexpr const char* kHowTo =
    "; install it with scripts/install-dependencies --parquet, or say where it is with the environment "
    "variable GIGA_DUCKDB";

std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("GIGA_DUCKDB"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> paths;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    paths.push_back(std::string(home) + "/.local/lib/giga/libduckdb.so");
  paths.emplace_back("/usr/local/lib/giga/libduckdb.so");
  paths.emplace_back("libduckdb.so");
  return paths;
}

// Never unloaded: it has threads and destructors of its own.
void* opened(std::string& path) {
  const std::vector<std::string> paths = candidates();
  for (const std::string& candidate : paths) {
    path = candidate;
    if (void* library = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return library;
  }
  const std::string tried = paths.size() == 1 ? " (GIGA_DUCKDB is " + printable_path(paths[0]) + ")" : "";
  throw LibraryMissing("Parquet and `sql` need DuckDB's library, libduckdb.so, which cannot be loaded" +
                       tried + kHowTo);
}

// A function of the library by its name.
class Functions {
 public:
  Functions(void* library, const std::string& path) : library_(library), path_(path) {}

  template <typename Function>
  void take(const char* name, Function*& out) const {
    const std::string symbol = std::string("duckdb_").append(name);
    out = reinterpret_cast<Function*>(::dlsym(library_, symbol.c_str()));
    if (out == nullptr)
      throw LibraryMissing(printable_path(path_) + ": is no DuckDB 1.4 or later: it lacks " + symbol +
                           kHowTo);
  }

 private:
  void* library_;
  const std::string& path_;
};

}  // namespace

Api load_library() {
  std::string path;
  const Functions functions(opened(path), path);
  Api api{};
#define GIGA_TAKE(name) functions.take(#name, api.name)
  GIGA_TAKE(library_version);
  GIGA_TAKE(free);
  GIGA_TAKE(create_config);
  GIGA_TAKE(set_config);
  GIGA_TAKE(destroy_config);
  GIGA_TAKE(open_ext);
  GIGA_TAKE(close);
  GIGA_TAKE(connect);
  GIGA_TAKE(disconnect);
  GIGA_TAKE(interrupt);
  GIGA_TAKE(query);
  GIGA_TAKE(result_error);
  GIGA_TAKE(destroy_result);
  GIGA_TAKE(extract_statements);
  GIGA_TAKE(extract_statements_error);
  GIGA_TAKE(prepare_extracted_statement);
  GIGA_TAKE(destroy_extracted);
  GIGA_TAKE(prepare_error);
  GIGA_TAKE(destroy_prepare);
  GIGA_TAKE(nparams);
  GIGA_TAKE(prepared_statement_type);
  GIGA_TAKE(prepared_statement_column_count);
  GIGA_TAKE(prepared_statement_column_name);
  GIGA_TAKE(prepared_statement_column_logical_type);
  GIGA_TAKE(get_type_id);
  GIGA_TAKE(decimal_scale);
  GIGA_TAKE(decimal_internal_type);
  GIGA_TAKE(destroy_logical_type);
  GIGA_TAKE(execute_prepared_streaming);
  GIGA_TAKE(fetch_chunk);
  GIGA_TAKE(destroy_data_chunk);
  GIGA_TAKE(data_chunk_get_size);
  GIGA_TAKE(data_chunk_get_vector);
  GIGA_TAKE(vector_get_data);
  GIGA_TAKE(vector_get_validity);
#undef GIGA_TAKE
  return api;
}

bool is_installed() {
  try {
    (void)load_library();
    return true;
  } catch (const LibraryMissing&) {
    return false;
  }
}

}  // namespace giga::duck
