// The part of DuckDB's C interface that is used here, version 1.4 or later, as the library exports it. The
// library comes without a header and is loaded when it is needed (duckdb_library.hpp).
//
// Handles are pointers that only the library looks into. A vector is a plain array: numbers as they are,
// dates as days and timestamps as ticks since 1970-01-01 (int32 and int64), decimals as the integer
// w of w / 10^scale, texts as DuckString. Bit i of its validity, words of 64 bits, says whether row i has a
// value; no validity means that all have.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace giga::duck {

struct DatabaseTag;
struct ConnectionTag;
struct ConfigTag;
struct StatementTag;
struct StatementsTag;
struct ChunkTag;
struct VectorTag;
struct LogicalTypeTag;
using Database = DatabaseTag*;
using Connection = ConnectionTag*;
using Config = ConfigTag*;
using Statement = StatementTag*;
using Statements = StatementsTag*;
using Chunk = ChunkTag*;
using Vector = VectorTag*;
using LogicalType = LogicalTypeTag*;

/// Passed by value: its size is part of the interface.
struct Result {
  std::uint64_t counts[3];
  void* columns;
  char* error;
  void* internal;
};

enum class State : int { Success = 0, Error = 1 };

inline constexpr int kSelect = 1;  ///< The type of a statement that is a query.

/// The numbers of the types of columns.
enum class Type : int {
  Boolean = 1,
  TinyInt,
  SmallInt,
  Integer,
  BigInt,
  UTinyInt,
  USmallInt,
  UInteger,
  UBigInt,
  Float,
  Double,
  Timestamp,
  Date,
  Time,
  Interval,
  HugeInt,
  Varchar,
  Blob,
  Decimal,
  TimestampS,
  TimestampMs,
  TimestampNs,
  Enum,
  List,
  Struct,
  Map,
  Uuid,
  Union,
  Bit,
  TimeTz,
  TimestampTz,
  UHugeInt,
  Array,
  Any,
  BigNum,
  Null,
};

/// A text: up to 12 bytes within, longer ones elsewhere.
struct DuckString {
  std::uint32_t length;
  char bytes[12];

  [[nodiscard]] std::string_view view() const {
    if (length <= sizeof bytes) return {bytes, length};
    const char* elsewhere = nullptr;
    std::memcpy(&elsewhere, bytes + 4, sizeof elsewhere);
    return {elsewhere, length};
  }
};
static_assert(sizeof(DuckString) == 16 && sizeof(Result) == 48);

/// Functions by the names they are exported under, without their duckdb_.
struct Api {
  const char* (*library_version)();
  void (*free)(void* what);

  State (*create_config)(Config* out);
  State (*set_config)(Config config, const char* name, const char* value);
  void (*destroy_config)(Config* config);
  State (*open_ext)(const char* path, Database* out, Config config, char** error);
  void (*close)(Database* database);
  State (*connect)(Database database, Connection* out);
  void (*disconnect)(Connection* connection);
  void (*interrupt)(Connection connection);

  State (*query)(Connection connection, const char* sql, Result* out);
  const char* (*result_error)(Result* result);
  void (*destroy_result)(Result* result);

  std::uint64_t (*extract_statements)(Connection connection, const char* sql, Statements* out);
  const char* (*extract_statements_error)(Statements statements);
  State (*prepare_extracted_statement)(Connection connection, Statements statements, std::uint64_t index,
                                       Statement* out);
  void (*destroy_extracted)(Statements* statements);
  const char* (*prepare_error)(Statement statement);
  void (*destroy_prepare)(Statement* statement);
  std::uint64_t (*nparams)(Statement statement);
  int (*prepared_statement_type)(Statement statement);
  std::uint64_t (*prepared_statement_column_count)(Statement statement);
  const char* (*prepared_statement_column_name)(Statement statement, std::uint64_t col);
  LogicalType (*prepared_statement_column_logical_type)(Statement statement, std::uint64_t col);
  Type (*get_type_id)(LogicalType type);
  std::uint8_t (*decimal_scale)(LogicalType type);
  Type (*decimal_internal_type)(LogicalType type);
  void (*destroy_logical_type)(LogicalType* type);

  State (*execute_prepared_streaming)(Statement statement, Result* out);
  Chunk (*fetch_chunk)(Result result);
  void (*destroy_data_chunk)(Chunk* chunk);
  std::uint64_t (*data_chunk_get_size)(Chunk chunk);
  Vector (*data_chunk_get_vector)(Chunk chunk, std::uint64_t col);
  void* (*vector_get_data)(Vector vector);
  std::uint64_t* (*vector_get_validity)(Vector vector);
};

}  // namespace giga::duck
