// NumPy's .npy files: a matrix read in place, and one written row by row.
// Format: numpy.lib.format, versions 1.0, 2.0 and 3.0.
//
// A header is believed only as far as the bytes present agree with it. Every refusal is a DataError that
// begins with the name of the file and says what to do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "giga/base/matrix_view.hpp"
#include "giga/base/types.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/output_file.hpp"

namespace giga {

struct NpyHeader {
  Scalar scalar = Scalar::Float64;
  bool swap_bytes = false;
  bool fortran_order = false;
  std::vector<Index> shape;     ///< at most 64 lengths, none negative; their product in bytes fits an Index
  std::size_t data_offset = 0;  ///< at most the number of bytes given
};

/// Reads the header of a whole .npy file. `name` stands in messages. Safe on any bytes; throws only
/// DataError.
[[nodiscard]] NpyHeader parse_npy_header(std::span<const std::byte> file, const std::string& name);

/// The matrix in the bytes of a .npy file, which must outlive the view: two dimensions, at least one row and
/// one column, and exactly the bytes the header promises. Throws only DataError.
[[nodiscard]] MatrixView npy_matrix(std::span<const std::byte> file, const std::string& name);

/// A .npy matrix on disk, mapped into memory. The view stays valid when the object is moved.
class NpyMatrix {
 public:
  /// Throws what MappedFile::open and npy_matrix throw.
  [[nodiscard]] static NpyMatrix open(const std::filesystem::path& path);

  [[nodiscard]] MatrixView view() const { return view_; }
  [[nodiscard]] const MappedFile& file() const { return file_; }
  [[nodiscard]] std::size_t data_offset() const { return data_offset_; }

 private:
  NpyMatrix(MappedFile file, MatrixView view);

  MappedFile file_;
  MatrixView view_;
  std::size_t data_offset_;
};

/// Streams a row-major matrix to a version 1.0 file; the file appears on commit(), see OutputFile.
class NpyWriter {
 public:
  enum class Type { Float64, Float32 };

  /// Throws std::invalid_argument unless rows >= 0, cols >= 0 and the bytes can be counted.
  NpyWriter(const std::filesystem::path& target, Index rows, Index cols, bool force,
            Type type = Type::Float64);

  /// Any number of values, row after row. Throws std::invalid_argument if they exceed rows * cols in total.
  void append(std::span<const double> values);

  /// Throws std::invalid_argument unless exactly rows * cols values were appended.
  void commit();

 private:
  std::size_t expected_;  // before out_: bad sizes are refused before a file is made
  OutputFile out_;
  std::size_t appended_ = 0;
  Type type_;
};

}  // namespace giga
