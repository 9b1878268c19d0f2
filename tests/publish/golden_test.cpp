// A report in each of its formats, whole.
#include <gtest/gtest.h>

#include "base/error.h"
#include "notes/note.h"
#include "publish/chart_renderer.h"
#include "writers/csv/table_csv.h"
#include "writers/golden_files.h"
#include "writers/html/html.h"
#include "writers/markdown/markdown.h"
#include "writers/pandoc/pandoc.h"
#include "writers/sample_fixture.h"
#include "writers/typst/typst.h"

namespace labreport::golden_test {
namespace {

void expect_golden_case(const std::string& name, const Document& document) {
  FakeChartTool tool;
  const Drawings drawings = draw_all({&document}, tool).front();
  expect_golden(name + "/report.md", report_markdown(document, drawings, Answers::kFull));
  expect_golden(name + "/report.typ", report_typst(document, drawings, {}));
  expect_golden(name + "/index.html",
                page_html(document, drawings, {.root = "../../../", .interactive = true}));
}

/// An author who signs, answers one part and adds to another.
Document noted_document() {
  Document document = sample_document();
  document.front = {"Ada Lovelace", "CS336", "https://github.com/ada/assignment2"};
  const auto find_picture = [](const std::string& target) {
    return PictureAnswer{"notes/" + target, ""};
  };
  std::vector<Part>& parts = document.sections.at(0).parts;
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

TEST(Golden, Sample) { expect_golden_case("sample", noted_document()); }

/// By the pandoc that set-up installs.
TEST(Golden, SampleAsLatex) {
  FakeChartTool tool;
  const Document document = noted_document();
  const Prints prints = print_all(draw_all({&document}, tool), tool).front();
  try {
    expect_golden(
        "sample/report.tex",
        ChartProcess(LABREPORT_SOURCE_DIR).latex({report_pandoc(document, prints, {})}).front());
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST(Golden, TablesOfTheSample) {
  const Document document = sample_document();
  for (const NamedTable& table : named_tables(document)) {
    expect_golden("sample/tables/" + table.name + ".csv", table_csv(*table.table));
  }
}

}  // namespace
}  // namespace labreport::golden_test
