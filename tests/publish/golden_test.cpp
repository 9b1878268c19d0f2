// Compares a small report with every kind of block, in each format.
#include <gtest/gtest.h>

#include "base/error.h"
#include "notes/note.h"
#include "publish/chart_renderer.h"
#include "writers/golden_files.h"
#include "writers/html/html.h"
#include "writers/markdown/markdown.h"
#include "writers/markdown/paper.h"
#include "writers/sample_fixture.h"
#include "writers/typst/typst.h"

namespace labreport::golden_test {
namespace {

void keep_two_rows(TableView& table) {
  std::erase_if(table.rows, [&](const RowView& row) {
    const std::string name = table.text(row, 0);
    return name != "large" && name != "2.7B";
  });
}

/// Makes a document whose author is named, answers one part and adds a note to another.
Document noted_document() {
  Document document = sample_document();
  document.sections.resize(1);
  document.environment.rows.resize(2);
  document.front = {"Ada Lovelace", "CS336", "https://github.com/ada/assignment2"};
  const auto find_picture = [](const std::string& target) {
    return FoundPicture{"notes/" + target, ""};
  };
  std::vector<Part>& parts = document.sections.at(0).parts;
  for (Part& part : parts) {
    for (TableView& table : part.tables) keep_two_rows(table);
    for (TableView& table : part.details.tables) keep_two_rows(table);
    for (Figure& figure : part.figures) figure.table.rows.resize(1);
  }
  for (Figure& figure : parts.at(1).figures) figure.table = {};
  parts.at(0).note =
      parse_note(
          "<!-- follows the answer -->\n# Why\n\nBackward multiplies **twice** as often:\n\n"
          "| pass | products |\n| --- | ---: |\n| forward | $n$ |\n| backward | $2n$ |\n\n"
          "![What I drew](plot.png) See [the code](https://github.com/ada/assignment2) "
          "<b>now</b>.\n",
          find_picture)
          .note;
  parts.at(1).note = parse_note("The first step loads kernels.\n", find_picture).note;
  return document;
}

/// Returns the text from `first` on: the preamble before it is a copy of a template.
std::string text_from(const std::string& text, const char* first) {
  const std::size_t position = text.find(first);
  EXPECT_NE(position, text.npos) << first;
  return text.substr(position);
}

TEST(Golden, CoversEachKindOfBlockInEachFormat) {
  const Document document = noted_document();
  FakeChartTool tool;
  const Drawings drawings = draw_all({&document}, tool).front();
  expect_golden("sample.md", report_markdown(document, drawings, Answers::kFull));
  expect_golden("sample.typ", text_from(report_typst(document, drawings, {}), "#title["));
  expect_golden("sample.html",
                page_html(document, drawings, {.root = "../../../", .interactive = true}));
}

/// This test uses the pandoc that setup/install installs.
TEST(Golden, CoversEachKindOfBlockInLatex) {
  FakeChartTool tool;
  const Document document = noted_document();
  const PrintedCharts prints = print_all(draw_all({&document}, tool), tool).front();
  const std::vector<std::string> reports{report_paper(document, prints, {})};
  try {
    expect_golden(
        "sample.tex",
        text_from(ChartProcess(LABREPORT_SOURCE_DIR).render_latex(reports).front(), "\\title{"));
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace labreport::golden_test
