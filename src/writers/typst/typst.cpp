#include "writers/typst/typst.h"

#include <algorithm>

#include "base/text.h"
#include "document/demonstration.h"
#include "embedded/writers.h"
#include "writers/paper_choice.h"
#include "writers/typst/typst_source.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

std::string warnings(const Details& details) {
  if (details.warnings.empty()) return "";
  std::string text = "#list(\n";
  for (const std::string& warning : details.warnings) {
    text += "  [#strong[Warning\\:] " + typst_text(warning) + "],\n";
  }
  return text + ")\n\n";
}

std::string details_text(const Part& part, const TypstSource& source) {
  std::string text = typst_blocks(part.details.words(source.options.answers), source);
  text += warnings(part.details);
  for (const TableView* table : printed_tables(part.details)) {
    text += typst_table(*table, TableWidth::kHalf);
  }
  return text.empty() ? "" : "== " + typst_heading(part, true) + "\n\n" + text;
}

/// The tables in the appendix: `wide` has those as wide as the page, `columns` the others.
struct AppendixTables {
  std::string wide;
  std::string columns[2];
  std::size_t heights[2] = {0, 0};  ///< Rows in each column.

  void add(const Part& part) {
    const PaperPart paper = printed_part(part);
    for (std::size_t i = 0; i < paper.appendix_tables.size(); ++i) {
      const TableView& table = *paper.appendix_tables[i];
      const std::string label = appendix_label(part, i);
      const std::string name = typst_muted(typst_heading(part, true));
      if (!fits_column(table)) {
        wide += name + typst_table(table, TableWidth::kWhole, label);
        continue;
      }
      const std::size_t shorter = heights[1] < heights[0] ? 1 : 0;
      columns[shorter] += name + typst_table(table, TableWidth::kHalf, label);
      heights[shorter] += table.rows.size() + 5;  // Name, title, headings: five rows.
    }
  }

  std::string write() const {
    if (heights[0] == 0) return wide;
    return wide + "#grid(columns: (1fr, 1fr), column-gutter: 1.6em,\n[" + columns[0] + "],\n[" +
           columns[1] + "])\n\n";
  }
};

/// Writes the method, the environment, the tables that parts refer to, and the parts' details.
std::string typst_appendices(const TypstSource& source) {
  std::string all_details;
  AppendixTables appendix_tables;
  for (const Section& section : source.document.sections) {
    for (const Part& part : section.parts) {
      all_details += details_text(part, source);
      appendix_tables.add(part);
    }
  }
  const Document& document = source.document;
  std::string text = "#show: appendix\n\n= Method and limits <method>\n\n#balanced[\n" +
                     typst_blocks(document.method, source) + "]\n\n";
  if (!document.environment.columns.empty())
    text += "= Environment <environment>\n\n" + typst_table(in_two_halves(document.environment));
  const std::string tables = appendix_tables.write();
  if (!tables.empty()) text += "= Further tables <tables>\n\n" + tables;
  if (!all_details.empty()) {
    text += "= How this was measured <measured>\n\n" +
            typst_muted(
                "In the report’s page\\: the longer tables, every sample, and the commands that "
                "measure each row again.") +
            "#columns(2, gutter: 1.6em)[\n" + all_details + "]\n\n";
  }
  return text;
}

class TypstWriter {
 public:
  explicit TypstWriter(const TypstSource& source)
      : source_(source), document_(source.document), options_(source.options) {}

  std::string write() {
    settings();
    title_block();
    for (const Section& section : document_.sections) add(section);
    reproduce();
    text_ += typst_appendices(source_);
    while (text_.ends_with("\n\n")) text_.pop_back();
    return text_;
  }

 private:
  /// Writes the definitions that templates/report.typ uses, then the template's text.
  void settings() {
    const std::string& author = document_.front.author;
    text_ += "#let report-title = " + typst_string(document_.name()) + "\n";
    text_ += "#let report-authors = (" + (author.empty() ? "" : typst_string(author) + ",") + ")\n";
    text_ += std::string("#let report-paper = ") +
             (options_.paper == Paper::kLetter ? "\"us-letter\"" : "\"a4\"") + "\n\n";
    text_ += std::string(embedded::writers().at("templates/report.typ")) + "\n";
  }

  void centered(const std::string& size, const std::string& markup) {
    if (!markup.empty()) text_ += "#align(center, text(size: " + size + ")[" + markup + "])\n\n";
  }

  void title_block() {
    const FrontMatter& front = document_.front;
    text_ += "#title[" + typst_text(document_.title) + "]\n\n";
    centered("13pt", typst_text(document_.device));
    centered("11pt", typst_text(front.author));
    centered("10pt", typst_text(front.course));
    if (!front.repository.empty()) {
      centered("9pt", typst_link(front.repository, typst_text(front.repository), source_));
    }
    centered("9pt", typst_text(document_.run_line()) + "#linebreak()" +
                        typst_text(document_.provenance_line(source_.options.answers)));
    if (document_.demonstration) {
      banner(std::string(kDemonstration) + ".", std::string(" ") + kDemonstrationMeaning);
    }
    if (document_.incomplete) banner("Interrupted run.", " Cells are missing.");
    text_ += "#contents()\n\n";
  }

  void banner(const std::string& name, const std::string& words) {
    text_ += "#block(width: 100%, stroke: 0.8pt, inset: 0.7em)[#strong[" + typst_text(name) + "]" +
             typst_text(words) + "]\n\n";
  }

  void add(const Section& section) {
    text_ += "= " + typst_text(section.title) + typst_label("section-" + section.problem) + "\n\n";
    if (section.is_handout_problem())
      text_ += typst_muted("Problem " + typst_code(section.problem));
    for (const Part& part : section.parts) text_ += typst_part(part, source_);
  }

  void reproduce() {
    text_ += "= Reproduce <reproduce>\n\n";
    if (!document_.reproduce.empty()) {
      text_ += "#raw(" + typst_lines(document_.reproduce) + ", block: true, lang: \"sh\")\n\n";
    }
  }

  const TypstSource& source_;
  const Document& document_;
  const TypstOptions& options_;
  std::string text_;
};

}  // namespace

TypstSource::TypstSource(const Document& report, const Drawings& drawn, const TypstOptions& chosen)
    : document(report), drawings(drawn), options(chosen) {
  labels.insert({"method", "reproduce", "environment"});
  for (const Section& section : document.sections) {
    add_label("section-" + section.problem);
    for (const Part& part : section.parts) add_label(part.anchor());
  }
}

void TypstSource::add_label(const std::string& name) {
  if (!typst_label(name).empty()) labels.insert(name);
}

std::string report_typst(const Document& document, const Drawings& drawings,
                         const TypstOptions& options) {
  const TypstSource source(document, drawings, options);
  return TypstWriter(source).write();
}

}  // namespace labreport
