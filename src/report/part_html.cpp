#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/charts.h"
#include "report/html_parts.h"
#include "report/template.h"

namespace labreport {
namespace {

/// JSON that is safe inside a script element.
std::string inline_json(const nlohmann::json& json) {
  std::string safe;
  for (const char letter : json.dump()) {
    letter == '<' ? safe.append("\\u003c") : safe.append(1, letter);
  }
  return safe;
}

std::string tables_html(const std::vector<TableView>& tables) {
  std::string html;
  for (const TableView& table : tables) html += table_html(table);
  return html;
}

std::string figures_html(const std::vector<Figure>& figures, PageState& state) {
  std::string html;
  for (const Figure& figure : figures) html += figure_html(figure, state);
  return html;
}

TemplateList text_list(const std::vector<std::string>& texts) {
  TemplateList list;
  for (const std::string& text : texts) list.push_back(TemplateObject{{"text", text}});
  return list;
}

std::string drawer_html(const Part& part, PageState& state) {
  const Drawer& drawer = part.drawer;
  const std::string words = drawer.words(state.answers);
  const bool empty =
      words.empty() && drawer.tables.empty() && drawer.figures.empty() && drawer.warnings.empty();
  if (empty) return "";
  return fill_template("drawer.html", {{"method", markdown_to_html(words)},
                                       {"tables", tables_html(drawer.tables)},
                                       {"figures", figures_html(drawer.figures, state)},
                                       {"warned", !drawer.warnings.empty()},
                                       {"warnings", text_list(drawer.warnings)}});
}

}  // namespace

std::string figure_html(const Figure& figure, PageState& state) {
  const auto drawing = state.drawings.find(figure.slug);
  const bool drawn = drawing != state.drawings.end();
  return fill_template(
      "figure.html",
      {{"slug", slug(figure.slug)},
       {"number", std::to_string(++state.figures)},
       {"title", figure.title},
       {"caption", markdown_to_html(figure.caption)},
       {"alt", figure.alt},
       {"drawn", drawn},
       {"wide", drawn ? drawing->second.wide : ""},
       {"narrow", drawn ? drawing->second.narrow : ""},
       {"spec", inline_json(themed(figure.spec, ChartWidth::kWide))},
       {"tabled", !figure.data.columns.empty()},
       {"table", figure.data.columns.empty() ? std::string() : table_html(figure.data)}});
}

std::string part_html(const Part& part, PageState& state) {
  return fill_template("part.html", {{"anchor", part.anchor()},
                                     {"lettered", !part.letter.empty()},
                                     {"letter", part.letter},
                                     {"title", part.title},
                                     {"set", !part.setting.empty()},
                                     {"setting", part.setting},
                                     {"asked", !part.question.empty()},
                                     {"question", markdown_to_html(part.question)},
                                     {"answer", answer_html(part, state)},
                                     {"figures", figures_html(part.figures, state)},
                                     {"tables", tables_html(part.tables)},
                                     {"drawer", drawer_html(part, state)}});
}

}  // namespace labreport
