// What a page loads beside itself, each as one file, so that a page costs few requests; or what it
// holds instead, where it is one file that can be mailed: it fetches nothing and leads nowhere that
// is not there.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// The sheets of site/*.css: screen, charts, paper.
std::string page_style();

/// The scripts of site/*.js that every page loads.
std::string page_script();

/// The script of kComparePage.
std::string compare_script();

/// The sign that browsers show beside a page's title, an SVG, and where it lies in the site.
std::string page_icon();
inline constexpr const char* kIconPath = "assets/favicon.svg";

/// Dark inks of a chart, one rule a line: a picture in a file of its own carries them inside.
std::string dark_inks();

/// Where a page's specs lie beside it.
inline constexpr const char* kSpecsPath = "charts/specs.js";

/// A script that hands over the specs of all drawn figures by their slugs: fetched with the chart
/// bundle only when a reader gets to a chart. It may stand in a script element.
std::string specs_script(const Document& document, const Drawings& drawings);

/// What stands in the page instead of being fetched.
struct Enclosed {
  std::string style;
  std::vector<std::string> scripts;  ///< In the order in which they run.
};

/// The SHA-256 of the bytes in Base64: as a content security policy names what it trusts.
std::string sha256_base64(std::string_view bytes);

/// `script` in a form that cannot end the element around it.
std::string enclosed_script(std::string_view script);

/// A content security policy that trusts these very texts and nothing else.
std::string policy_for(const Enclosed& enclosed);

/// The page without links to files beside it: their words stay.
std::string without_file_links(std::string_view html);

/// The page with each picture that is among `files`, by its address, in place of that address.
/// A picture cannot act there either: only `<img>` shows it.
std::string with_pictures_inside(std::string_view html,
                                 const std::map<std::string, std::string>& files);

}  // namespace labreport
