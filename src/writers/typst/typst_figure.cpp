#include <algorithm>

#include "base/text.h"
#include "writers/html/pictures.h"
#include "writers/markdown/markdown.h"
#include "writers/typst/typst_parts.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

// In centimetres; both papers leave a column of text of about this width.
constexpr double kColumn = 17;
constexpr double kHalfColumn = 8.2;
constexpr double kHighest = 7.4;
constexpr double kHighestAlone = 10;
constexpr double kUsualShare = 0.68;  // of the column, for a figure by itself

std::string caption(const Figure& figure, const TypstSource& source) {
  const std::string description =
      figure.caption.empty() ? "" : " " + typst_line(figure.caption, source);
  return "[#strong[" + typst_text(figure.title) + "\\.]" + description + "]";
}

std::string percent(double share) { return std::to_string(static_cast<int>(share * 100)) + "%"; }

/// Of `width` in centimetres, so that the picture is not higher than `highest`.
double share_of(double width, double usual, double highest, std::string_view svg) {
  const double aspect = height_over_width(svg).value_or(0.5);
  return aspect <= 0 ? usual : std::clamp(highest / (width * aspect), 0.3, usual);
}

std::string drawn(const Figure& figure, const std::string& path, double share,
                  const std::string& more, const TypstSource& source) {
  return "#figure(\n  image(" + typst_string(source.options.run + path) +
         ", width: " + percent(share) + ", alt: " + typst_string(figure.alt) +
         "),\n  kind: image,\n" + more + "  caption: " + caption(figure, source) + ",\n)" +
         typst_label("figure-" + slug(figure.slug));
}

std::string alone(const Figure& figure, const TypstSource& source) {
  const auto drawing = source.drawings.find(figure.slug);
  if (drawing == source.drawings.end()) {
    return figure.data.columns.empty()
               ? ""
               : "#block" + caption(figure, source) + "\n\n" + typst_table(figure.data);
  }
  const double share = share_of(kColumn, kUsualShare, kHighestAlone, drawing->second.wide);
  return drawn(figure, chart_path(figure), share, "", source) + "\n\n";
}

/// In a pair figures stand in their narrow form, whose letters stay as large.
std::string half(const Figure& figure, const TypstSource& source) {
  const double share = share_of(kHalfColumn, 1, kHighest, source.drawings.at(figure.slug).narrow);
  return "[" + drawn(figure, narrow_chart_path(figure), share, "  placement: none,\n", source) +
         "]";
}

}  // namespace

std::string typst_figures(const std::vector<const Figure*>& figures, const TypstSource& source,
                          const TableView* beside) {
  const auto is_drawn = [&](std::size_t i) {
    return i < figures.size() && source.drawings.contains(figures[i]->slug);
  };
  std::string text;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (source.whole && is_drawn(i) && is_drawn(i + 1)) {
      text += "#pair(\n" + half(*figures[i], source) + ",\n" + half(*figures[i + 1], source) +
              ",\n)\n\n";
      ++i;
    } else if (beside != nullptr && is_drawn(i) && i + 1 == figures.size()) {
      text += "#pair(\n" + half(*figures[i], source) + ",\n[" +
              typst_table(*beside, TableWidth::kHalf) + "],\n)\n\n";
    } else {
      text += alone(*figures[i], source);
    }
  }
  return text;
}

}  // namespace labreport
