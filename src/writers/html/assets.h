// The style, scripts and pictures of a page. A page of the site loads them from files. A page that
// is one file, to be mailed, contains them and has no links to files beside it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// Returns the style sheets of site/*.css in one text.
std::string page_style();

/// Returns the scripts of site/*.js that every page loads, in one text.
std::string page_script();

/// Returns the script of the page on which a reader compares GPUs (`kCompareFile`).
std::string compare_script();

/// Returns the favicon, an SVG with the path `kIconPath` in the site.
std::string page_icon();
inline constexpr const char* kIconPath = "assets/favicon.svg";

/// Returns the CSS rules that give a chart its colors on a dark screen, one rule on each line.
std::string dark_inks();

/// The script that `specs_script` returns has this path relative to its page.
inline constexpr const char* kSpecsPath = "charts/specs.js";

/// Returns a script that sets `labreportSpecs` to the specs of all drawn figures by their slugs. A
/// page fetches it only when a reader reaches a chart. It contains no `</script>`.
std::string specs_script(const Document& document, const Drawings& drawings);

/// Assets that a page of one file contains.
struct EnclosedAssets {
  std::string style;
  std::vector<std::string> scripts;  ///< In the order of execution.
};

/// Returns the SHA-256 of the bytes in Base64, as a content security policy lists it.
std::string sha256_base64(std::string_view bytes);

/// Returns the script in a form that cannot end the element around it.
std::string enclosed_script(std::string_view script);

/// Returns a content security policy that allows only the enclosed texts, by hash, and data URLs of
/// pictures.
std::string policy_for(const EnclosedAssets& enclosed);

/// Removes links to files beside the page and keeps their words.
std::string without_file_links(std::string_view html);

/// Replaces the address of each `<img>` that names one of `files` by a data URL with its bytes. An
/// SVG in an `<img>` cannot run scripts.
std::string with_pictures_inside(std::string_view html,
                                 const std::map<std::string, std::string>& files);

}  // namespace labreport
