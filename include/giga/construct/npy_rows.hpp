// The vectors of a .npy file on disk, read in place. Where rows lie together in the file, a pass over them
// gives the memory of those it has read back to the system, so a file larger than memory streams.
#pragma once

#include <string>

#include "giga/base/types.hpp"
#include "giga/construct/dense_rows.hpp"
#include "giga/data/npy.hpp"

namespace giga {

/// The rows of a matrix that must outlive this object. Only a C-ordered file can be released by rows.
class NpyRows : public DenseRows {
 public:
  explicit NpyRows(const NpyMatrix& matrix);

  void passed(Index first, Index count) const override;
  [[nodiscard]] std::string name() const override;

 private:
  const NpyMatrix* file_;
};

/// LoglikRows of a matrix that must outlive this object. The vectors are columns of the file, so only a
/// Fortran-ordered one can be released.
class NpyLoglikRows : public LoglikRows {
 public:
  explicit NpyLoglikRows(const NpyMatrix& matrix);

  void passed(Index first, Index count) const override;
  [[nodiscard]] std::string name() const override;

 private:
  const NpyMatrix* file_;
};

}  // namespace giga
