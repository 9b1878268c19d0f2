#include "writers/html/template.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/error.h"
#include "document/markdown_tree.h"
#include "embedded/writers.h"
#include "writers/visible_text.h"

namespace labreport {
namespace {

namespace mustache = kainjow::mustache;

class StrictContext : public mustache::context<std::string> {
 public:
  StrictContext(const mustache::data* values, std::string_view template_name)
      : context(values), template_name_(template_name) {}

  const mustache::data* get(const std::string& name) const override {
    const mustache::data* value = context::get(name);
    if (value == nullptr) {
      throw Error("template " + std::string(template_name_) + ": nothing is called '" + name + "'");
    }
    return value;
  }

 private:
  std::string_view template_name_;
};

/// Parses each template once and keeps it. Not thread-safe: one thread writes all pages.
mustache::mustache& parsed_template(std::string_view name) {
  static std::map<std::string, std::unique_ptr<mustache::mustache>, std::less<>> cache;
  const auto found = cache.find(name);
  if (found != cache.end()) return *found->second;
  const std::string path = "templates/" + std::string(name);
  auto compiled = std::make_unique<mustache::mustache>(std::string(embedded::writers().at(path)));
  if (!compiled->is_valid()) throw Error(path + ": " + compiled->error_message());
  return *cache.emplace(name, std::move(compiled)).first->second;
}

/// Keeps each flag of a command, "--sizes", on one line.
std::string with_whole_flags(std::string_view html) {
  constexpr std::string_view kOpening = "<code>", kClosing = "</code>", kFlag = " --";
  std::string result;
  for (std::size_t code = html.find(kOpening); code != html.npos; code = html.find(kOpening)) {
    const std::size_t end = std::min(html.find(kClosing, code), html.size());
    result += html.substr(0, code);
    for (std::size_t flag = html.find(kFlag, code); flag < end; flag = html.find(kFlag, code)) {
      const std::size_t flag_end = html.find_first_of(" \n<", flag + 1);
      result += html.substr(code, flag + 1 - code);
      result += "<span class=\"whole\">";
      result += html.substr(flag + 1, flag_end - flag - 1);
      result += "</span>";
      code = flag_end;
    }
    result += html.substr(code, end - code);
    html.remove_prefix(end);
  }
  return result.append(html);
}

}  // namespace

std::string fill_template(std::string_view name, const TemplateObject& values) {
  const mustache::data data(values);
  StrictContext context(&data, name);
  return parsed_template(name).render(context);
}

TemplateList text_list(const std::vector<std::string>& texts) {
  TemplateList list;
  for (const std::string& text : texts) list.push_back(TemplateObject{{"text", text}});
  return list;
}

std::string escape_html(const std::string& text) { return mustache::html_escape(text); }

std::string markdown_to_html(std::string_view markdown, const Formulas& formulas) {
  const ParsedMarkdown parsed = parse_markdown(markdown);
  const std::unique_ptr<char, decltype(&std::free)> raw_html(
      cmark_render_html(parsed.tree.get(), CMARK_OPT_DEFAULT, nullptr), &std::free);
  // In text a quote is &quot;, so this is the title by which `parse_markdown` keeps a width.
  const std::string sized =
      with_whole_flags(replaced(raw_html.get(), " title=\"width=", " width=\""));
  std::string html;
  for (const CutPiece& piece : split_at_marks(sized, parsed.spans)) {
    if (piece.span == nullptr) {
      html += keep_numbers_whole(piece.text);
      continue;
    }
    const std::string tex = escape_html(piece.span->tex);
    const Formula* formula = find_formula(*piece.span, formulas);
    // A formula wider than a phone scrolls, so a keyboard must be able to reach it.
    const std::string display = piece.span->is_display ? "block\" tabindex=\"0" : "inline";
    html += formula == nullptr ? "<code>" + tex + "</code>"
                               : "<math display=\"" + display + "\" alttext=\"" + tex + "\">" +
                                     formula->mathml + "</math>";
  }
  return html;
}

}  // namespace labreport
