// The result of a query as a Dataset:
//
//     query -> names and types -> roles -> SELECT of the used columns -> DuckRows -> Table -> Dataset
//
// Columns are called c0, c1, ... in a view of the query, by their places: DuckDB takes names that differ in
// case for one, and two columns may have the same.
#include "data/duckdb_table.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "data/column_roles.hpp"
#include "data/duckdb_columns.hpp"
#include "data/table.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

using duck::DuckError;
using duck::Session;
using duck::Stream;
using duck::Type;

constexpr const char* kView = "giga_table";

std::string column(Index col) {
  return std::string("c").append(std::to_string(col));
}

// random() begins alike, so that a query that uses it gives the same rows again.
void prepare_session(const DuckSource& source, const Session& session) {
  for (const std::string& statement : source.before) session.run(statement);
  session.run("SELECT setseed(0.5)");
}

void make_view(const DuckSource& source, const Session& session, Index num_columns) {
  std::string columns;
  for (Index col = 0; col < num_columns; ++col) columns.append(col == 0 ? "" : ", ").append(column(col));
  session.run(std::string("CREATE TEMP VIEW ")
                  .append(kView)
                  .append("(")
                  .append(columns)
                  .append(") AS ")
                  .append(source.query));
}

// The text of unused columns: the query again, of which the rows asked for are kept. Floats are written as
// everywhere in a coreset, the rest as DuckDB writes it.
class DuckOrigin : public Dataset::Origin {
 public:
  DuckOrigin(DuckSource source, std::vector<duck::ColumnType> types)
      : source_(std::move(source)), types_(std::move(types)) {}

  Index line(Index) const override { return 0; }

  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    std::vector<std::vector<std::string>> texts;
    const Session session(source_.threads);
    try {
      prepare_session(source_, session);
      make_view(source_, session, std::ssize(types_));
      Stream stream(session, select_of(cols));
      // Invariant: texts has the rows before `first`; rows ascend.
      for (Index first = 0; texts.size() < rows.size() && stream.next(); first += stream.num_rows()) {
        const Index end = first + stream.num_rows();
        while (texts.size() < rows.size() && rows[texts.size()] < end)
          texts.push_back(texts_of(stream, rows[texts.size()] - first, cols));
      }
    } catch (const DuckError& error) {
      source_.refuse(error);
    }
    if (texts.size() < rows.size()) throw DataError(source_.name + ": changed while it was read; run again");
    return texts;
  }

 private:
  [[nodiscard]] bool is_real(Index col) const {
    return types_[at(col)].type == Type::Float || types_[at(col)].type == Type::Double;
  }

  [[nodiscard]] std::string select_of(std::span<const Index> cols) const {
    std::string select = "SELECT ";
    for (std::size_t j = 0; j < cols.size(); ++j)
      select.append(j == 0 ? "" : ", ")
          .append("CAST(")
          .append(column(cols[j]))
          .append(is_real(cols[j]) ? " AS DOUBLE)" : " AS VARCHAR)");
    return select.append(" FROM ").append(kView);
  }

  [[nodiscard]] std::vector<std::string> texts_of(const Stream& stream, Index i,
                                                  std::span<const Index> cols) const {
    std::vector<std::string> texts;
    for (std::size_t j = 0; j < cols.size(); ++j) {
      const duck::Cells cells = stream.cells(j);
      if (!cells.has(i)) {
        texts.emplace_back();
      } else if (is_real(cols[j])) {
        texts.push_back(shortest(cells.as<double>()[i]));
      } else {
        texts.emplace_back(cells.as<duck::DuckString>()[i].view());
      }
    }
    return texts;
  }

  DuckSource source_;
  std::vector<duck::ColumnType> types_;
};

std::string select_of(const std::vector<FetchedColumn>& fetched) {
  std::string select = "SELECT ";
  for (std::size_t j = 0; j < fetched.size(); ++j) {
    const std::string name = column(fetched[j].col);
    select.append(j == 0 ? "" : ", ").append(fetched[j].as_text ? "CAST(" + name + " AS VARCHAR)" : name);
  }
  return select.append(" FROM ").append(kView);
}

// Rows in the order of the result, until one is bad.
void fetch(const DuckSource& source, const Session& session, const std::string& select,
           duck::QueryWatch& watch, DuckRows& rows) {
  Stream stream(session, select);
  while (!rows.has_bad_row() && stream.next()) {
    rows.add(stream);
    const double share = source.num_rows > 0
                             ? static_cast<double>(rows.num_rows()) / static_cast<double>(source.num_rows)
                             : 0.0;
    watch.tell(static_cast<std::size_t>(std::min(share, 1.0) * static_cast<double>(source.bytes)));
  }
  if (source.num_rows >= 0 && rows.num_rows() != source.num_rows && !rows.has_bad_row())
    throw DataError(source.name + ": has " + plural(rows.num_rows(), "row") + " where it promises " +
                    std::to_string(source.num_rows) + ", so it is damaged; write it again");
}

}  // namespace

Dataset read_duck_table(const Session& session, DuckSource source, const ReadOptions& options,
                        const Executor& executor, const Observer& observer) {
  duck::QueryWatch watch(session, executor, observer, source.bytes);
  try {
    prepare_session(source, session);
    std::vector<duck::ColumnType> types;
    std::vector<std::string> names;
    {
      const duck::Prepared prepared(session, source.query);
      if (prepared.num_statements() != 1 || !prepared.is_query())
        throw OptionError("`sql` must be one SELECT, whose result is the table");
      if (prepared.has_parameters())
        throw OptionError("`sql` has a parameter, ? or $1; write its value instead");
      names = prepared.names();
      types = prepared.types();
    }
    if (std::ssize(names) > kMaxColumns)
      throw DataError(source.name + ": more than " + std::to_string(kMaxColumns) + " columns");
    Table table(source.name, assign_roles(names, options, source.name), options, executor.memory());
    table.allow_categories();
    for (const std::string& note : source.notes) table.add_note(note);
    std::vector<ColumnPlan> plan;
    const std::vector<FetchedColumn> fetched = plan_fetch(table, types, options, plan);
    make_view(source, session, std::ssize(names));
    DuckRows rows(table, plan, fetched);
    fetch(source, session, select_of(fetched), watch, rows);
    rows.finish(options, executor);
    const Index num_rows = rows.num_rows();
    return std::move(table).finish(num_rows,
                                   std::make_unique<DuckOrigin>(std::move(source), std::move(types)));
  } catch (const DuckError& error) {
    watch.rethrow();
    if (error.kind() == "INTERRUPT Error" || executor.stop_requested()) throw Stopped();
    if (error.kind() == "Out of Memory Error") throw ResourceError(source.name + ": " + error.what());
    source.refuse(error);
    throw;
  }
}

}  // namespace giga
