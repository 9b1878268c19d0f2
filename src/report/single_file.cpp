#include "report/single_file.h"

#include <algorithm>

#include "base/digest.h"

namespace labreport {
namespace {

std::string hash_source(std::string_view text) { return " 'sha256-" + sha256_base64(text) + "'"; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

bool leads_somewhere(std::string_view target) {
  return target.starts_with('#') || target.find("://") != std::string_view::npos;
}

}  // namespace

std::string enclosed_script(std::string_view script) {
  std::string safe(script);
  // Only texts and patterns of a script can hold these; there, the backslash changes nothing.
  replace_all(safe, "</script", "<\\/script");
  replace_all(safe, "<!--", "<\\!--");
  return safe;
}

std::string policy_for(const Enclosed& enclosed) {
  std::string scripts;
  for (const std::string& script : enclosed.scripts) scripts += hash_source(script);
  return "default-src 'none'; script-src" + scripts + "; style-src" + hash_source(enclosed.style) +
         "; img-src data:; base-uri 'none'; form-action 'none'";
}

std::string without_file_links(std::string_view html) {
  constexpr std::string_view kOpening = "<a href=\"";
  constexpr std::string_view kClosing = "</a>";
  std::string kept;
  for (std::size_t at = html.find(kOpening); at != std::string_view::npos;
       at = html.find(kOpening)) {
    const std::size_t target = at + kOpening.size();
    const std::size_t quote = html.find('"', target);
    const std::size_t words = html.find('>', quote) + 1;
    const std::size_t end = html.find(kClosing, words);
    const bool kept_whole = leads_somewhere(html.substr(target, quote - target));
    kept += html.substr(0, kept_whole ? end + kClosing.size() : at);
    if (!kept_whole) kept += html.substr(words, end - words);
    html.remove_prefix(end + kClosing.size());
  }
  return kept.append(html);
}

}  // namespace labreport
