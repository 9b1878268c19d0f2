#include "writers/markdown/markdown.h"

#include <algorithm>

#include "base/text.h"
#include "document/demonstration.h"
#include "document/facts.h"
#include "document/figure_numbers.h"
#include "document/keyed_number.h"
#include "writers/align.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/remarks.h"

namespace labreport {
namespace {

/// Writes verbatim text in a table: between double backticks if it has a backtick, else between
/// single ones. Bars are escaped because they would end the cell.
std::string code_span(const std::string& text) {
  if (text.empty()) return "";
  const bool has_backtick = text.find('`') != std::string::npos;
  std::string code = has_backtick ? "`` " : "`";
  for (const char letter : text) {
    if (letter == '|') code.push_back('\\');
    code.push_back(letter == '\n' ? ' ' : letter);
  }
  return code + (has_backtick ? " ``" : "`");
}

std::string row_markdown(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

/// Replaces the padding of a number by spaces that are as wide as its digits and its point.
std::string padding_spaces(const std::string& padding) {
  std::string spaces;
  for (const char letter : padding) spaces += letter == '.' ? "\u2008" : "\u2007";
  return spaces;
}

std::string cell_markdown(const ColumnView& column, const AlignedCell& cell, TableUse use) {
  if (column.is_code) return code_span(cell.text.joined());
  if (use == TableUse::kScreen || column.align == Align::kLeft)
    return escape_markdown(cell.text.joined());
  std::string words = escape_markdown(cell.text.value) + padding_spaces(cell.after_value);
  // The cell may break at this space, which `keep_numbers_whole` takes for no space.
  if (!cell.text.deviation.empty()) words += "&#32;±\u00a0" + escape_markdown(cell.text.deviation);
  return words + padding_spaces(cell.at_end);
}

/// Writes a report for readers of Markdown, with drawers.
class ScreenWriter final : public MarkdownWriter {
 public:
  ScreenWriter(const FrontMatter& front, const Drawings& drawings, Answers answers)
      : MarkdownWriter(front, answers), drawings_(drawings) {}

 private:
  void title_block(const Document& document) override {
    const bool is_comparison = !document.relation.empty();
    paragraph("# " + escape_markdown(is_comparison ? document.title : document.name()));
    paragraph(byline_markdown(document.front));
    text_ += banners_markdown(document);
    const std::string line =
        is_comparison ? "Comparison · " + document.relation : document.run_line();
    paragraph(escape_markdown(line));
    paragraph(escape_markdown(document.provenance_line(answers_)));
  }

  void section_heading(const Section& section) override {
    const std::string problem = section.is_handout_problem() ? " (`" + section.problem + "`)" : "";
    heading(1, escape_markdown(section.title) + problem);
  }

  void heading(int level, const std::string& words) override {
    paragraph(std::string(static_cast<std::size_t>(level) + 1, '#') + " " + words);
  }

  void begin(const Part& part) override {
    numbers_.add(part.figures, false);
    numbers_.add(part.details.figures, true);
  }

  /// Writes a figure that was drawn or has data.
  void figure(const Figure& figure) override {
    if (!drawings_.contains(figure.slug) && figure.table.columns.empty()) return;
    const std::string& number = numbers_.of(figure);
    paragraph("**Figure " + number + ". " + escape_markdown(figure.title) + "**");
    if (drawings_.contains(figure.slug)) {
      paragraph("![" + escape_markdown(figure.alt) + "](" + chart_path(figure) + ")");
    }
    paragraph(figure.caption);
    if (figure.table.columns.empty()) return;
    TableView& data = figure_data_.emplace_back(figure.table);
    data.title = "Data of figure " + number + ": " + data.title;
  }

  void table(const TableView& table) override { text_ += table_markdown(table); }

  void details(const Details& details) override {
    if (details.is_empty(answers_) && figure_data_.empty()) return;
    paragraph("<details>\n<summary>" + details.title + "</summary>");
    paragraph(details.words(answers_));
    warnings(details);
    for (const TableView& each : details.tables) table(each);
    for (const Figure& each : details.figures) figure(each);
    for (const TableView& each : figure_data_) table(each);
    figure_data_.clear();
    paragraph("</details>");
  }

  const Drawings& drawings_;
  std::vector<TableView> figure_data_;  ///< The data of the part's figures, for its drawer.
  FigureNumbers numbers_;
};

}  // namespace

std::string MarkdownWriter::write(const Document& document) {
  title_block(document);
  for (const Section& section : document.sections) {
    section_heading(section);
    for (const Part& part : section.parts) add(part);
  }
  heading(1, "Method and limits");
  paragraph(document.method);
  reproduce(document);
  return take_text();
}

std::string MarkdownWriter::write(const Part& part) {
  add(part);
  return take_text();
}

std::string MarkdownWriter::take_text() {
  while (text_.ends_with("\n\n")) text_.pop_back();
  return std::move(text_);
}

void MarkdownWriter::add(const Part& part) {
  begin(part);
  if (!part.title.empty()) heading(2, escape_markdown(part.lettered_title()));
  paragraph(escape_markdown(part.setting));
  quote(part.question);
  answer(part);
  for (const Figure& each : part.figures) figure(each);
  for (const TableView& each : part.tables) table(each);
  details(part.details);
}

/// Writes the question as a quotation, which distinguishes it from the answer.
void MarkdownWriter::quote(const std::string& markdown) {
  if (markdown.empty()) return;
  for (const std::string& line : split(markdown, '\n')) {
    text_ += line.empty() ? ">\n" : "> " + line + "\n";
  }
  text_ += '\n';
}

/// Writes the generated answer, the author's own words with their mark, or room for them.
void MarkdownWriter::answer(const Part& part) {
  const std::string generated = without_keys(part.generated_answer(answers_));
  paragraph(generated);
  if (!generated.empty() && part.calculated) paragraph("*" + std::string(kCalculated) + "*");
  if (part.note) {
    paragraph(part.note->markdown);
    paragraph("*" + escape_markdown(note_mark_) + "*");
  }
  // A no-break space keeps the paragraph that waits for the author's words.
  if (part.awaits_answer(answers_)) paragraph("**Your answer**\n\n&nbsp;");
}

void MarkdownWriter::warnings(const Details& details) {
  for (const std::string& warning : details.warnings) {
    text_ += "- Warning: " + escape_markdown(warning) + "\n";
  }
  if (!details.warnings.empty()) text_ += '\n';
}

void MarkdownWriter::reproduce(const Document& document) {
  heading(1, "Reproduce");
  if (!document.reproduce.empty()) {
    const std::string end = document.reproduce.ends_with('\n') ? "" : "\n";
    paragraph("```sh\n" + document.reproduce + end + "```");
  }
  if (!document.environment.columns.empty()) table(document.environment);
}

std::string banners_markdown(const Document& document) {
  std::string text;
  if (document.demonstration) {
    text += std::string("> **") + kDemonstration + ".** " + kDemonstrationMeaning + "\n\n";
  }
  if (document.incomplete) text += "> **Interrupted run.** Cells are missing.\n\n";
  return text;
}

std::string byline_markdown(const FrontMatter& front) {
  std::vector<std::string> parts;
  if (!front.author.empty()) parts.push_back("**" + escape_markdown(front.author) + "**");
  if (!front.course.empty()) parts.push_back(escape_markdown(front.course));
  if (!front.repository.empty()) {
    parts.push_back("[" + escape_markdown(front.repository_label()) + "](" + front.repository +
                    ")");
  }
  return join(parts, " · ");
}

std::string table_markdown(const TableView& table) {
  return table_markdown(table, TableUse::kScreen);
}

std::string table_markdown(const TableView& table, TableUse use) {
  const auto stands_beside = [use](const RowView& row) {
    return use == TableUse::kPaper ? has_remark_beside(row) : !row.flags.empty();
  };
  const bool has_remarks_column = std::ranges::any_of(table.rows, stands_beside);
  std::vector<std::string> headings;
  std::vector<std::string> alignments;
  std::vector<std::vector<AlignedCell>> aligned_columns;
  for (const ColumnView& column : table.columns) {
    aligned_columns.push_back(align_decimals(table, aligned_columns.size()));
    headings.push_back(escape_markdown(column.head()));
    alignments.push_back(column.align == Align::kRight ? "---:" : "---");
  }
  if (has_remarks_column) {
    headings.push_back("Remarks");
    alignments.push_back("---");
  }
  std::string text = table.title.empty() ? "" : "**" + escape_markdown(table.title) + "**\n\n";
  text += row_markdown(headings) + row_markdown(alignments);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const RowView& row = table.rows[r];
    const std::size_t count = std::min(row.cells.size(), table.columns.size());
    const bool is_spanned = use == TableUse::kPaper && count < table.columns.size();
    std::vector<std::string> cells(table.columns.size(), is_spanned ? kSpanned : "");
    for (std::size_t c = 0; c < count; ++c)
      cells[c] = cell_markdown(table.columns[c], aligned_columns[c][r], use);
    if (count < cells.size()) cells[count] = escape_markdown(row.reason_or_dash());
    if (has_remarks_column) {
      cells.push_back(stands_beside(row) ? escape_markdown(row.joined_flags())
                      : is_spanned       ? kSpanned
                                         : "");
    }
    text += row_markdown(cells);
    if (row.flags.empty() || stands_beside(row)) continue;
    std::vector<std::string> below(cells.size(), kSpanned);
    below.front() = escape_markdown(row.joined_flags());
    text += row_markdown(below);
  }
  return text + "\n";
}

std::string report_markdown(const Document& document, const Drawings& drawings, Answers answers) {
  return ScreenWriter(document.front, drawings, answers).write(document);
}

std::string part_markdown(const Part& part, const FrontMatter& front, const Drawings& drawings,
                          Answers answers) {
  return ScreenWriter(front, drawings, answers).write(part);
}

}  // namespace labreport
