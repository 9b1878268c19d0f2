#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "writers/html/pictures.h"
#include "writers/paper_choice.h"
#include "writers/typst/typst_source.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

constexpr double kMostWidthCm = 7.7;  // A figure fits one of two columns.
constexpr double kMostHeightCm = 20;  // A figure fits a page.

std::string caption(const Figure& figure, const TypstSource& source) {
  const std::string description =
      figure.caption.empty() ? "" : " " + typst_line(figure.caption, source);
  return "[#strong[" + typst_text(figure.title) + "\\.]" + description + "]";
}

bool is_drawn(const Figure& figure, const TypstSource& source) {
  return source.drawings.contains(figure.slug);
}

/// Draws a line left of the blocks and writes the mark, if any, at the end of their last line.
std::string framed(std::string blocks, const std::string& mark, const std::string& stroke,
                   const std::string& breakable) {
  while (blocks.ends_with('\n')) blocks.pop_back();
  if (!mark.empty()) {
    blocks += " #h(1fr)#box[#text(size: 0.85em, style: \"italic\", fill: luma(90))[" +
              typst_text(mark) + "]]";
  }
  return "#block(stroke: (left: " + stroke +
         "), inset: (left: 0.9em, y: 0.2em), spacing: 0.9em, breakable: " + breakable + ")[\n" +
         blocks + "\n]\n\n";
}

/// The author writes an answer into this empty frame, by hand or in the source.
constexpr std::string_view kRoomForAnswer =
    "#block(stroke: (left: 1.5pt + rgb(\"#1f5fa8\")), inset: (left: 0.9em), height: 7em, "
    "breakable: false)[\n"
    "#text(size: 0.85em, style: \"italic\", fill: luma(90))[Your answer]\n]\n\n";

/// Names the figures and tables that are not printed in the part, and their places.
std::string unprinted_text(const Part& part, const PaperPart& paper) {
  std::string text;
  for (std::size_t i = 0; i < paper.appendix_tables.size(); ++i) {
    const std::string label = typst_label(appendix_label(part, i));
    const std::string title = typst_text(paper.appendix_tables[i]->title);
    const std::string number = label.empty() ? "" : " (#ref(" + label.substr(1) + "))";
    text += (text.empty() ? "At the end\\: " : "; ") + title + number;
  }
  if (!text.empty()) text += ". ";
  if (paper.page_only_titles.empty()) return text;
  return text + "In the report’s page\\: " + typst_text(join(paper.page_only_titles, "; ")) + ".";
}

/// Sets words beside their figure or table. A page may break between them.
std::string typst_beside(const std::string& words, const std::string& evidence) {
  return "#beside[\n" + words + "][\n" + evidence + "]\n\n";
}

// Words of this length are about as high as a figure; longer words have no figure beside them.
constexpr std::size_t kMostBytesBeside = 2000;
constexpr std::size_t kMostRowsBelowWords = 8;

