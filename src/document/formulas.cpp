#include "document/formulas.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "embedded/document.h"

namespace labreport {

Formulas parse_formulas(std::string_view json) {
  try {
    Formulas formulas;
    const nlohmann::json all = nlohmann::json::parse(json);
    for (const auto& [source, forms] : all.items()) {
      formulas[source] = {forms.at("mathml"), forms.at("typst")};
    }
    return formulas;
  } catch (const nlohmann::json::exception&) {
    throw Error("the formulas' forms cannot be read");
  }
}

std::string formulas_json(const Formulas& formulas) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [source, forms] : formulas) {
    json[source] = {{"mathml", forms.mathml}, {"typst", forms.typst}};
  }
  return json.dump(1) + "\n";
}

const Formulas& section_formulas() {
  static const Formulas formulas =
      parse_formulas(embedded::document().at("src/document/formulas.json"));
  return formulas;
}

const Formula* find_formula(const MathSpan& span, const Formulas& more) {
  const std::string source = span.source();
  for (const Formulas* formulas : {&section_formulas(), &more}) {
    const auto found = formulas->find(source);
    if (found != formulas->end()) return &found->second;
  }
  return nullptr;
}

}  // namespace labreport
