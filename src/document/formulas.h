// Formulas as pages and Typst take them. Pandoc made the forms from TeX (site/run_pandoc.py):
// of those in sections ahead of time, of those in notes for a render.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "document/math_spans.h"

namespace labreport {

struct Formula {
  std::string mathml;  ///< The inside of a <math> element.
  std::string typst;   ///< What stands between dollars.

  bool operator==(const Formula&) const = default;
};

/// By the source with its dollars: "$x^2$". What stands here is also safe to hand to LaTeX with
/// amsmath as it was written: pandoc knows each of its commands, and none is defined in it.
using Formulas = std::map<std::string, Formula, std::less<>>;

/// Those of every section. A test renews formulas.json when a section's formulas change.
const Formulas& section_formulas();

/// A section's or else one of `more`; null for what is to be shown as code.
const Formula* find_formula(const MathSpan& span, const Formulas& more);

/// Throws `Error` for what `formulas_json` does not write.
Formulas parse_formulas(std::string_view json);
std::string formulas_json(const Formulas& formulas);

}  // namespace labreport
