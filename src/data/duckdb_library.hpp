// Finds and loads DuckDB's library.
//
//     $GIGA_DUCKDB                              that file and no other, if it is set
//     ~/.local/lib/giga/libduckdb.so            where scripts/install-dependencies --parquet puts it
//     /usr/local/lib/giga/libduckdb.so          for all users
//     libduckdb.so                              where the system looks for libraries
#pragma once

#include "data/duckdb_api.hpp"

namespace giga::duck {

/// Throws LibraryMissing, with what to do, if there is none or it is too old. Once loaded it stays; loading
/// it again costs next to nothing.
[[nodiscard]] Api load_library();

/// Whether load_library() would succeed.
[[nodiscard]] bool is_installed();

}  // namespace giga::duck
