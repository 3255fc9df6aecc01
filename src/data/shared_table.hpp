// A table whose rows ranks share: from the shares that they read to the rows that each holds, and what they
// tell each other of them afterwards.
#pragma once

#include <span>
#include <vector>

#include "data/dataset_parts.hpp"
#include "giga/base/executor.hpp"
#include "giga/data/read_share.hpp"

namespace giga {

class SharedTable {
 public:
  /// Moves the rows of all shares to the ranks that hold them, for which there must be enough of them.
  [[nodiscard]] static Dataset make(SharedRows read, const Executor& executor);

  explicit SharedTable(Dataset::Parts& parts) : parts_(parts), shared_(*parts.shared) {}

  // As those of Dataset.
  void fetch(std::span<const Index> rows, const Executor& executor);
  void fetch_texts(std::span<const Index> rows, const Executor& executor);
  void fetch_places(std::span<const Index> rows, const Executor& executor);
  void complete(const Executor& executor);
  void hold(const DistinctRows& distinct, const Executor& executor);

 private:
  Dataset::Parts& parts_;
  SharedRowsState& shared_;
};

}  // namespace giga
