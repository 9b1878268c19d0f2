#include <algorithm>
#include <span>

#include "base/text.h"
#include "document/charts/charts.h"
#include "writers/html/assets.h"
#include "writers/html/html.h"
#include "writers/html/pictures.h"
#include "writers/html/template.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

using Row = std::span<const Figure>;

/// Returns the figures at the beginning of `row` that have the first one's value of `key`.
Row alike(Row row, std::string Figure::* key) {
  const auto other = std::ranges::find_if(
      row, [&](const Figure& figure) { return figure.*key != row.front().*key; });
  return row.first(static_cast<std::size_t>(other - row.begin()));
}

std::string one_by_one(Row row, PageState& state, const PaperPart& paper) {
  std::string html;
  for (const Figure& figure : row) html += figure_html(figure, state, paper.has(figure));
  return html;
}

std::string picture(const std::string& svg, const std::string& path, const PageState& state) {
  return state.single ? svg : picture_element(svg, path);
}

std::string tables_html(const Part& part, const std::vector<TableView>& tables, PageState& state,
                        const PaperPart& paper) {
  std::string html;
  for (const TableView& table : tables) {
    const std::string id = state.id("table-" + part.anchor() + "-" + slug(table.slug));
    html += table_html(table, id, paper.has(table));
  }
  return html;
}

/// Writes the generated answer, the author's own words, or an empty frame for these words.
std::string answer_html(const Part& part, const PageState& state) {
  const std::string answer = part.generated_answer(state.answers);
  const bool awaited = part.awaits_answer(state.answers);
  const std::string whose = awaited ? "Your answer" : state.front.attribution();
  std::string html = fill_template(
      "answer.html",
      {{"generated", !answer.empty()},
       {"answer", markdown_to_html(answer)},
       {"calculated", part.calculated},
       {"mark", kCalculated},
       {"noted", part.note.has_value()},
       {"note", part.note ? markdown_to_html(part.note->markdown, part.note->formulas) : ""},
       {"note_mark", state.front.attribution() + "."},
       {"awaited", awaited},
       // Regions of one page must have different names.
       {"label", whose + ": " + part.lettered_title()}});
  while (html.ends_with('\n')) html.pop_back();  // hidden parts of the template leave blank lines
  return html.empty() ? html : html + "\n";
}

std::string details_html(const Part& part, PageState& state) {
  const Details& details = part.details;
  const std::string words = details.words(state.answers);
  if (details.is_empty(state.answers)) return "";
  PaperPart paper;
  paper.tables = on_paper(details);
  state.in_drawer = true;
  const std::string figures = figures_html(details.figures, state, paper);
  state.in_drawer = false;
  return fill_template("details.html", {{"title", details.title},
                                        {"method", markdown_to_html(words)},
                                        {"tables", tables_html(part, details.tables, state, paper)},
                                        {"figures", figures},
                                        {"warned", !details.warnings.empty()},
                                        {"warnings", text_list(details.warnings)}});
}

}  // namespace

std::string PageState::id(const std::string& wanted) {
  std::string free = wanted;
  for (int next = 2; !ids.insert(free).second; ++next) free = wanted + "-" + std::to_string(next);
  return free;
}

std::string PageState::next_figure() {
  return in_drawer ? "A" + std::to_string(++more_figures) : std::to_string(++figures);
}

std::string figure_html(const Figure& figure, PageState& state, bool on_paper) {
  const auto drawing = state.drawings.find(figure.slug);
  const bool drawn = drawing != state.drawings.end();
  const bool tabled = !figure.table.columns.empty();
  const std::string id = state.id("figure-" + slug(figure.slug));
  TemplateObject values = {
      {"id", id},
      {"number", state.next_figure()},
      {"title", figure.title},
      {"caption", markdown_to_html(figure.caption)},
      {"offers", !figure.page_caption.empty()},
      {"in_page", markdown_to_html(figure.page_caption)},
      {"alt", figure.alt},
      {"spec", figure.slug},
      {"drawn", drawn},
      {"live", !figure.script_data.is_null()},
      {"screen", !on_paper},
      {"wide", drawn ? picture(drawing->second.wide, chart_path(figure), state) : ""},
      {"narrow", drawn ? picture(drawing->second.narrow, narrow_chart_path(figure), state) : ""},
      {"tabled", tabled},
      {"table", tabled ? table_html(figure.table, state.id(id + "-data")) : ""}};
  return fill_template("figure.html", values);
}

std::string figures_html(const std::vector<Figure>& figures, PageState& state,
                         const PaperPart& paper) {
  std::string html;
  for (Row rest = figures; !rest.empty();) {
    const Row family = alike(rest, &Figure::family);
    rest = rest.subspan(family.size());
    const bool varies =
        !family.front().family.empty() && alike(family, &Figure::variant).size() < family.size();
    if (!varies) {
      html += one_by_one(family, state, paper);
      continue;
    }
    TemplateList variants;
    for (Row others = family; !others.empty();) {
      const Row variant = alike(others, &Figure::variant);
      variants.push_back(TemplateObject{{"variant", variant.front().variant},
                                        {"figures", one_by_one(variant, state, paper)}});
      others = others.subspan(variant.size());
    }
    html +=
        fill_template("variants.html", {{"family", family.front().family}, {"variants", variants}});
  }
  return html;
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
