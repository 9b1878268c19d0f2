#include "base/text.h"
#include "writers/paper_choice.h"
#include "writers/typst/typst_parts.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

std::string appendix_heading(const Part& part) {
  return "== " + typst_heading(part, true) + "\n\n";
}

std::string warnings(const Details& details) {
  if (details.warnings.empty()) return "";
  std::string text = "#list(\n";
  for (const std::string& warning : details.warnings) {
    text += "  [#strong[Warning\\:] " + typst_text(warning) + "],\n";
  }
  return text + ")\n\n";
}

std::string details(const Part& part, const TypstSource& source) {
  std::string text = typst_blocks(part.details.words(source.options.answers), source);
  text += warnings(part.details);
  for (const TableView* table : on_paper(part.details)) {
    text += typst_table(*table, TableWidth::kHalf);
  }
  return text.empty() ? "" : appendix_heading(part) + text;
}

/// What stands across the page, and what in one of its columns.
struct FurtherTables {
  std::string wide;
  std::string columns[2];
  std::size_t rows[2] = {0, 0};

  void add(const Part& part) {
    const PaperPart paper = on_paper(part);
    for (std::size_t i = 0; i < paper.further.size(); ++i) {
      const TableView& table = *paper.further[i];
      const std::string label = further_label(part, i);
      const std::string name = typst_muted(typst_heading(part, true));
      if (!fits_half(table)) {
        wide += name + typst_table(table, TableWidth::kWhole, label);
        continue;
      }
      const std::size_t shorter = rows[1] < rows[0] ? 1 : 0;
      columns[shorter] += name + typst_table(table, TableWidth::kHalf, label);
      rows[shorter] += table.rows.size() + 5;
    }
  }

  std::string write() const {
    if (rows[0] == 0) return wide;
    return wide + "#grid(columns: (1fr, 1fr), column-gutter: 1.6em,\n[" + columns[0] + "],\n[" +
           columns[1] + "])\n\n";
  }
};

std::string in_columns(const std::string& text) {
  return text.empty() ? "" : "#columns(2, gutter: 1.6em)[\n" + text + "]\n\n";
}

}  // namespace

std::string further_label(const Part& part, std::size_t index) {
  return "table-" + part.anchor() + "-" + std::to_string(index + 1);
}

std::string typst_left(const std::vector<std::string>& names) {
  return names.empty() ? "" : "In the report’s page\\: " + typst_text(join(names, "; ")) + ".";
}

std::string typst_appendices(const TypstSource& source) {
  std::string evidence;
  FurtherTables further;
  for (const Section& section : source.document.sections) {
    for (const Part& part : section.parts) {
      evidence += details(part, source);
      further.add(part);
    }
  }
  std::string text;
  const std::string tables = further.write();
  if (!tables.empty()) text += "= Further tables <tables>\n\n" + tables;
  if (!evidence.empty()) {
    text += "= How this was measured <measured>\n\n" +
            typst_muted(
                "In the report’s page\\: the longer tables, every sample, and the commands that "
                "measure each row again.") +
            in_columns(evidence);
  }
  return text.empty() ? "" : "#show: appendix\n\n" + text;
}

}  // namespace labreport
