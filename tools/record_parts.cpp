#include "record_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "giga/base/text.hpp"

namespace giga::tool {

std::string model_text(const ModelOptions& model) {
  std::string text =
      fmt::format("{} with {} link", family_name(model.family.family), link_name(model.family.family));
  for (const FamilySetting& setting : describe(model.family.family).settings) {
    std::string words(setting.name);
    std::replace(words.begin(), words.end(), '_', ' ');
    text += fmt::format(", {} {}", words, shortest(model.family.*setting.value));
  }
  return text + fmt::format(", prior N(0, {}^2), features {}", shortest(model.prior_scale),
                            model.standardise ? "standardised" : "as they are");
}

Json model_json(const ModelOptions& model) {
  Json json = {{"family", family_name(model.family.family)}, {"link", link_name(model.family.family)}};
  for (const FamilySetting& setting : family_settings())
    json[std::string(setting.name)] = model.family.*setting.value;
  json["prior_scale"] = model.prior_scale;
  json["intercept"] = model.intercept;
  json["standardise"] = model.standardise;
  return json;
}

Json read_json(const ReadOptions& read) {
  return {{"response", read.response ? Json(*read.response) : Json(nullptr)},
          {"features", read.features ? Json(*read.features) : Json(nullptr)},
          {"weights", read.weights ? Json(*read.weights) : Json(nullptr)},
          {"missing", name(read.missing)},
          {"delimiter", std::string(1, read.delimiter)},
          {"header", read.header}};
}

Json reading_json(const ReadOptions& read) {
  Json json = read_json(read);
  json.erase("response");
  json.erase("features");
  return json;
}

Json scale_json(const std::vector<std::string>& features, const Standardisation& scale) {
  return {{"features", features}, {"mean", scale.mean}, {"scale", scale.scale}};
}

Json parsed(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

std::string dumped(const Json& json) {
  // replace: a path need not be UTF-8, a record must be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace giga::tool
