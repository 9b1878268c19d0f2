#include <algorithm>

#include "base/format.h"
#include "writers/html/pictures.h"
#include "writers/typst/typst_parts.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

// In centimetres: half a column of either paper, where letters of the narrow drawing have 7 pt or
// more, and no more than a page.
constexpr double kHalfColumn = 8.2;
constexpr double kHighest = 20;

std::string caption(const Figure& figure, const TypstSource& source) {
  const std::string description =
      figure.caption.empty() ? "" : " " + typst_line(figure.caption, source);
  return "[#strong[" + typst_text(figure.title) + "\\.]" + description + "]";
}

bool is_drawn(const Figure& figure, const TypstSource& source) {
  return source.drawings.contains(figure.slug);
}

}  // namespace

std::string typst_figure(const Figure& figure, const TypstSource& source) {
  if (!is_drawn(figure, source)) {
    if (figure.data.columns.empty()) return "";
    return "#block" + caption(figure, source) + "\n\n" + typst_table(figure.data);
  }
  const double aspect = height_over_width(source.drawings.at(figure.slug).narrow).value_or(0.5);
  const double width = aspect > 0 ? std::min(kHalfColumn, kHighest / aspect) : kHalfColumn;
  return "#figure(\n  image(" + typst_string(source.options.run + narrow_chart_path(figure)) +
         ", width: " + format_fixed(width, 1) + "cm, alt: " + typst_string(figure.alt) +
         "),\n  kind: image,\n  caption: " + caption(figure, source) + ",\n)" +
         typst_label("figure-" + slug(figure.slug)) + "\n\n";
}

std::string typst_pair(const std::string& left, const std::string& right) {
  return "#pair[\n" + left + "][\n" + right + "]\n\n";
}

std::string typst_figures(std::span<const Figure* const> figures, const TypstSource& source,
                          const TableView* beside) {
  std::string text;
  while (!figures.empty()) {
    const std::string drawn = typst_figure(*figures.front(), source);
    const bool paired = source.whole && is_drawn(*figures.front(), source);
    const bool last = figures.size() == 1;
    if (paired && !last && is_drawn(*figures[1], source)) {
      text += typst_pair(drawn, typst_figure(*figures[1], source));
      figures = figures.subspan(1);
    } else if (paired && last && beside != nullptr) {
      text += typst_pair(drawn, typst_table(*beside, TableWidth::kHalf));
    } else {
      text += drawn;
    }
    figures = figures.subspan(1);
  }
  return text;
}

}  // namespace labreport
