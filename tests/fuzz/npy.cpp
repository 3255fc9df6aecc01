// npy: the file as it is. Laws: a header never promises more than the bytes present; numbers are those that
// the header says, taken element by element.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "data/matrix_reader.hpp"
#include "fuzz/support/memory_files.hpp"
#include "fuzz/support/table_laws.hpp"
#include "fuzz/support/target.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/npy.hpp"

namespace giga::fuzz {
namespace {

const std::string kName = "fuzz.npy";

template <typename Number>
double as(const std::byte* bytes, bool swap) {
  std::array<std::byte, sizeof(Number)> copy;
  std::memcpy(copy.data(), bytes, sizeof(Number));
  if (swap) std::reverse(copy.begin(), copy.end());
  return static_cast<double>(std::bit_cast<Number>(copy));
}

double element(Scalar scalar, const std::byte* bytes, bool swap) {
  switch (scalar) {
    case Scalar::Float64: return as<double>(bytes, swap);
    case Scalar::Float32: return as<float>(bytes, swap);
    case Scalar::Int8: return as<std::int8_t>(bytes, swap);
    case Scalar::Int16: return as<std::int16_t>(bytes, swap);
    case Scalar::Int32: return as<std::int32_t>(bytes, swap);
    case Scalar::Int64: return as<std::int64_t>(bytes, swap);
    case Scalar::UInt8: return as<std::uint8_t>(bytes, swap);
    case Scalar::UInt16: return as<std::uint16_t>(bytes, swap);
    case Scalar::UInt32: return as<std::uint32_t>(bytes, swap);
    case Scalar::UInt64: return as<std::uint64_t>(bytes, swap);
    case Scalar::Bool: break;
  }
  return as<std::uint8_t>(bytes, swap) != 0 ? 1 : 0;
}

void require_numbers(const Dataset& data, std::span<const std::byte> file) {
  const NpyHeader header = parse_npy_header(file, kName);
  const auto rows = at(header.shape[0]), cols = at(header.shape[1]), width = scalar_bytes(header.scalar);
  require(header.data_offset + rows * cols * width == file.size(), "the header promises the bytes present");
  if (!is_small(data)) return;
  for (Index n = 0; n < data.num_rows(); ++n) {
    const std::size_t row = at(data.input_row(n));
    for (std::size_t j = 0; j < cols; ++j) {
      const std::size_t place = header.fortran_order ? j * rows + row : row * cols + j;
      const double value =
          element(header.scalar, file.data() + header.data_offset + place * width, header.swap_bytes);
      const double read = j + 1 < cols ? data.features(n)[j] : data.response(n);
      require(read == value, "numbers are those of the file");
    }
  }
}

void run(std::string_view input) {
  const MemoryFile file(kName, input);
  const std::filesystem::path path(kName);
  const auto bytes = std::as_bytes(std::span(input));
  for (const Missing missing : {Missing::Refuse, Missing::Drop}) {
    const auto [data, why] = attempt([&, missing] {
      return read_npy_dataset({&path, 1}, kName, {.missing = missing}, Serial(), {});
    });
    if (!data) continue;
    require_sound(*data);
    require_numbers(*data, bytes);
  }
  (void)refusal([&] { (void)npy_matrix(bytes, kName); });
}

}  // namespace
}  // namespace giga::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  giga::fuzz::run(giga::fuzz::text_of(data, size));
  return 0;
}
