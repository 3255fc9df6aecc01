// Mutations of JSON that stay JSON, for targets that link this file. Of mutations of bytes hardly any do, and
// readers behind the parser would see little. What follows a line "---" is mutated as bytes.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace giga::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

void collect(Json& json, std::vector<Json*>& nodes) {
  nodes.push_back(&json);
  if (json.is_structured())
    for (Json& each : json) collect(each, nodes);
}

// Values that readers may not have thought of.
Json odd_value(Random& random) {
  static const std::vector<Json> kOdd = {nullptr,
                                         true,
                                         false,
                                         0,
                                         -1,
                                         1,
                                         3,
                                         1.5,
                                         -0.0,
                                         1e-320,
                                         1e308,
                                         -1e308,
                                         4294967296,
                                         9007199254740993,
                                         INT64_MAX,
                                         INT64_MIN,
                                         UINT64_MAX,
                                         "",
                                         "x1",
                                         "<fuzz>",
                                         "a\"b\\\n\x01",
                                         "y ~ x",
                                         "normal(0, 1)",
                                         Json::array(),
                                         Json::object(),
                                         {0, 1},
                                         {{"mean", 1}}};
  return kOdd[below(random, kOdd.size())];
}

void mutate_text(std::string& text) {
  constexpr std::size_t kLongest = 64;
  text.resize(std::min(text.size(), kLongest));
  std::size_t size = text.size();
  text.resize(kLongest);
  size = LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, kLongest);
  text.resize(size);
}

void mutate_number(Json& json, Random& random) {
  switch (below(random, 4)) {
    case 0: json = json.get<double>() * 2; break;
    case 1: json = -json.get<double>(); break;
    case 2: json = static_cast<std::int64_t>(below(random, 20)) - 5; break;
    default: json = odd_value(random);
  }
}

// Of a list or object: an entry is removed, repeated, or takes the place of another.
void mutate_entries(Json& json, Random& random) {
  if (json.empty()) {
    json = odd_value(random);
    return;
  }
  const auto entry = [&] {
    return std::next(json.begin(), static_cast<std::ptrdiff_t>(below(random, json.size())));
  };
  switch (below(random, 3)) {
    case 0: json.erase(entry()); break;
    case 1:
      if (json.is_array()) {
        json.push_back(Json(*entry()));
        break;
      }
      [[fallthrough]];
    default: *entry() = Json(*entry());
  }
}

void mutate_node(Json& root, Random& random) {
  std::vector<Json*> nodes;
  collect(root, nodes);
  Json& node = *nodes[below(random, nodes.size())];
  switch (below(random, 4)) {
    case 0: node = odd_value(random); return;
    case 1: node = Json(*nodes[below(random, nodes.size())]); return;
    default: break;
  }
  if (node.is_string()) {
    mutate_text(node.get_ref<std::string&>());
  } else if (node.is_number()) {
    mutate_number(node, random);
  } else if (node.is_structured()) {
    mutate_entries(node, random);
  } else {
    node = odd_value(random);
  }
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  constexpr std::string_view kBetween = "\n---\n";
  Random random(seed);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = input.find(kBetween);
  std::string json_text(input.substr(0, cut));
  std::string rest(cut == std::string_view::npos ? std::string_view() : input.substr(cut));
  Json json = Json::parse(json_text, nullptr, false);
  if (json.is_discarded() || below(random, 10) == 0) return LLVMFuzzerMutate(data, size, max_size);
  if (!rest.empty() && below(random, 3) == 0) {
    const std::size_t before = rest.size();
    rest.resize(before + 64);
    rest.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(rest.data()), before, rest.size()));
  } else {
    for (std::size_t k = 1 + below(random, 3); k > 0; --k) mutate_node(json, random);
    json_text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  const std::string out = json_text + rest;
  if (out.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::ranges::copy(out, data);
  return out.size();
}

}  // namespace
}  // namespace giga::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return giga::fuzz::mutate(data, size, max_size, seed);
}
