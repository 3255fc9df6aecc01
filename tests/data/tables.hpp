// Small data files made byte by byte, and what reading them gives.
#pragma once

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/temp_dir.hpp"
#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga::test {

inline const Executor& two_threads() {
  static const Threads executor(2);
  return executor;
}

/// For loops over very many small files: no thread has to be woken for each.
inline const Executor& one_thread() {
  static const Threads executor(1);
  return executor;
}

/// A file in a folder of its own, gone at the end.
class DataFile {
 public:
  DataFile(std::string_view name, std::string_view content) : path_(dir_ / name) {
    write_file(path_, content);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  TempDir dir_;
  std::filesystem::path path_;
};

inline Dataset read(std::string_view name, std::string_view content, const ReadOptions& options = {}) {
  const DataFile file(name, content);
  return read_dataset(file.path(), options, two_threads());
}

/// The message of the DataError that reading gives, without the folder.
inline std::string refusal(std::string_view name, std::string_view content, const ReadOptions& options = {}) {
  const DataFile file(name, content);
  std::string message =
      message_of<DataError>([&] { (void)read_dataset(file.path(), options, two_threads()); });
  const std::string folder = file.path().parent_path().string() + "/";
  return message.starts_with(folder) ? message.substr(folder.size()) : message;
}

/// All that was read, row by row: features, response, weight.
inline std::vector<std::vector<double>> rows_of(const Dataset& data) {
  std::vector<std::vector<double>> rows;
  for (Index n = 0; n < data.num_rows(); ++n) {
    auto& row = rows.emplace_back(data.features(n), data.features(n) + data.num_features());
    row.push_back(data.response()[static_cast<std::size_t>(n)]);
    if (!data.weights().empty()) row.push_back(data.weight(n));
  }
  return rows;
}

/// Bits, so that NaN and -0 compare as what they are.
inline std::vector<std::uint64_t> bits_of(const Dataset& data) {
  std::vector<std::uint64_t> bits;
  for (const auto& row : rows_of(data)) {
    for (const double value : row) bits.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return bits;
}

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

/// A version 1.0 .npy file of any type, whose numbers begin at a multiple of `align` bytes.
inline std::string npy_of_bytes(const std::string& type, const std::string& bytes, const std::string& shape,
                                bool fortran = false, std::size_t align = 1) {
  std::string dict = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                     ", 'shape': " + shape + ", }";
  dict += std::string(align - 1 - (10 + dict.size()) % align, ' ') + '\n';
  std::string file = "\x93NUMPY";
  file += '\x01';
  file += '\0';
  return file + little_endian(dict.size(), 2) + dict + bytes;
}

/// The same of float64.
inline std::string npy_of(const std::vector<double>& values, const std::string& shape, bool fortran = false) {
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return npy_of_bytes("<f8", bytes, shape, fortran);
}

inline std::string deflated(const std::string& data, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, data.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string gzipped(const std::string& data) {
  return deflated(data, 15 + 16);
}

struct ZipEntry {
  std::string name;
  std::string data;
  bool deflate = true;
  std::uint64_t stated_size = ~std::uint64_t{0};  ///< default: the truth
  std::uint32_t crc_error = 0;                    ///< xored into the checksum
};

inline std::string zip_of(const std::vector<ZipEntry>& entries) {
  std::string file;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::string body = entry.deflate ? deflated(entry.data, -15) : entry.data;
    const auto crc = static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(entry.data.data()),
                                                      static_cast<uInt>(entry.data.size()))) ^
                     entry.crc_error;
    const std::uint64_t size = entry.stated_size == ~std::uint64_t{0} ? entry.data.size() : entry.stated_size;
    const std::string common =
        little_endian(20, 2) + little_endian(0, 2) + little_endian(entry.deflate ? 8 : 0, 2) +
        little_endian(0, 2) + little_endian(0x21, 2) + little_endian(crc, 4) + little_endian(body.size(), 4) +
        little_endian(size, 4) + little_endian(entry.name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + common + little_endian(0, 2) + little_endian(0, 2) +
                 little_endian(0, 2) + little_endian(0, 4) + little_endian(file.size(), 4) + entry.name;
    file += "PK\x03\x04" + common + entry.name + body;
  }
  return file + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(entries.size(), 2) +
         little_endian(entries.size(), 2) + little_endian(directory.size(), 4) +
         little_endian(file.size(), 4) + little_endian(0, 2);
}

}  // namespace giga::test
