// RAII around the C interface; errors become DuckError.
//
// Results are streamed: DuckDB's threads read ahead by a megabyte or so while chunks are taken from the
// front, in the order of the rows (preserve_insertion_order, DuckDB's default, is asked for all the same).
#include "data/duckdb_session.hpp"

#include <chrono>
#include <utility>

#include "data/duckdb_library.hpp"
#include "data/load_progress.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga::duck {
namespace {

constexpr std::size_t kLongestMessage = 400;

// The message proper, of which further paragraphs and the place in the statement are left out.
std::string first_paragraph(std::string_view message) {
  for (const std::string_view end : {"\n\n", "\nLINE ", "\nStack Trace", " This error signals"})
    message = message.substr(0, message.find(end));
  std::string line(message);
  for (char& c : line)
    if (c == '\n') c = ' ';
  return line;
}

// "Invalid Input Error" of "Invalid Input Error: ...": words that end in Error.
std::size_t kind_length(std::string_view message) {
  constexpr std::string_view kEnd = "Error: ";
  const std::size_t end = message.find(kEnd);
  if (end == std::string_view::npos || message.substr(0, end).find_first_of(":'\"") != std::string_view::npos)
    return 0;
  return end + kEnd.size();
}

std::string words_of(std::string_view message) {
  const std::string line = first_paragraph(message);
  return printable(std::string_view(line).substr(kind_length(line)), kLongestMessage);
}

}  // namespace

DuckError::DuckError(std::string_view message) : std::runtime_error(words_of(message)) {
  const std::size_t length = kind_length(message);
  if (length > 0) kind_ = message.substr(0, length - 2);
}

Prepared::Prepared(const Session& session, const std::string& sql) : api_(session.api()) {
  Statements statements = nullptr;
  num_statements_ = api_.extract_statements(session.connection_, sql.c_str(), &statements);
  std::string message;
  const auto note = [&message](const char* error) {
    message = error == nullptr ? "Parser Error: there is no statement" : error;
  };
  if (num_statements_ == 0) {
    note(api_.extract_statements_error(statements));
  } else if (api_.prepare_extracted_statement(session.connection_, statements, 0, &statement_) !=
             State::Success) {
    note(api_.prepare_error(statement_));
    api_.destroy_prepare(&statement_);
  }
  api_.destroy_extracted(&statements);
  if (!message.empty()) throw DuckError(message);
}

Prepared::~Prepared() {
  api_.destroy_prepare(&statement_);
}

bool Prepared::is_query() const {
  return api_.prepared_statement_type(statement_) == kSelect;
}

bool Prepared::has_parameters() const {
  return api_.nparams(statement_) > 0;
}

std::vector<std::string> Prepared::names() const {
  std::vector<std::string> names;
  const std::uint64_t count = api_.prepared_statement_column_count(statement_);
  for (std::uint64_t j = 0; j < count; ++j) {
    const char* name = api_.prepared_statement_column_name(statement_, j);
    names.emplace_back(name == nullptr ? "" : name);
    api_.free(const_cast<char*>(name));
  }
  return names;
}

std::vector<ColumnType> Prepared::types() const {
  std::vector<ColumnType> types;
  const std::uint64_t count = api_.prepared_statement_column_count(statement_);
  for (std::uint64_t j = 0; j < count; ++j) {
    LogicalType logical = api_.prepared_statement_column_logical_type(statement_, j);
    ColumnType type{api_.get_type_id(logical)};
    if (type.type == Type::Decimal) {
      type.stored = api_.decimal_internal_type(logical);
      type.scale = api_.decimal_scale(logical);
    }
    api_.destroy_logical_type(&logical);
    types.push_back(type);
  }
  return types;
}

