#include "writers/html/single_file.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace labreport {
namespace {

const unsigned char* unsigned_bytes(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// With padding (RFC 4648, section 4): as a data address holds a file.
std::string base64(std::string_view bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), unsigned_bytes(bytes), bytes.size(), kVariant);
  text.pop_back();  // the library ends it as C does
  return text;
}

std::string hash_source(std::string_view text) { return " 'sha256-" + sha256_base64(text) + "'"; }

bool leads_somewhere(std::string_view target) {
  return target.starts_with('#') || target.find("://") != std::string_view::npos;
}

std::string media_type(std::string_view name) {
  const std::string_view kind = name.substr(std::min(name.rfind('.'), name.size()));
  if (kind == ".svg") return "image/svg+xml";
  return kind == ".jpg" ? "image/jpeg" : "image/" + std::string(kind.substr(kind.empty() ? 0 : 1));
}

}  // namespace

std::string sha256_base64(std::string_view bytes) {
  std::array<char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(digest.data()), unsigned_bytes(bytes),
                     bytes.size());
  return base64({digest.data(), digest.size()});
}

std::string enclosed_script(std::string_view script) {
  // Only texts and patterns of a script can hold these; there, the backslash changes nothing.
  return replaced(replaced(std::string(script), "</script", "<\\/script"), "<!--", "<\\!--");
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

std::string with_pictures_inside(std::string_view html,
                                 const std::map<std::string, std::string>& files) {
  constexpr std::string_view kOpening = "<img src=\"";
  std::string page;
  for (std::size_t at = html.find(kOpening); at != std::string_view::npos;
       at = html.find(kOpening)) {
    page += html.substr(0, at + kOpening.size());
    html.remove_prefix(at + kOpening.size());
    const std::string address(html.substr(0, html.find('"')));
    const auto file = files.find(address);
    if (file == files.end()) continue;
    page += "data:" + media_type(address) + ";base64," + base64(file->second);
    html.remove_prefix(address.size());
  }
  return page.append(html);
}

}  // namespace labreport
