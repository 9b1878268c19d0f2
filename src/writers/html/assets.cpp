#include "writers/html/assets.h"

#include <sodium.h>
#include <nlohmann/json.hpp>

#include <array>
#include <initializer_list>

#include "base/text.h"
#include "document/charts/charts.h"
#include "document/data_url.h"
#include "embedded/writers.h"

namespace labreport {
namespace {

std::string site_file(const std::string& name) {
  return std::string(embedded::writers().at("site/" + name));
}

std::string joined_files(std::initializer_list<const char*> names) {
  std::string text;
  for (const char* name : names) text += site_file(name);
  return text;
}

std::string hash_source(std::string_view text) { return " 'sha256-" + sha256_base64(text) + "'"; }

}  // namespace

std::string dark_inks() {
  std::string rules;
  for (const std::string& line : split(site_file("dark_inks.css"), '\n')) {
    if (line.starts_with('[')) rules += line + "\n";
  }
  return rules;
}

std::string page_style() {
  std::string chart_rules;  // dark_inks(), limited to the charts inside the page
  for (const std::string& line : split(dark_inks(), '\n')) {
    if (!line.empty()) chart_rules += "  :is(.frame, .timeline, .what-fits) " + line + "\n";
  }
  return site_file("style.css") + site_file("tables.css") + site_file("charts.css") +
         "@media screen and (prefers-color-scheme: dark) {\n" + chart_rules + "}\n" +
         site_file("print.css");
}

std::string page_script() {
  return joined_files({"timeline.js", "what_fits.js", "live_charts.js", "sort.js", "copy.js",
                       "switches.js", "prices.js", "script.js"});
}

std::string compare_script() {
  return joined_files(
      {"compare_numbers.js", "compare_tables.js", "compare_summary.js", "compare.js"});
}

std::string page_icon() { return site_file("favicon.svg"); }

std::string specs_script(const Document& document, const Drawings& drawings) {
  nlohmann::json specs = nlohmann::json::object();
  for (const Figure* figure : figures_of(document)) {
    if (drawings.contains(figure->slug)) {
      const bool is_chart = figure->script_data.is_null();
      specs[figure->slug] = is_chart ? with_plot_placed_as(themed(figure->spec, ChartWidth::kWide),
                                                           drawings.at(figure->slug).wide)
                                     : figure->script_data;
    }
  }
  return "window.labreportSpecs = " + replaced(specs.dump(), "<", "\\u003c") + ";\n";
}

std::string sha256_base64(std::string_view bytes) {
  std::array<char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(digest.data()),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return base64({digest.data(), digest.size()});
}

std::string enclosed_script(std::string_view script) {
  // Only strings and regular expressions can contain these texts, and a backslash changes neither.
  return replaced(replaced(std::string(script), "</script", "<\\/script"), "<!--", "<\\!--");
}

std::string policy_for(const EnclosedAssets& enclosed) {
  std::string scripts;
  for (const std::string& script : enclosed.scripts) scripts += hash_source(script);
  return "default-src 'none'; script-src" + scripts + "; style-src" + hash_source(enclosed.style) +
         "; img-src data:; base-uri 'none'; form-action 'none'";
}

std::string without_file_links(std::string_view html) {
  constexpr std::string_view kOpening = "<a href=\"";
  constexpr std::string_view kClosing = "</a>";
  std::string page;
  for (std::size_t at = html.find(kOpening); at != std::string_view::npos;
       at = html.find(kOpening)) {
    const std::size_t target = at + kOpening.size();
    const std::size_t quote = html.find('"', target);
    const std::size_t label = html.find('>', quote) + 1;
    const std::size_t end = html.find(kClosing, label);
    const std::string_view address = html.substr(target, quote - target);
    const bool leads_to_file = !address.starts_with('#') && address.find("://") == address.npos;
    page += html.substr(0, leads_to_file ? at : end + kClosing.size());
    if (leads_to_file) page += html.substr(label, end - label);
    html.remove_prefix(end + kClosing.size());
  }
  return page.append(html);
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
    page += data_url(address, file->second);
    html.remove_prefix(address.size());
  }
  return page.append(html);
}

}  // namespace labreport
