// The files of assets/, compiled in.
#pragma once

#include <string_view>

namespace giga::page {

[[nodiscard]] std::string_view charts_script();  ///< assets/charts.js, made by web/build.mjs
[[nodiscard]] std::string_view style_sheet();    ///< assets/style.css

}  // namespace giga::page
