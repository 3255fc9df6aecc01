# cmake -DASSETS=folder -DOUT=file.cpp -P embed.cmake: the assets as raw string literals. One long literal
# compiles in no time, unlike an array of as many numbers.
file(READ ${ASSETS}/charts.js script)
file(READ ${ASSETS}/style.css style)
file(WRITE ${OUT} "// Written by embed.cmake.\n#include \"report/page/assets.hpp\"\n\n")
foreach(part script style)
  if("${${part}}" MATCHES "\\)giga_asset\"")
    message(FATAL_ERROR "an asset contains the end of its own literal")
  endif()
endforeach()
file(APPEND ${OUT} "namespace giga::page {\n\nstd::string_view charts_script() {\n  return R\"giga_asset(${script})giga_asset\";\n}\n\n")
file(APPEND ${OUT} "std::string_view style_sheet() {\n  return R\"giga_asset(${style})giga_asset\";\n}\n\n}  // namespace giga::page\n")
