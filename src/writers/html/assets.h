// What every page loads, each as one file, so that a page costs few requests.
#pragma once

#include <string>

namespace labreport {

/// The sheets of site/*.css: screen, charts, paper.
std::string page_style();

/// The scripts of site/*.js.
std::string page_script();

/// Dark inks of a chart, one rule a line: a picture in a file of its own carries them inside.
std::string dark_inks();

}  // namespace labreport
