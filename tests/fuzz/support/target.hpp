// What fuzz targets share. A target is a file that defines LLVMFuzzerTestOneInput for libFuzzer; replay.cpp
// calls the same function for files, so that kept inputs are ordinary tests.
//
// A target hands bytes to a reader and checks laws: what is refused is refused in words, what is accepted is
// finite, the same by every path through the reader, and the same again once it is written and read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "giga/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace giga::fuzz {

/// Says which law does not hold and aborts.
[[noreturn]] void broken(const std::string& law);

inline void require(bool holds, const char* law) {
  if (!holds) broken(law);
}

/// Aborts unless a message is safe for a terminal: printable UTF-8, in lines.
void require_printable(const std::string& message);

/// What a reader says where it refuses; nothing if it does not. Exceptions that users are not told of as
/// their own mistake pass, and end the target.
template <typename Action>
std::optional<std::string> refusal(const Action& action) {
  std::optional<std::string> message;
  try {
    action();
  } catch (const DataError& error) {
    message = error.what();
  } catch (const OptionError& error) {
    message = error.what();
  } catch (const InputMissing& error) {
    message = error.what();
  } catch (const ResourceError& error) {
    message = error.what();
  }
  if (message) require_printable(*message);
  return message;
}

/// The same, with what was read where it was.
template <typename Action>
auto attempt(const Action& action) {
  std::pair<std::optional<decltype(action())>, std::string> result;
  result.second = refusal([&] { result.first.emplace(action()); }).value_or("");
  return result;
}

/// Whether two numbers have the same bits.
[[nodiscard]] bool same_bits(double a, double b);

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Takes the first line off: letters that choose options of the reader.
std::string_view take_line(std::string_view& text);

}  // namespace giga::fuzz
