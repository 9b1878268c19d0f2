// The assets of a page. A page of the site loads each as one file, so that it costs few requests. A
// page that is one file, to be mailed, contains them: it fetches nothing and has no links to files
// that are not there.
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

/// The favicon, an SVG, and its path in the site.
std::string page_icon();
inline constexpr const char* kIconPath = "assets/favicon.svg";

/// Dark inks of a chart, one rule a line; a picture in a separate file contains them.
std::string dark_inks();

/// The path of a page's specs, relative to it.
inline constexpr const char* kSpecsPath = "charts/specs.js";

/// A script that hands over the specs of all drawn figures by their slugs: it is fetched with the
/// chart bundle only when a reader reaches a chart. It may be put in a script element.
std::string specs_script(const Document& document, const Drawings& drawings);

/// Assets that are inside the page instead of being fetched.
struct Enclosed {
  std::string style;
  std::vector<std::string> scripts;  ///< In the order of execution.
};

/// The SHA-256 of the bytes in Base64, as a content security policy lists it.
std::string sha256_base64(std::string_view bytes);

/// `script` in a form that cannot end the element around it.
std::string enclosed_script(std::string_view script);

/// A content security policy that trusts these very texts and nothing else.
std::string policy_for(const Enclosed& enclosed);

/// Removes links to files beside the page and keeps their words.
std::string without_file_links(std::string_view html);

/// Replaces the address of each picture among `files` by the picture. It cannot run scripts there:
/// only `<img>` shows it.
std::string with_pictures_inside(std::string_view html,
                                 const std::map<std::string, std::string>& files);

}  // namespace labreport
