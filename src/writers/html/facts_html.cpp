#include <algorithm>

#include "base/text.h"
#include "writers/html/html_parts.h"
#include "writers/html/template.h"

namespace labreport {
namespace {

/// One line of Markdown, without the paragraph that it would be on its own.
std::string inline_html(std::string_view markdown) {
  constexpr std::string_view kOpen = "<p>";
  constexpr std::string_view kClose = "</p>\n";
  std::string html = markdown_to_html(markdown);
  if (html.starts_with(kOpen) && html.ends_with(kClose)) {
    html = html.substr(kOpen.size(), html.size() - kOpen.size() - kClose.size());
  }
  return html;
}

/// Values between semicolons; those in a code span are text.
std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> values(1);
  bool code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') code = !code;
    if (!code && text.substr(i).starts_with("; ")) {
      values.emplace_back();
      ++i;
    } else {
      values.back().push_back(text[i]);
    }
  }
  return values;
}

std::string fact_html(std::string_view fact) {
  const std::size_t colon = fact.find(": ");
  std::string html = "<div><dt>" + inline_html(fact.substr(0, colon)) + "</dt>";
  for (const std::string& value : values_of(fact.substr(colon + 2))) {
    html += "<dd>" + inline_html(value) + "</dd>";
  }
  return html + "</div>\n";
}

constexpr std::string_view kItem = "- ";

}  // namespace

std::string facts_html(std::string_view markdown) {
  const std::vector<std::string> lines = split(markdown, '\n');
  const bool listed = std::ranges::all_of(lines, [](const std::string& line) {
    return line.empty() || (line.starts_with(kItem) && line.find(": ") != std::string::npos);
  });
  if (!listed) return markdown_to_html(markdown);
  std::string html;
  for (const std::string& line : lines) {
    if (!line.empty()) html += fact_html(std::string_view(line).substr(kItem.size()));
  }
  return html.empty() ? "" : "<dl class=\"facts\">\n" + html + "</dl>\n";
}

}  // namespace labreport
