#include <algorithm>

#include "base/text.h"
#include "report/markdown.h"
#include "report/typst_parts.h"
#include "report/typst_text.h"

namespace labreport {
namespace {

// What a drawer's table may be to stand on paper.
constexpr std::size_t kRowsOfADrawer = 9;
constexpr std::size_t kColumnsOfADrawer = 9;

std::string letter_of(const Part& part) {
  return part.letter.empty() ? "" : "(" + part.letter + ") ";
}

/// Set off by a line at its side, above a mark that says whose words these are.
std::string framed(const std::string& blocks, const std::string& mark, const std::string& stroke) {
  return "#block(stroke: (left: " + stroke + "), inset: (left: 0.9em, y: 0.25em))[\n" + blocks +
         "#text(size: 0.85em, style: \"italic\", fill: luma(90))[" + typst_text(mark) + "]\n]\n\n";
}

std::string note_mark(const FrontMatter& front) {
  return front.author.empty() ? "In the author’s own words."
                              : "In the words of " + front.author + ".";
}

bool suits_paper(const TableView& table) {
  return table.rows.size() <= kRowsOfADrawer && table.columns.size() <= kColumnsOfADrawer &&
         std::ranges::none_of(table.columns, &ColumnView::code);
}

/// Names the tables that the page has and paper has not.
std::string left_to_page(const std::vector<TableView>& tables) {
  std::string names;
  for (const TableView& table : tables) {
    if (suits_paper(table)) continue;
    const std::size_t rows = table.rows.size();
    names += (names.empty() ? "" : "; ") + table.title + " (" + std::to_string(rows) +
             (rows == 1 ? " row)" : " rows)");
  }
  return names.empty() ? "" : typst_muted("In the report’s page\\: " + typst_text(names) + "\\.");
}

bool is_empty(const Drawer& drawer) {
  return drawer.method.empty() && drawer.tables.empty() && drawer.figures.empty() &&
         drawer.warnings.empty();
}

std::string warnings(const Drawer& drawer) {
  if (drawer.warnings.empty()) return "";
  std::string text = "#list(\n";
  for (const std::string& warning : drawer.warnings) {
    text += "  [#strong[Warning\\:] " + typst_text(warning) + "],\n";
  }
  return text + ")\n\n";
}

}  // namespace

std::string typst_figure(const Figure& figure, const TypstSource& source) {
  const std::string description =
      figure.caption.empty() ? "" : " " + typst_line(figure.caption, source);
  const std::string caption = "[#strong[" + typst_text(figure.title) + "\\.]" + description + "]";
  if (!source.drawings.contains(figure.slug)) {
    return figure.data.columns.empty()
               ? ""
               : "#block[" + caption.substr(1) + "\n\n" + typst_table(figure.data);
  }
  return "#figure(\n  image(" + typst_string(chart_path(figure)) +
         ", width: 88%, alt: " + typst_string(figure.alt) +
         "),\n  kind: image,\n  caption: " + caption + ",\n)" +
         typst_label("figure-" + slug(figure.slug)) + "\n\n";
}

std::string typst_part(const Part& part, const TypstSource& source) {
  std::string text =
      "== " + typst_text(letter_of(part) + part.title) + typst_label(part.anchor()) + "\n\n";
  text += typst_muted(typst_text(part.setting));
  if (!part.question.empty()) {
    text += "#quote(block: true)[\n" + typst_blocks(part.question, source) + "]\n\n";
  }
  const std::string answer = part.generated_answer(source.options.answers);
  if (!answer.empty()) {
    text += framed(typst_blocks(answer, source), "Generated from this run’s measurements.",
                   "1.5pt + luma(190)");
  }
  if (part.note) {
    text += framed(typst_blocks(part.note->markdown, source), note_mark(source.document.front),
                   "1.5pt + rgb(\"#1f5fa8\")");
  }
  for (const Figure& figure : part.figures) text += typst_figure(figure, source);
  for (const TableView& table : part.tables) text += typst_table(table);
  return text;
}

std::string typst_drawer(const Part& part, const TypstSource& source) {
  const Drawer& drawer = part.drawer;
  if (is_empty(drawer)) return "";
  std::string text = "== " + typst_code(part.problem) + typst_text(" " + letter_of(part)) +
                     typst_text(part.title) + "\n\n";
  text += typst_blocks(drawer.method, source) + warnings(drawer);
  for (const TableView& table : drawer.tables) {
    if (suits_paper(table)) text += typst_table(table);
  }
  for (const Figure& figure : drawer.figures) text += typst_figure(figure, source);
  return text + left_to_page(drawer.tables);
}

}  // namespace labreport
