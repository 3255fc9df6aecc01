// A .npy file is
//
//     "\x93NUMPY", version (2 bytes), length of the dict (2 bytes in version 1, else 4, little-endian),
//     the dict, padded by spaces and a newline so that the data is aligned, and the data.
//
// The dict is a Python literal, {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. Only the forms
// that NumPy has ever written are understood; anything else is refused. The parser works on a view of the
// file and copies nothing but the shape.
#include "giga/data/npy.hpp"

#include <array>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxDimensions = 64;  // NumPy's own limit
// Of the data, as NumPy writes it.
constexpr std::size_t kAlignment = 64;
constexpr const char* kResave = "; save it again with numpy.save";
constexpr const char* kSupported =
    "supported are bool, int8 to int64, uint8 to uint64, float32 and float64; convert with "
    "x.astype('float64')";

// Every refusal of this file goes through here: "name: why; what to do".
[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw DataError(printable(name, 4096) + ": " + why);
}

std::string quoted(std::string_view value) {
  return std::string("'").append(printable(value)).append("'");
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Scalar type and byte order of the elements.
struct ElementType {
  Scalar scalar;
  bool swap_bytes;
};

// Kind and bytes, as in NumPy's dtype.str.
std::optional<Scalar> scalar_named(std::string_view code) {
  constexpr std::array<std::pair<std::string_view, Scalar>, 12> kCodes{{{"?", Scalar::Bool},
                                                                        {"b1", Scalar::Bool},
                                                                        {"i1", Scalar::Int8},
                                                                        {"u1", Scalar::UInt8},
                                                                        {"i2", Scalar::Int16},
                                                                        {"u2", Scalar::UInt16},
                                                                        {"i4", Scalar::Int32},
                                                                        {"u4", Scalar::UInt32},
                                                                        {"i8", Scalar::Int64},
                                                                        {"u8", Scalar::UInt64},
                                                                        {"f4", Scalar::Float32},
                                                                        {"f8", Scalar::Float64}}};
  for (const auto& [text, scalar] : kCodes) {
    if (text == code) return scalar;
  }
  return std::nullopt;
}

// What the kind letter of an unsupported type stands for.
std::string kind_words(char kind) {
  switch (kind) {
    case 'c': return "complex numbers";
    case 'f': return "a float of another size";
    case 'S':
    case 'a':
    case 'U': return "text";
    case 'V': return "structured or raw";
    case 'M':
    case 'm': return "dates";
    default: return "unknown";
  }
}

// "<f8": byte order ('<' little, '>' big, '|' and '=' none or native), then the code.
ElementType element_type(std::string_view descr, const std::string& name) {
  std::string_view code = descr;
  char order = '=';
  if (!code.empty() && std::string_view("<>|=").find(code[0]) != std::string_view::npos) {
    order = code[0];
    code.remove_prefix(1);
  }
  // Object arrays are pickles, and a pickle may run any code when it is read.
  if (code.starts_with('O')) {
    refuse(name, "object arrays are refused (reading one would run code); " + std::string(kSupported));
  }
  const auto scalar = scalar_named(code);
  if (!scalar) {
    const std::string kind = kind_words(code.empty() ? '\0' : code[0]);
    refuse(name, "elements of type " + quoted(descr) + " (" + kind + ") cannot be read; " + kSupported);
  }
  // '|' and '=' and a missing order mean that of this machine, or none for single bytes.
  constexpr char kOther = std::endian::native == std::endian::little ? '>' : '<';
  return {*scalar, order == kOther && scalar_bytes(*scalar) > 1};
}

// Recursive descent over the dict. `rest_` is what has not been read; every parse_ function takes its own
// part off the front, leading blanks included.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : rest_(text), all_(text), name_(name) {}

  // { key: value, key: value, }: the last comma may be missing. All three keys must occur, each once.
  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      parse_entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_spaces();
    if (!rest_.empty()) malformed("text after the '}'");
    if (!type_) malformed("no 'descr'");
    if (!fortran_order_) malformed("no 'fortran_order'");
    if (!shape_) malformed("no 'shape'");
    return {type_->scalar, type_->swap_bytes, *fortran_order_, std::move(*shape_), 0};
  }

 private:
  // One key and its value. A repeated key fails its own condition and is refused as unknown ones are.
  void parse_entry() {
    const std::string_view key = parse_string();
    expect(':');
    if (key == "descr" && !type_) {
      type_ = parse_descr();
    } else if (key == "fortran_order" && !fortran_order_) {
      fortran_order_ = parse_bool();
    } else if (key == "shape" && !shape_) {
      shape_ = parse_shape();
    } else {
      malformed("repeated or unknown key " + quoted(key));
    }
  }

  ElementType parse_descr() {
    skip_spaces();
    if (rest_.starts_with('[') || rest_.starts_with('(')) {
      refuse(name_, "structured arrays cannot be read; save the columns as one plain array: " +
                        std::string(kSupported));
    }
    return element_type(parse_string(), name_);
  }

  // A string in single or double quotes, without the quotes.
  std::string_view parse_string() {
    skip_spaces();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) malformed("expected a quoted string");
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    // NumPy never writes an escape in these strings, so a backslash is refused rather than interpreted.
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) malformed("a string does not end");
    const std::string_view value = rest_.substr(0, end);
    if (value.find('\\') != std::string_view::npos) malformed("a backslash in " + quoted(value));
    rest_.remove_prefix(end + 1);
    return value;
  }

  bool parse_bool() {
    skip_spaces();
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    malformed("'fortran_order' must be True or False");
  }

  // A tuple of lengths: (), (3,), (3, 4) or (3, 4,).
  std::vector<Index> parse_shape() {
    std::vector<Index> shape;
    bool comma = false;  // (3) is not a tuple, (3,) is
    expect('(');
    while (!accept(')')) {
      if (!shape.empty() && !comma) malformed("expected ',' in the shape");
      if (shape.size() == kMaxDimensions)
        refuse(name_, "the array has more than 64 dimensions; reshape it to 2");
      shape.push_back(parse_length());
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) malformed("the shape is not a tuple");
    return shape;
  }

  // A whole number that fits an Index.
  Index parse_length() {
    skip_spaces();
    // Digits by hand: 64 bits must be enough, and overflow is an error rather than a wrong size.
    if (rest_.starts_with('-')) {
      refuse(name_, "the shape has a negative length" + std::string(kResave));
    }
    if (rest_.empty() || !is_digit(rest_[0])) malformed("expected a whole number in the shape");
    Index value = 0;
    for (; !rest_.empty() && is_digit(rest_[0]); rest_.remove_prefix(1)) {
      if (__builtin_mul_overflow(value, Index{10}, &value) ||
          __builtin_add_overflow(value, Index{rest_[0] - '0'}, &value)) {
        refuse(name_, "a length in the shape overflows 64 bits" + std::string(kResave));
      }
    }
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote (3L, 4L)
    return value;
  }

  // Blanks may stand between any two tokens of a Python literal.
  void skip_spaces() {
    const std::size_t used = rest_.find_first_not_of(" \t\r\n\f");
    rest_.remove_prefix(used == std::string_view::npos ? rest_.size() : used);
  }

  // accept_ functions take something off the front if it is there, and say whether it was; expect() insists.
  bool accept_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool accept(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) malformed(std::string("expected '") + c + "'");
  }

  [[noreturn]] void malformed(const std::string& why) const {
    refuse(name_, "malformed .npy header at character " + std::to_string(all_.size() - rest_.size()) + ": " +
                      why + kResave);
  }

  std::string_view rest_;
  std::string_view all_;
  const std::string& name_;
  std::optional<ElementType> type_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<Index>> shape_;
};

