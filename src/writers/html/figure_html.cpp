#include <algorithm>
#include <span>

#include "base/text.h"
#include "document/charts/charts.h"
#include "writers/html/assets.h"
#include "writers/html/html_parts.h"
#include "writers/html/pictures.h"
#include "writers/html/template.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

using Row = std::span<const Figure>;

/// The first figures of `row` for which `key` stays the same.
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

std::string family_html(Row family, PageState& state, const PaperPart& paper) {
  TemplateList variants;
  for (Row rest = family; !rest.empty();) {
    const Row variant = alike(rest, &Figure::variant);
    variants.push_back(TemplateObject{{"variant", variant.front().variant},
                                      {"figures", one_by_one(variant, state, paper)}});
    rest = rest.subspan(variant.size());
  }
  return fill_template("variants.html",
                       {{"family", family.front().family}, {"variants", variants}});
}

bool varies(Row family) {
  return !family.front().family.empty() && alike(family, &Figure::variant).size() < family.size();
}

std::string picture(const std::string& svg, const std::string& path, const PageState& state) {
  return state.single ? svg : picture_element(svg, path);
}

}  // namespace

std::string PageState::id(const std::string& wanted) {
  std::string free = wanted;
  for (int next = 2; !ids.insert(free).second; ++next) free = wanted + "-" + std::to_string(next);
  return free;
}

std::string figure_html(const Figure& figure, PageState& state, bool on_paper) {
  const auto drawing = state.drawings.find(figure.slug);
  const bool drawn = drawing != state.drawings.end();
  const bool tabled = !figure.data.columns.empty();
  const std::string id = state.id("figure-" + slug(figure.slug));
  TemplateObject values = {
      {"id", id},
      {"number", std::to_string(++state.figures)},
      {"title", figure.title},
      {"caption", markdown_to_html(figure.caption)},
      {"offers", !figure.in_page.empty()},
      {"in_page", markdown_to_html(figure.in_page)},
      {"alt", figure.alt},
      {"spec", figure.slug},
      {"drawn", drawn},
      {"live", !figure.live.is_null()},
      {"screen", !on_paper},
      {"wide", drawn ? picture(drawing->second.wide, chart_path(figure), state) : ""},
      {"narrow", drawn ? picture(drawing->second.narrow, narrow_chart_path(figure), state) : ""},
      {"tabled", tabled},
      {"table", tabled ? table_html(figure.data, state.id(id + "-data")) : ""}};
  return fill_template("figure.html", values);
}

std::string figures_html(const std::vector<Figure>& figures, PageState& state,
                         const PaperPart& paper) {
  std::string html;
  for (Row rest = figures; !rest.empty();) {
    const Row family = alike(rest, &Figure::family);
    html += varies(family) ? family_html(family, state, paper) : one_by_one(family, state, paper);
    rest = rest.subspan(family.size());
  }
  return html;
}

}  // namespace labreport
