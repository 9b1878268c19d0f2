#include "publish/exports.h"

#include "base/text.h"
#include "writers/csv/table_csv.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

/// A part by itself says where it was measured.
Part alone(const Document& document, Part part) {
  const bool apart = !document.provenance.empty() && !part.setting.empty();
  part.setting = document.provenance + (apart ? " · " : "") + part.setting;
  return part;
}

/// "parts/<part>" + `ending` for each part of the handout's problems, written by `write`.
template <class Write>
void add_parts(std::vector<Attachment>& files, const Document& document, const char* ending,
               Write write) {
  for (const Section& section : document.sections) {
    if (!section.asked()) continue;
    for (const Part& part : section.parts) {
      files.push_back({"parts/" + part.name() + ending, write(alone(document, part))});
    }
  }
}

}  // namespace

std::vector<Attachment> table_files(const Document& document) {
  std::vector<Attachment> files;
  for (const NamedTable& table : named_tables(document)) {
    files.push_back({"tables/" + table.name + ".csv", table_csv(*table.table)});
  }
  return files;
}

std::vector<Attachment> latex_trees(const Document& document, const Prints& prints,
                                    const PandocOptions& options) {
  std::vector<Attachment> files = {{"report.tex", report_pandoc(document, prints, options)}};
  add_parts(files, document, ".tex",
            [&](const Part& part) { return part_pandoc(part, prints, options, document.front); });
  return files;
}

std::vector<Attachment> print_files(const Document& document, const Prints& prints) {
  std::vector<Attachment> files;
  for (const Figure* figure : figures_of(document)) {
    const auto print = prints.find(figure->slug);
    if (print == prints.end()) continue;
    const std::string name = "charts/" + slug(figure->slug);
    files.push_back({name + ".pdf", print->second.pdf});
    files.push_back({name + ".png", print->second.png});
  }
  return files;
}

std::vector<Attachment> markdown_parts(const Document& document, const Drawings& drawings,
                                       Answers answers) {
  std::vector<Attachment> files;
  add_parts(files, document, ".md", [&](const Part& part) {
    return part_markdown(part, document.front, drawings, answers);
  });
  return files;
}

std::vector<Attachment> typst_parts(const Document& document, const Drawings& drawings,
                                    const TypstOptions& options) {
  std::vector<Attachment> files;
  // Typst looks for pictures from the file that names them, TeX from the document.
  TypstOptions from_parts = options;
  from_parts.run = "../";
  add_parts(files, document, ".typ",
            [&](const Part& part) { return part_typst(document, part, drawings, from_parts); });
  return files;
}

}  // namespace labreport