/// Puts the first figure beside the words and a short narrow table below these, or without figures
/// the table beside them. Long words, and words before a pair of figures, stand alone. Other
/// figures follow in pairs, the last of an odd number beside the table; other tables come last.
std::string words_and_evidence(const std::string& words, const Part& part,
                               const TypstSource& source) {
  const PaperPart paper = printed_part(part);
  std::span<const Figure* const> figures = paper.figures;
  // This is the first table if it fits half the page's width, else null.
  const TableView* narrow = paper.tables.empty() ? nullptr : paper.tables.front();
  if (narrow != nullptr && !fits_column(*narrow)) narrow = nullptr;
  const bool is_pair = figures.size() == 2 && is_drawn(*figures[0], source) &&
                       is_drawn(*figures[1], source) && narrow == nullptr;
  const bool has_room_beside = !words.empty() && words.size() <= kMostBytesBeside && !is_pair;
  const bool may_join_words = figures.size() <= 1 && narrow != nullptr;
  std::string text = words;
  const TableView* table_with_words = nullptr;
  if (has_room_beside && !figures.empty() && is_drawn(*figures.front(), source)) {
    if (may_join_words && narrow->rows.size() <= kMostRowsBelowWords) {
      table_with_words = narrow;
      text += typst_table(*narrow, TableWidth::kHalf);
    }
    text = typst_beside(text, typst_figure(*figures.front(), source));
    figures = figures.subspan(1);
  } else if (has_room_beside && figures.empty() && may_join_words) {
    table_with_words = narrow;
    text = typst_beside(words, typst_table(*narrow, TableWidth::kHalf));
  }
  const bool is_last_unpaired = figures.size() % 2 == 1 && is_drawn(*figures.back(), source);
  const TableView* beside = is_last_unpaired && table_with_words == nullptr ? narrow : nullptr;
  text += typst_figures(figures, source, beside);
  for (const TableView* table : paper.tables) {
    if (table != beside && table != table_with_words) text += typst_table(*table);
  }
  const std::string names = unprinted_text(part, paper);
  return names.empty() ? text : text + "#text(size: 0.85em, fill: luma(90))[" + names + "]\n\n";
}

/// Writes the generated answer and the author's own words, or an empty frame for the latter.
std::string typst_answer(const Part& part, const TypstSource& source) {
  std::string text;
  const std::string answer = part.generated_answer(source.options.answers);
  if (!answer.empty()) {
    text += framed(typst_blocks(answer, source), part.calculated ? kCalculated : "",
                   "1.5pt + luma(190)", "false");
  }
  if (part.note) {
    text += framed(typst_blocks(part.note->markdown, source, part.note->formulas),
                   source.document.front.attribution() + ".", "1.5pt + rgb(\"#1f5fa8\")", "true");
  }
  return part.awaits_answer(source.options.answers) ? text + std::string(kRoomForAnswer) : text;
}

}  // namespace

std::string appendix_label(const Part& part, std::size_t index) {
  return "table-" + part.anchor() + "-" + std::to_string(index + 1);
}

std::string typst_figure(const Figure& figure, const TypstSource& source) {
  if (!is_drawn(figure, source)) {
    if (figure.table.columns.empty()) return "";
    return "#block" + caption(figure, source) + "\n\n" + typst_table(figure.table);
  }
  const double aspect = height_over_width(source.drawings.at(figure.slug).narrow).value_or(0.5);
  const double width = aspect > 0 ? std::min(kMostWidthCm, kMostHeightCm / aspect) : kMostWidthCm;
  return "#figure(\n  image(" + typst_string(narrow_chart_path(figure)) +
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
    const std::string markup = typst_figure(*figures.front(), source);
    const bool may_pair = is_drawn(*figures.front(), source);
    const bool is_last = figures.size() == 1;
    if (may_pair && !is_last && is_drawn(*figures[1], source)) {
      text += typst_pair(markup, typst_figure(*figures[1], source));
      figures = figures.subspan(1);
    } else if (may_pair && is_last && beside != nullptr) {
      text += typst_pair(markup, typst_table(*beside, TableWidth::kHalf));
    } else {
      text += markup;
    }
    figures = figures.subspan(1);
  }
  return text;
}

std::string typst_heading(const Part& part, bool with_problem) {
  const std::string problem = with_problem ? typst_code(part.problem) + " " : "";
  return problem + typst_text(part.lettered_title());
}

std::string typst_part(const Part& part, const TypstSource& source) {
  std::string text;
  if (!part.title.empty()) {
    text = "== " + typst_heading(part, false) + typst_label(part.anchor()) + "\n\n";
  }
  text += typst_muted(typst_text(part.setting));
  if (!part.question.empty()) {
    text += "#quote(block: true)[\n" + typst_blocks(part.question, source) + "]\n\n";
  }
  return text + words_and_evidence(typst_answer(part, source), part, source);
}

}  // namespace labreport
