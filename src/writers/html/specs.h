// What makes a page's pictures live, kept out of the page: fetched with the chart bundle only when
// a reader gets to a chart.
#pragma once

#include <string>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// Where a page's specs lie beside it.
inline constexpr const char* kSpecsPath = "charts/specs.js";

/// A script that hands over the specs of all drawn figures by their slugs. It may stand in a
/// script element.
std::string specs_script(const Document& document, const Drawings& drawings);

}  // namespace labreport
