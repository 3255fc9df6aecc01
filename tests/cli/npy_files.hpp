// .npy files made byte by byte, good and bad.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace giga::test {

/// A version 1.0 file of this header text and these bytes of data.
inline std::string npy_of(const std::string& dict, const std::string& data) {
  std::string file = "\x93NUMPY";
  file += '\x01';
  file += '\0';
  file += static_cast<char>(dict.size() & 0xFF);
  file += static_cast<char>(dict.size() >> 8);
  return file + dict + data;
}

inline std::string dict_of(const std::string& descr, const std::string& shape,
                           const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

inline std::string shape_of(std::ptrdiff_t rows, std::ptrdiff_t cols) {
  return std::string("(").append(std::to_string(rows)).append(", ").append(std::to_string(cols)).append(")");
}

struct Matrix {
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t cols = 0;
  std::vector<double> values;  // row-major

  [[nodiscard]] double at(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return values[static_cast<std::size_t>(i * cols + j)];
  }
};

template <typename Value>
std::string bytes_of(Value value, bool swapped = false) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof(Value));
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

/// The matrix as elements of a type; `descr` is its NumPy name with the byte order ('>' is swapped).
template <typename Value>
std::string npy_as(const Matrix& matrix, const std::string& descr, bool fortran = false) {
  std::string data;
  const bool swapped = descr[0] == '>';
  const auto outer = fortran ? matrix.cols : matrix.rows;
  const auto inner = fortran ? matrix.rows : matrix.cols;
  for (std::ptrdiff_t i = 0; i < outer; ++i) {
    for (std::ptrdiff_t j = 0; j < inner; ++j)
      data += bytes_of(static_cast<Value>(fortran ? matrix.at(j, i) : matrix.at(i, j)), swapped);
  }
  return npy_of(dict_of(descr, shape_of(matrix.rows, matrix.cols), fortran ? "True" : "False"), data);
}

inline std::string npy_of(const Matrix& matrix) {
  return npy_as<double>(matrix, "<f8");
}

/// Whole numbers from `least` to `most` in no order that a coreset could profit from.
inline Matrix whole_numbers(std::ptrdiff_t rows, std::ptrdiff_t cols, int least, int most) {
  Matrix matrix{rows, cols, {}};
  unsigned state = 12345;
  for (std::ptrdiff_t i = 0; i < rows * cols; ++i) {
    state = state * 1664525U + 1013904223U;
    matrix.values.push_back(least +
                            static_cast<int>((state >> 16) % static_cast<unsigned>(most - least + 1)));
  }
  return matrix;
}

// A header before a hole in the file: many bytes to read, none on the disk.
inline void write_sparse_npy(const std::filesystem::path& path, std::ptrdiff_t rows, std::ptrdiff_t cols) {
  const std::string header = npy_of(dict_of("<f8", shape_of(rows, cols)), "");
  write_file(path, header);
  std::filesystem::resize_file(path, header.size() + static_cast<std::uintmax_t>(rows * cols * 8));
}

}  // namespace giga::test