// Where the dict lies: the version says how wide the little-endian length before it is.
struct DictPlace {
  std::size_t offset;
  std::size_t length;
};

// Each size is checked against the bytes left before it is used.
DictPlace locate_dict(std::span<const std::byte> file, const std::string& name) {
  const std::string_view text = as_text(file);
  if (!text.starts_with(kMagic)) {
    refuse(name, "not a .npy file: it starts with " + quoted(text.substr(0, kMagic.size())) +
                     " instead of '" + printable(kMagic) + "'; write it with numpy.save");
  }
  if (file.size() < 8) refuse(name, "the file ends inside the .npy header; copy or save it again");
  const auto major = std::to_integer<unsigned>(file[6]);
  const auto minor = std::to_integer<unsigned>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    refuse(name, "unknown .npy version " + std::to_string(major) + "." + std::to_string(minor) +
                     "; known are 1.0, 2.0 and 3.0" + kResave);
  }
  const std::size_t width = major == 1 ? 2 : 4;
  if (file.size() < 8 + width) refuse(name, "the file ends inside the .npy header; copy or save it again");
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i) length |= std::to_integer<std::size_t>(file[8 + i]) << (8 * i);
  const std::size_t left = file.size() - 8 - width;
  if (length > left) {
    refuse(name, "the header is said to have " + plural(static_cast<Index>(length), "byte") + ", but only " +
                     std::to_string(left) + " follow; copy or save the file again");
  }
  return {8 + width, length};
}

