// What surrounds every page. The Content-Security-Policy allows nothing but the page's own script and style,
// which it knows by their hashes; so text that slipped through as markup could still not run.
#include "report/page/shell.hpp"

#include "report/page/assets.hpp"
#include "report/page/html.hpp"
#include "report/page/sha256.hpp"

namespace giga::page {
namespace {

// JSON that can stand in a script element: nothing in it ends the element or begins another.
std::string inert_json(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    switch (c) {
      case '<': text += "\\u003c"; break;
      case '>': text += "\\u003e"; break;
      case '&': text += "\\u0026"; break;
      default: text += c;
    }
  }
  return text;
}

std::string policy() {
  std::string text = "default-src 'none'; script-src ";
  text += csp_hash(charts_script());
  text += "; style-src ";
  text += csp_hash(style_sheet());
  text += "; base-uri 'none'; form-action 'none'";
  return text;
}

}  // namespace

std::string head(const std::string& title) {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += joined({"<meta http-equiv=\"Content-Security-Policy\" content=\"", policy(), "\">\n"});
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  html += "<meta name=\"referrer\" content=\"no-referrer\">\n<title>";
  html += escaped(tame(title, 200));
  html += "</title>\n<style>";
  html += style_sheet();
  html += "</style>\n</head>\n";
  return html;
}

std::string footer(const std::string& version) {
  std::string html = "<footer>Made by giga";
  if (!version.empty()) html += joined({" ", escaped(tame(version))});
  html +=
      ". This file is complete in itself: it loads nothing and sends nothing. Charts are drawn by Vega-Lite; "
      "its licence and those of its parts are in the script at the end of the file.</footer>\n";
  html += "<div id=\"tooltip\" role=\"presentation\" hidden></div>\n";
  return html;
}

std::string script(const Json& data) {
  std::string html = "<script type=\"application/json\" id=\"report-data\">";
  html += inert_json(data);
  html += "</script>\n<script>";
  html += charts_script();
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace giga::page
