// The families by number and by name. All that is known about one is in its own file; the enumerators of
// Family say which there are. Adding an enumerator without a file fails to link (describe.hpp), so there is
// no list to keep here.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "giga/model/family.hpp"
#include "model/families/describe.hpp"

namespace giga {
namespace {

constexpr std::size_t kNumFamilies = num_enumerators<Family>();

template <std::size_t... kNumber>
std::array<const FamilyDescription*, kNumFamilies> all_described(std::index_sequence<kNumber...>) {
  return {&families::described<static_cast<Family>(kNumber)>()...};
}

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

}  // namespace

// Made once, on first use; thread-safe as any local static.
const FamilyDescription& describe(Family family) {
  static const auto kDescribed = all_described(std::make_index_sequence<kNumFamilies>());
  const auto number = static_cast<std::size_t>(family);
  if (number >= kNumFamilies) throw std::invalid_argument("no such family");
  return *kDescribed[number];
}

std::span<const Family> all_families() {
  static const auto kAll = [] {
    std::array<Family, kNumFamilies> all;
    for (std::size_t i = 0; i < kNumFamilies; ++i) all[i] = static_cast<Family>(i);
    return all;
  }();
  return kAll;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family family : all_families()) add_once(names, describe(family).name);
  return names;
}

std::vector<std::string> link_names(std::string_view family) {
  std::vector<std::string> names;
  for (const Family each : all_families())
    if (family.empty() || describe(each).name == family) add_once(names, describe(each).link);
  return names;
}

// Two families may share a setting: the same member of FamilyParameters.
std::vector<FamilySetting> family_settings() {
  std::vector<FamilySetting> all;
  for (const Family family : all_families()) {
    for (const FamilySetting& setting : describe(family).settings) {
      const auto same = [&](const FamilySetting& other) { return other.value == setting.value; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(setting);
    }
  }
  return all;
}

std::string_view family_name(Family family) {
  return describe(family).name;
}

std::string_view link_name(Family family) {
  return describe(family).link;
}

std::optional<Family> family_named(std::string_view family, std::optional<std::string_view> link) {
  for (const Family each : all_families()) {
    const FamilyDescription& description = describe(each);
    if (description.name == family && !description.is_given &&
        (link ? description.link == *link : description.is_default_link))
      return each;
  }
  return std::nullopt;
}

std::optional<Family> with_setting(Family family, const FamilySetting& setting) {
  const FamilyDescription& description = describe(family);
  if (description.has_setting(setting.value)) return family;
  if (description.given && describe(*description.given).has_setting(setting.value)) return description.given;
  return std::nullopt;
}

double with_trials(double successes, double trials) {
  const auto whole = [](double value) { return value == std::floor(value); };
  if (!(successes >= 0 && successes <= trials && trials < kTrialsApart) || !whole(successes) ||
      !whole(trials))
    throw std::invalid_argument(
        "successes and trials must be whole numbers, 0 <= successes <= trials < 2^26");
  return trials * kTrialsApart + successes;
}

std::string sampled_name(const ExtraParameter& extra) {
  return std::string(extra.is_log ? "log_" : "").append(extra.name);
}

std::vector<ExtraName> extra_names(Family family) {
  std::vector<ExtraName> names;
  for (const ExtraParameter& extra : describe(family).extras)
    names.emplace_back(std::string(extra.name), extra.is_log);
  return names;
}

std::vector<double> row_constants(const FamilyParameters& family, std::span<const double> y) {
  const auto constants = describe(family.family).row_constants;
  std::vector<double> out(constants == nullptr ? 0 : y.size());
  if (!out.empty()) constants(family, y, out);
  return out;
}

}  // namespace giga
