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

std::string tables_html(const Part& part, const std::vector<TableView>& tables, PageState& state,
                        const PaperPart& paper) {
  std::string html;
  for (const TableView& table : tables) {
    const std::string id = state.id("table-" + part.anchor() + "-" + slug(table.slug));
    html += table_html(table, id, paper.has(table));
  }
  return html;
}

/// What stands as the answer: the generated one, the author's own words, or room for them.
std::string answer_html(const Part& part, const PageState& state) {
  const std::string answer = part.generated_answer(state.answers);
  const bool facts = state.answers == Answers::kFacts;
  const bool awaited = part.awaits_answer(state.answers);
  const std::string whose = awaited ? "Your answer" : state.front.own_words();
  std::string html = fill_template(
      "answer.html",
      {{"generated", !answer.empty()},
       {"answer", facts ? facts_html(answer) : markdown_to_html(answer)},
       {"compares", state.compares},
       {"noted", part.note.has_value()},
       {"note", part.note ? markdown_to_html(part.note->markdown, part.note->formulas) : ""},
       {"note_mark", state.front.own_words() + "."},
       {"awaited", awaited},
       // Regions of one page have names of their own.
       {"label", whose + ": " + part.lettered_title()}});
  while (html.ends_with('\n')) html.pop_back();  // what sections that are not shown leave
  return html.empty() ? html : html + "\n";
}

std::string details_html(const Part& part, PageState& state) {
  const Details& details = part.details;
  const std::string words = details.words(state.answers);
  if (details.is_empty(state.answers)) return "";
  PaperPart paper;
  paper.tables = on_paper(details);
  return fill_template("details.html", {{"method", markdown_to_html(words)},
                                        {"tables", tables_html(part, details.tables, state, paper)},
                                        {"figures", figures_html(details.figures, state, paper)},
                                        {"warned", !details.warnings.empty()},
                                        {"warnings", text_list(details.warnings)}});
}

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

std::string part_html(const Part& part, PageState& state) {
  const PaperPart paper = on_paper(part);
  return fill_template("part.html", {{"anchor", part.anchor()},
                                     {"lettered", !part.letter.empty()},
                                     {"letter", part.letter},
                                     {"titled", !part.title.empty()},
                                     {"title", part.title},
                                     {"set", !part.setting.empty()},
                                     {"setting", part.setting},
                                     {"asked", !part.question.empty()},
                                     {"question", markdown_to_html(part.question)},
                                     {"answer", answer_html(part, state)},
                                     {"figures", figures_html(part.figures, state, paper)},
                                     {"tables", tables_html(part, part.tables, state, paper)},
                                     {"leaves", !paper.left.empty()},
                                     {"left", join(paper.left, "; ")},
                                     {"details", details_html(part, state)}});
}

}  // namespace labreport
