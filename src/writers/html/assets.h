// What a page loads beside itself, each as one file, so that a page costs few requests.
#pragma once

#include <string>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// The sheets of site/*.css: screen, charts, paper.
std::string page_style();

/// The scripts of site/*.js.
std::string page_script();

/// Dark inks of a chart, one rule a line: a picture in a file of its own carries them inside.
std::string dark_inks();

/// Where a page's specs lie beside it.
inline constexpr const char* kSpecsPath = "charts/specs.js";

/// A script that hands over the specs of all drawn figures by their slugs: fetched with the chart
/// bundle only when a reader gets to a chart. It may stand in a script element.
std::string specs_script(const Document& document, const Drawings& drawings);

}  // namespace labreport