// Bytes of all elements. A length of 0 anywhere makes the product 0 whatever the others are.
Index data_bytes(const NpyHeader& header, const std::string& name) {
  Index bytes = static_cast<Index>(scalar_bytes(header.scalar));
  for (const Index length : header.shape) {
    if (length == 0) return 0;
  }
  for (const Index length : header.shape) {
    if (__builtin_mul_overflow(bytes, length, &bytes)) {
      refuse(name, "the product of the shape overflows 64 bits" + std::string(kResave));
    }
  }
  return bytes;
}

// As Python prints a tuple: "(3,)" for one length.
std::string shape_text(const std::vector<Index>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text.append(i > 0 ? ", " : "").append(std::to_string(shape[i]));
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Two dimensions, none empty; the message says how to reshape what is not a matrix.
void check_matrix_shape(const NpyHeader& header, const std::string& name) {
  const std::vector<Index>& shape = header.shape;
  if (shape.size() != 2) {
    const std::string advice = shape.size() == 1
                                   ? "x.reshape(-1, 1) for one column or x.reshape(1, -1) for one row"
                                   : (shape.empty() ? "x.reshape(1, 1)" : "x.reshape(x.shape[0], -1)");
    refuse(name,
           "the array has shape " + shape_text(shape) + ", a matrix needs 2 dimensions; save " + advice);
  }
  if (shape[0] == 0)
    refuse(name, "0 data rows: the shape is " + shape_text(shape) + "; give at least one row");
  if (shape[1] == 0)
    refuse(name, "0 columns: the shape is " + shape_text(shape) + "; give at least one column");
}

// Neither short nor long: a file that was cut, or two arrays in one file, must not pass unnoticed.
void check_data_size(const NpyHeader& header, std::size_t file_bytes, const std::string& name) {
  const auto needed = static_cast<std::size_t>(data_bytes(header, name));
  const std::size_t present = file_bytes - header.data_offset;
  if (present == needed) return;
  const std::string promise = ", the shape " + shape_text(header.shape) + " needs " +
                              plural(static_cast<Index>(needed), "byte") + " of data";
  if (present < needed) {
    refuse(name, "the data is " + plural(static_cast<Index>(needed - present), "byte") + " short" + promise +
                     "; the file was cut, copy or save it again");
  }
  refuse(name, plural(static_cast<Index>(present - needed), "trailing byte") + " after the data" + promise +
                   "; save one array per file");
}

// rows * cols, if that many doubles can be counted in bytes.
std::size_t value_count(Index rows, Index cols) {
  constexpr Index kBytes = sizeof(double);
  Index count = 0;
  Index bytes = 0;
  if (rows < 0 || cols < 0 || __builtin_mul_overflow(rows, cols, &count) ||
      __builtin_mul_overflow(count, kBytes, &bytes)) {
    throw std::invalid_argument("NpyWriter: rows " + std::to_string(rows) + ", cols " + std::to_string(cols) +
                                " must not be negative and their product in bytes must fit 64 bits");
  }
  return static_cast<std::size_t>(count);
}

// The header of a row-major matrix in version 1.0.
std::string written_header(Index rows, Index cols, NpyWriter::Type type) {
  constexpr const char* kOrder = std::endian::native == std::endian::little ? "<" : ">";
  const char* size = type == NpyWriter::Type::Float32 ? "f4" : "f8";
  std::string dict = std::string("{'descr': '") + kOrder + size + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(rows) + ", " + std::to_string(cols) + "), }";
  constexpr std::size_t kBefore = 10;  // magic, version, length
  // The newline that ends the dict counts, too.
  const std::size_t used = kBefore + dict.size() + 1;
  dict.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  dict += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dict.size() & 0xFF);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace

// data_offset is at most the size given, since locate_dict has compared the length with it.
NpyHeader parse_npy_header(std::span<const std::byte> file, const std::string& name) {
  const DictPlace place = locate_dict(file, name);
  NpyHeader header = HeaderParser(as_text(file).substr(place.offset, place.length), name).parse();
  header.data_offset = place.offset + place.length;
  // For its check that the product of the lengths fits an Index.
  data_bytes(header, name);
  return header;
}

MatrixView npy_matrix(std::span<const std::byte> file, const std::string& name) {
  const NpyHeader header = parse_npy_header(file, name);
  check_matrix_shape(header, name);
  check_data_size(header, file.size(), name);
  // Strides in bytes: the index that runs fastest is the column in C order, the row in Fortran order.
  const auto bytes = static_cast<Index>(scalar_bytes(header.scalar));
  const Index rows = header.shape[0];
  const Index cols = header.shape[1];
  return {.data = file.data() + header.data_offset,
          .scalar = header.scalar,
          .swap_bytes = header.swap_bytes,
          .rows = rows,
          .cols = cols,
          .row_stride = header.fortran_order ? bytes : bytes * cols,
          .col_stride = header.fortran_order ? bytes * rows : bytes};
}

NpyMatrix::NpyMatrix(MappedFile file, MatrixView view)
    : file_(std::move(file)),
      view_(view),
      // The mapping does not move with the object, so the view stays valid.
      data_offset_(static_cast<std::size_t>(view.data - file_.bytes().data())) {}

NpyMatrix NpyMatrix::open(const std::filesystem::path& path) {
  MappedFile file = MappedFile::open(path);
  const MatrixView view = npy_matrix(file.bytes(), printable_path(path));
  return {std::move(file), view};
}

NpyWriter::NpyWriter(const std::filesystem::path& target, Index rows, Index cols, bool force, Type type)
    : expected_(value_count(rows, cols)), out_(target, force), type_(type) {
  out_.write(written_header(rows, cols, type));
}

void NpyWriter::append(std::span<const double> values) {
  // Checked before writing, so that a file never has more than its header promises.
  if (values.size() > expected_ - appended_) {
    throw std::invalid_argument("NpyWriter::append: " + std::to_string(values.size()) + " values after " +
                                std::to_string(appended_) + " exceed the " + std::to_string(expected_) +
                                " promised");
  }
  if (type_ == Type::Float64) {
    out_.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  } else {
    const std::vector<float> rounded(values.begin(), values.end());
    out_.write({reinterpret_cast<const char*>(rounded.data()), rounded.size() * sizeof(float)});
  }
  appended_ += values.size();
}

void NpyWriter::commit() {
  if (appended_ != expected_) {
    throw std::invalid_argument("NpyWriter::commit: " + std::to_string(appended_) + " values appended, " +
                                std::to_string(expected_) + " promised");
  }
  out_.commit();
}

}  // namespace giga
