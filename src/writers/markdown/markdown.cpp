#include "writers/markdown/markdown.h"

#include <algorithm>

#include "base/text.h"
#include "document/facts.h"

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

class MarkdownWriter {
 public:
  MarkdownWriter(const FrontMatter& front, const Drawings& drawings, Answers answers)
      : drawings_(drawings), answers_(answers), note_mark_(front.attribution() + ".") {}

  std::string write(const Document& document) {
    is_comparison_ = !document.relation.empty();
    title_block(document);
    for (const Section& section : document.sections) {
      const std::string problem =
          section.is_handout_problem() ? " (`" + section.problem + "`)" : "";
      paragraph("## " + escape_markdown(section.title) + problem);
      for (const Part& part : section.parts) add(part);
    }
    paragraph("## Method and limits");
    paragraph(document.method);
    reproduce(document);
    return take_text();
  }

  std::string write(const Part& part) {
    add(part);
    return take_text();
  }

 private:
  std::string take_text() {
    while (text_.ends_with("\n\n")) text_.pop_back();
    return std::move(text_);
  }

  void paragraph(const std::string& text) {
    if (!text.empty()) text_ += text + "\n\n";
  }

  void title_block(const Document& document) {
    paragraph("# " + escape_markdown(is_comparison_ ? document.title : document.name()));
    paragraph(byline_markdown(document.front));
    if (document.demonstration) {
      paragraph(
          "> **CPU demonstration.** Tiny networks on a CPU: this report shows what one "
          "looks like, not what a GPU does.");
    }
    if (document.incomplete) paragraph("> **Interrupted run.** Cells are missing.");
    const std::string line =
        is_comparison_ ? "Comparison · " + document.relation : document.run_line();
    paragraph(escape_markdown(line));
    paragraph(escape_markdown(document.provenance_line(answers_)));
  }

  void add(const Part& part) {
    if (!part.title.empty()) paragraph("### " + escape_markdown(part.lettered_title()));
    paragraph(escape_markdown(part.setting));
    quote(part.question);
    answer(part);
    for (const Figure& figure : part.figures) add(figure);
    for (const TableView& table : part.tables) text_ += table_markdown(table);
    add(part.details);
  }

  /// Writes the question as a quotation, which distinguishes it from the answer.
  void quote(const std::string& markdown) {
    if (markdown.empty()) return;
    for (const std::string& line : split(markdown, '\n')) {
      text_ += line.empty() ? ">\n" : "> " + line + "\n";
    }
    text_ += '\n';
  }

  /// Writes the generated answer, the author's own words with their mark, or room for them.
  void answer(const Part& part) {
    const std::string generated = part.generated_answer(answers_);
    paragraph(generated);
    if (!generated.empty() && part.calculated) paragraph("*" + std::string(kCalculated) + "*");
    if (part.note) {
      paragraph(part.note->markdown);
      paragraph("*" + escape_markdown(note_mark_) + "*");
    }
    // A no-break space keeps the paragraph that waits for the author's words.
    if (part.awaits_answer(answers_)) paragraph("**Your answer**\n\n&nbsp;");
  }

  /// Writes a figure that was drawn or has data, with the number "1" or, in a drawer, "A1".
  void add(const Figure& figure, bool in_drawer = false) {
    if (!drawings_.contains(figure.slug) && figure.table.columns.empty()) return;
    const std::string number =
        in_drawer ? "A" + std::to_string(++drawer_figure_count_) : std::to_string(++figure_count_);
    paragraph("**Figure " + number + ". " + escape_markdown(figure.title) + "**");
    if (drawings_.contains(figure.slug)) {
      paragraph("![" + escape_markdown(figure.alt) + "](" + chart_path(figure) + ")");
    }
    paragraph(figure.caption);
    if (figure.table.columns.empty()) return;
    open_details("Data of figure " + number);
    text_ += table_markdown(figure.table);
    close_details();
  }

  void add(const Details& details) {
    if (details.is_empty(answers_)) return;
    open_details(details.title);
    paragraph(details.words(answers_));
    for (const std::string& warning : details.warnings) {
      text_ += "- Warning: " + escape_markdown(warning) + "\n";
    }
    if (!details.warnings.empty()) text_ += '\n';
    for (const TableView& table : details.tables) text_ += table_markdown(table);
    for (const Figure& figure : details.figures) add(figure, true);
    close_details();
  }

  void open_details(const std::string& summary) {
    paragraph("<details>\n<summary>" + summary + "</summary>");
  }
  void close_details() { paragraph("</details>"); }

  void reproduce(const Document& document) {
    paragraph("## Reproduce");
    if (!document.reproduce.empty()) {
      const std::string end = document.reproduce.ends_with('\n') ? "" : "\n";
      paragraph("```sh\n" + document.reproduce + end + "```");
    }
    if (!document.environment.columns.empty()) text_ += table_markdown(document.environment);
  }

  const Drawings& drawings_;
  Answers answers_;
  bool is_comparison_ = false;
  std::string note_mark_;
  std::string text_;
  int figure_count_ = 0, drawer_figure_count_ = 0;
};

}  // namespace

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
  const bool has_remarks_column =
      std::ranges::any_of(table.rows, [](const RowView& row) { return !row.flags.empty(); });
  std::vector<std::string> headings;
  std::vector<std::string> alignments;
  for (const ColumnView& column : table.columns) {
    headings.push_back(escape_markdown(column.head()));
    alignments.push_back(column.align == Align::kRight ? "---:" : "---");
  }
  if (has_remarks_column) {
    headings.push_back("Remarks");
    alignments.push_back("---");
  }
  std::string text = table.title.empty() ? "" : "**" + escape_markdown(table.title) + "**\n\n";
  text += row_markdown(headings) + row_markdown(alignments);
  for (const RowView& row : table.rows) {
    std::vector<std::string> cells(table.columns.size());
    for (std::size_t c = 0; c < std::min(row.cells.size(), cells.size()); ++c) {
      const std::string words = table.text(row, c);
      cells[c] = table.columns[c].is_code ? code_span(words) : escape_markdown(words);
    }
    if (row.cells.size() < cells.size())
      cells[row.cells.size()] = escape_markdown(row.reason_or_dash());
    if (has_remarks_column) cells.push_back(escape_markdown(row.joined_flags()));
    text += row_markdown(cells);
  }
  return text + "\n";
}

std::string report_markdown(const Document& document, const Drawings& drawings, Answers answers) {
  return MarkdownWriter(document.front, drawings, answers).write(document);
}

std::string part_markdown(const Part& part, const FrontMatter& front, const Drawings& drawings,
                          Answers answers) {
  return MarkdownWriter(front, drawings, answers).write(part);
}

}  // namespace labreport
