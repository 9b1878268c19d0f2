// Writes what the typesetter is given: latex_samples OUT PROJECT. OUT/sample is the sample
// report with its parts and charts; OUT/hostile has, wherever text can stand, text that means harm.
#include <filesystem>

#include "base/files.h"
#include "publish/chart_renderer.h"
#include "publish/exports.h"
#include "writers/sample_fixture.h"

namespace {

using namespace labreport;
namespace fs = std::filesystem;

/// Every sign that TeX reads as a command, marks that turn text around, letters of far scripts,
/// bytes that are no text and a word that fills pages.
std::string harm() {
  std::string all = "\\input{/etc/passwd} \\write18{touch here} \\end{document} % $ & # _ ^ ~ { } ";
  all +=
      "``'' -- --- << >> ?` !` [x] \\\\[1cm] ^^M ^^5cinput \\\\* {{name}} <b>&amp;</b> *[x](y)* ";
  all +=
      "\u202eturned\u202c \u2066x\u2069 \u200f \u200b 漢字 кириллица العربية 😀 ﬁ ½ ≥ √ ᵀ µ μ "
      "\x01\x1b\x7f ";
  all += "ÀÿĂćČđĘěĹĺŁńŇňŐŕŘśŠťŮűŸž ¡£«»¿ \xff\xc0\xaf \t\r\n";
  return all + std::string(4000, '\\') + std::string(10000, 'x');
}

void spoil(TableView& table) {
  table.title += harm();
  for (ColumnView& column : table.columns) column.title += " \\relax_%";
  if (!table.rows.empty()) {
    table.rows.front().cells.front().text = "*" + harm();
    table.rows.front().flags = {harm()};
    table.rows.back().cells.resize(1);
    table.rows.back().note = "[" + harm();
  }
}

Document hostile_document() {
  Document document = sample_document();
  for (std::string* text : {&document.title, &document.device, &document.provenance, &document.date,
                            &document.outcome_line, &document.reproduce, &document.front.author,
                            &document.front.course, &document.front.repository}) {
    *text = harm();
  }
  document.demonstration = document.incomplete = true;
  spoil(document.environment);
  for (Part& part : document.sections.front().parts) {
    part.title = part.setting = harm();
    part.question = part.answer = harm();
    part.note =
        AuthorNote{harm() +
                       "\n\n> - > 1. # a\n\n| a | b |\n|--|--|\n| $x^a^b$ | ![p](../\\x) |\n\n"
                       "$\\input{x}$ $$\\frac{1}$$ $\\def\\a{\\a}\\a$ $x≤y$\n\n"
                       "[l](https://example.org/%5C}{\\x#_~) ![g](none.svg)\n\n```\n" +
                       harm() + "\n```\n",
                   false};
    for (TableView& table : part.tables) spoil(table);
    for (TableView& table : part.details.tables) spoil(table);
    for (Figure& figure : part.figures) figure.title = figure.caption = harm();
    part.details.warnings = {harm()};
  }
  return document;
}

void write(const fs::path& folder, const Document& document, ChartTool& tool) {
  const std::vector<Drawings> drawings = draw_all({&document}, tool);
  const std::vector<Prints> prints = print_all(drawings, tool);
  std::vector<Attachment> files = latex_trees(document, prints[0], {});
  std::vector<std::string> trees;
  for (const Attachment& tree : files) trees.push_back(tree.bytes);
  const std::vector<std::string> texts = tool.latex(trees);
  for (std::size_t i = 0; i < files.size(); ++i) files[i].bytes = texts[i];
  for (const Attachment& print : print_files(document, prints[0])) files.push_back(print);
  for (const Attachment& file : files) {
    fs::create_directories((folder / file.name).parent_path());
    write_atomically(folder / file.name, file.bytes, Sync::kNothing);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  ChartProcess tool(argv[2]);
  write(fs::path(argv[1]) / "sample", sample_document(), tool);
  write(fs::path(argv[1]) / "hostile", hostile_document(), tool);
}
