#include "base/text.h"
#include "writers/html/html_parts.h"
#include "writers/html/template.h"

namespace labreport {
namespace {

std::string tables_html(const Part& part, const std::vector<TableView>& tables, PageState& state,
                        const PaperPart& paper) {
  std::string html;
  for (const TableView& table : tables) {
    const std::string id = state.id("table-" + part.anchor() + "-" + slug(table.slug));
    html += table_html(table, id, paper.has(table));
  }
  return html;
}

TemplateList text_list(const std::vector<std::string>& texts) {
  TemplateList list;
  for (const std::string& text : texts) list.push_back(TemplateObject{{"text", text}});
  return list;
}

std::string details_html(const Part& part, PageState& state) {
  const Details& details = part.details;
  const std::string words = details.words(state.answers);
  const bool empty = words.empty() && details.tables.empty() && details.figures.empty() &&
                     details.warnings.empty();
  if (empty) return "";
  PaperPart paper;
  paper.tables = on_paper(details);
  return fill_template("details.html", {{"method", markdown_to_html(words)},
                                        {"tables", tables_html(part, details.tables, state, paper)},
                                        {"figures", figures_html(details.figures, state, paper)},
                                        {"warned", !details.warnings.empty()},
                                        {"warnings", text_list(details.warnings)}});
}

}  // namespace

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
