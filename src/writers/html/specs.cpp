#include "writers/html/specs.h"

#include <nlohmann/json.hpp>

#include "document/charts/charts.h"

namespace labreport {

std::string specs_script(const Document& document, const Drawings& drawings) {
  nlohmann::json specs = nlohmann::json::object();
  for (const Figure* figure : figures_of(document)) {
    if (drawings.contains(figure->slug)) {
      const bool charted = figure->live.is_null();
      specs[figure->slug] = charted ? themed(figure->spec, ChartWidth::kWide) : figure->live;
    }
  }
  std::string script = "window.labreportSpecs = ";
  for (const char letter : specs.dump()) {
    letter == '<' ? script.append("\\u003c") : script.append(1, letter);
  }
  return script + ";\n";
}

}  // namespace labreport
