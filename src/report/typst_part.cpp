#include <algorithm>

#include "base/text.h"
#include "report/front_matter.h"
#include "report/markdown.h"
#include "report/typst_parts.h"
#include "report/typst_text.h"

namespace labreport {
namespace {

// A longer table parts the question from what follows by more than a page.
constexpr std::size_t kRowsOfAPart = 36;

// What a drawer's table may be to stand on paper.
constexpr std::size_t kRowsOfADrawer = 9;
constexpr std::size_t kColumnsOfADrawer = 9;

bool is_long(const TableView& table) { return table.rows.size() > kRowsOfAPart; }

/// Set off by a line at its side, above a mark that says whose words these are.
std::string framed(const std::string& blocks, const std::string& mark, const std::string& stroke) {
  return "#block(stroke: (left: " + stroke +
         "), inset: (left: 0.9em, y: 0.2em), spacing: 0.9em)[\n" + blocks +
         "#text(size: 0.85em, style: \"italic\", fill: luma(90))[" + typst_text(mark) + "]\n]\n\n";
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
  return names.empty()
             ? ""
             : "#text(size: 0.85em, fill: luma(90))[In the report’s page\\: " + typst_text(names) +
                   ".]\n\n";
}

/// Where the author writes, by hand or in the source.
constexpr std::string_view kRoomForAnswer =
    "#block(stroke: (left: 1.5pt + rgb(\"#1f5fa8\")), inset: (left: 0.9em), height: 7em)[\n"
    "#text(size: 0.85em, style: \"italic\", fill: luma(90))[Your answer]\n]\n\n";

bool is_empty(const Drawer& drawer, Answers answers) {
  return drawer.words(answers).empty() && drawer.tables.empty() && drawer.figures.empty() &&
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

std::string typst_heading(const Part& part, bool with_problem) {
  const std::string letter = part.letter.empty() ? "" : "(" + part.letter + ") ";
  const std::string problem = with_problem ? typst_code(part.problem) + " " : "";
  return problem + typst_text(letter + part.title);
}

std::string typst_figure(const Figure& figure, const TypstSource& source) {
  const std::string description =
      figure.caption.empty() ? "" : " " + typst_line(figure.caption, source);
  const std::string caption = "[#strong[" + typst_text(figure.title) + "\\.]" + description + "]";
  if (!source.drawings.contains(figure.slug)) {
    return figure.data.columns.empty()
               ? ""
               : "#block[" + caption.substr(1) + "\n\n" + typst_table(figure.data);
  }
  return "#figure(\n  image(" + typst_string(source.options.run + chart_path(figure)) +
         ", width: 82%, alt: " + typst_string(figure.alt) +
         "),\n  kind: image,\n  caption: " + caption + ",\n)" +
         typst_label("figure-" + slug(figure.slug)) + "\n\n";
}

std::string typst_part(const Part& part, const TypstSource& source) {
  std::string text = "== " + typst_heading(part, false) + typst_label(part.anchor()) + "\n\n";
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
  if (part.awaits_answer(source.options.answers)) text += kRoomForAnswer;
  for (const Figure& figure : part.figures) text += typst_figure(figure, source);
  for (const TableView& table : part.tables) {
    text += is_long(table)
                ? typst_muted(typst_text(table.title + ": a table of " +
                                         std::to_string(table.rows.size()) + " rows, at the end."))
                : typst_table(table);
  }
  return text;
}

std::string typst_long_tables(const Part& part) {
  std::string text;
  for (const TableView& table : part.tables) {
    if (is_long(table)) text += typst_table(table);
  }
  return text.empty() ? "" : "== " + typst_heading(part, true) + "\n\n" + text;
}

std::string typst_drawer(const Part& part, const TypstSource& source) {
  const Drawer& drawer = part.drawer;
  if (is_empty(drawer, source.options.answers)) return "";
  std::string text = "== " + typst_heading(part, true) + "\n\n";
  text += typst_blocks(drawer.words(source.options.answers), source) + warnings(drawer);
  for (const TableView& table : drawer.tables) {
    if (suits_paper(table)) text += typst_table(table);
  }
  for (const Figure& figure : drawer.figures) text += typst_figure(figure, source);
  return text + left_to_page(drawer.tables);
}

}  // namespace labreport