Session::Session(int threads) : api_(load_library()) {
  const std::pair<const char*, std::string> settings[] = {
      {"threads", std::to_string(threads)},      {"preserve_insertion_order", "true"},
      {"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"},
      {"enable_external_file_cache", "false"},   {"temp_directory", ""}};
  Config config = nullptr;
  char* error = nullptr;
  bool good = api_.create_config(&config) == State::Success;
  for (const auto& [name, value] : settings)
    good = good && api_.set_config(config, name, value.c_str()) == State::Success;
  good = good && api_.open_ext(nullptr, &database_, config, &error) == State::Success;
  api_.destroy_config(&config);
  good = good && api_.connect(database_, &connection_) == State::Success;
  if (good) {
    run("SET TimeZone = 'UTC'");
    return;
  }
  const std::string why = error == nullptr ? "" : std::string(": ") + DuckError(error).what();
  api_.free(error);
  api_.disconnect(&connection_);
  api_.close(&database_);
  throw ResourceError("DuckDB " + printable(api_.library_version()) + " does not start" + why);
}

Session::~Session() {
  api_.disconnect(&connection_);
  api_.close(&database_);
}

void Session::run(const std::string& sql) const {
  Result result{};
  const State state = api_.query(connection_, sql.c_str(), &result);
  const char* error = state == State::Success ? nullptr : api_.result_error(&result);
  const std::string message = error == nullptr ? "" : error;
  api_.destroy_result(&result);
  if (state != State::Success) throw DuckError(message);
}

void Session::interrupt() const {
  api_.interrupt(connection_);
}

Stream::Stream(const Session& session, const std::string& sql) : session_(session), prepared_(session, sql) {
  if (session.api().execute_prepared_streaming(prepared_.statement_, &result_) == State::Success) return;
  const char* error = session.api().result_error(&result_);
  const std::string message = error == nullptr ? "" : error;
  session.api().destroy_result(&result_);
  throw DuckError(message);
}

Stream::~Stream() {
  drop_chunk();
  session_.api().destroy_result(&result_);
}

void Stream::drop_chunk() {
  if (chunk_ != nullptr) session_.api().destroy_data_chunk(&chunk_);
  chunk_ = nullptr;
}

bool Stream::next() {
  drop_chunk();
  chunk_ = session_.api().fetch_chunk(result_);
  if (chunk_ != nullptr && num_rows() > 0) return true;
  // A failure looks like the end.
  const char* error = session_.api().result_error(&result_);
  if (error != nullptr && *error != '\0') throw DuckError(error);
  return false;
}

Index Stream::num_rows() const {
  return static_cast<Index>(session_.api().data_chunk_get_size(chunk_));
}

Cells Stream::cells(std::size_t col) const {
  Vector vector = session_.api().data_chunk_get_vector(chunk_, col);
  return {session_.api().vector_get_data(vector), session_.api().vector_get_validity(vector)};
}

QueryWatch::QueryWatch(const Session& session, const Executor& executor, const Observer& observer,
                       std::size_t total_bytes)
    : session_(session), executor_(executor), observer_(observer), total_bytes_(total_bytes), thread_([this] {
        look();
      }) {}

QueryWatch::~QueryWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

bool QueryWatch::should_stop() {
  try {
    return executor_.stop_requested() ||
           asks_to_stop(observer_, {.stage = Stage::Load,
                                    .done = static_cast<Index>(done_bytes_.load()),
                                    .total = static_cast<Index>(total_bytes_)});
  } catch (...) {
    thrown_ = std::current_exception();
    return true;
  }
}

// Interrupts again and again: a query that begins forgets what came before.
void QueryWatch::look() {
  constexpr auto kPause = std::chrono::milliseconds(50);
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kPause, [this] { return end_; })) {
    if (!stopped_ && should_stop()) stopped_ = true;
    if (stopped_) session_.interrupt();
  }
}

void QueryWatch::tell(std::size_t done_bytes) {
  done_bytes_ = done_bytes;
  rethrow();
  if (executor_.stop_requested()) throw Stopped();
  tell_bytes(observer_, done_bytes, total_bytes_);
}

void QueryWatch::rethrow() {
  if (!stopped_) return;
  if (thrown_) std::rethrow_exception(thrown_);
  throw Stopped();
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string quoted_path(const std::filesystem::path& path) {
  std::string text;
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool pattern = c == '*' || c == '?' || c == '[';
    text += pattern ? std::string("[") + c + "]" : std::string(1, c);
  }
  return duck::quoted(text);
}

}  // namespace giga::duck
