#include "writers/html/assets.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "document/charts/charts.h"
#include "embedded/writers.h"

namespace labreport {
namespace {

std::string file(const std::string& name) {
  return std::string(embedded::writers().at("site/" + name));
}

/// The same rules for charts that stand in the page itself.
std::string dark_frames() {
  std::string rules = "@media screen and (prefers-color-scheme: dark) {\n";
  for (const std::string& line : split(dark_inks(), '\n')) {
    if (!line.empty()) rules += "  :is(.frame, .timeline, .what-fits) " + line + "\n";
  }
  return rules + "}\n";
}

}  // namespace

std::string dark_inks() {
  std::string rules;
  for (const std::string& line : split(file("dark_inks.css"), '\n')) {
    if (line.starts_with('[')) rules += line + "\n";
  }
  return rules;
}

std::string page_style() {
  return file("style.css") + file("tables.css") + file("charts.css") + dark_frames() +
         file("print.css");
}

std::string page_script() {
  std::string script;
  for (const char* name : {"timeline.js", "what_fits.js", "live_charts.js", "sort.js", "copy.js",
                           "switches.js", "script.js"}) {
    script += file(name);
  }
  return script;
}

std::string specs_script(const Document& document, const Drawings& drawings) {
  nlohmann::json specs = nlohmann::json::object();
  for (const Figure* figure : figures_of(document)) {
    if (drawings.contains(figure->slug)) {
      const bool charted = figure->live.is_null();
      specs[figure->slug] = charted ? themed(figure->spec, ChartWidth::kWide) : figure->live;
    }
  }
  return "window.labreportSpecs = " + replaced(specs.dump(), "<", "\\u003c") + ";\n";
}

}  // namespace labreport
