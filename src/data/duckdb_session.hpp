// A database in memory for as long as a table is read: statements, and results chunk by chunk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "data/duckdb_api.hpp"
#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"

namespace giga::duck {

/// What DuckDB says of a statement that fails, in one line: what() without the kind of the error.
class DuckError : public std::runtime_error {
 public:
  /// From "Binder Error: what happened", perhaps with further lines.
  explicit DuckError(std::string_view message);
  /// "Binder Error"; empty if it is not told.
  [[nodiscard]] const std::string& kind() const { return kind_; }

 private:
  std::string kind_;
};

struct ColumnType {
  Type type = Type::Null;
  Type stored = Type::Null;  ///< Of a decimal: the integer that it is kept as,
  int scale = 0;             ///< and its digits after the point.

  friend bool operator==(const ColumnType&, const ColumnType&) = default;
};

class Session {
 public:
  /// Throws LibraryMissing, or ResourceError where there is not enough of something. Nothing is ever loaded
  /// from a network or written to a disk but by the statements; times are UTC.
  explicit Session(int threads);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Api& api() const { return api_; }

  /// Statements whose results do not matter. Throws DuckError.
  void run(const std::string& sql) const;

  /// Ends what is being run with an error; from any thread.
  void interrupt() const;

 private:
  friend class Prepared;
  Api api_;
  Database database_ = nullptr;
  Connection connection_ = nullptr;
};

/// A statement, checked but not run.
class Prepared {
 public:
  /// The first statement of a text. Throws DuckError.
  Prepared(const Session& session, const std::string& sql);
  ~Prepared();
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  /// How many statements the text has.
  [[nodiscard]] std::size_t num_statements() const { return num_statements_; }
  [[nodiscard]] bool is_query() const;
  [[nodiscard]] bool has_parameters() const;
  /// Of the columns of its result.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<ColumnType> types() const;

 private:
  friend class Stream;
  const Api& api_;
  Statement statement_ = nullptr;
  std::size_t num_statements_ = 0;
};

/// The cells of one column of a chunk.
struct Cells {
  const void* data = nullptr;
  const std::uint64_t* valid = nullptr;

  [[nodiscard]] bool has(Index i) const {
    return valid == nullptr || (valid[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1U) != 0;
  }
  template <typename Value>
  [[nodiscard]] const Value* as() const {
    return static_cast<const Value*>(data);
  }
};

/// The rows of a result in their order, some thousand at a time.
class Stream {
 public:
  /// Throws DuckError, as next() does.
  Stream(const Session& session, const std::string& sql);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// The next chunk, which replaces the one before; false at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] Index num_rows() const;
  [[nodiscard]] Cells cells(std::size_t col) const;

 private:
  void drop_chunk();

  const Session& session_;
  Prepared prepared_;
  Result result_{};
  Chunk chunk_ = nullptr;
};

/// Interrupts what a session runs once the executor or the observer asks to stop: a query may be long within
/// one call.
class QueryWatch {
 public:
  /// Bytes in all, for the observer.
  QueryWatch(const Session& session, const Executor& executor, const Observer& observer,
             std::size_t total_bytes);
  ~QueryWatch();
  QueryWatch(const QueryWatch&) = delete;
  QueryWatch& operator=(const QueryWatch&) = delete;

  /// Tells the observer how far the reading is; throws Stopped, or what the observer threw.
  void tell(std::size_t done_bytes);
  /// The same for a query that has failed: whether it was for this.
  void rethrow();

 private:
  void look();
  [[nodiscard]] bool should_stop();

  const Session& session_;
  const Executor& executor_;
  const Observer& observer_;
  const std::size_t total_bytes_;
  std::atomic<std::size_t> done_bytes_{0};
  std::atomic<bool> stopped_{false};
  std::exception_ptr thrown_;  // by the observer, before stopped_ was set
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

/// A text as SQL has it: 'it''s'.
[[nodiscard]] std::string quoted(std::string_view text);
/// A path as DuckDB takes it for that file and nothing else: absolute, and without the characters of
/// patterns.
[[nodiscard]] std::string quoted_path(const std::filesystem::path& path);

}  // namespace giga::duck
