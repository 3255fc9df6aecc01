// Parts of run records, companions and summaries that several verbs write.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/text.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga::tool {

using Json = nlohmann::ordered_json;

/// "bernoulli with logit link, prior N(0, 1^2), features standardised"
[[nodiscard]] std::string model_text(const ModelOptions& model);

[[nodiscard]] Json model_json(const ModelOptions& model);
[[nodiscard]] Json read_json(const ReadOptions& read);
/// The same without the names of response and features.
[[nodiscard]] Json reading_json(const ReadOptions& read);
[[nodiscard]] Json scale_json(const std::vector<std::string>& features, const Standardisation& scale);

/// What a text says; is_discarded() if it is not JSON. Here and not in every file: the parser is long to
/// compile.
[[nodiscard]] Json parsed(std::string_view text);

/// The value of an enumeration by its name, as records have it; std::invalid_argument for another.
template <NamedEnum Enum>
[[nodiscard]] Enum enum_of(const Json& json) {
  const auto text = json.get<std::string>();
  const auto value = named<Enum>(text);
  if (!value) throw std::invalid_argument("'" + printable(text) + "' is not known");
  return *value;
}

/// Indented text, with a newline. Numbers that are not finite are null.
[[nodiscard]] std::string dumped(const Json& json);

}  // namespace giga::tool
