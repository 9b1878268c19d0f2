#include "publish/run_files.h"

#include <gmock/gmock.h>

#include "writers/sample_fixture.h"

namespace labreport::exports_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

std::vector<std::string> names(const std::vector<Attachment>& files) {
  std::vector<std::string> file_names;
  for (const Attachment& file : files) file_names.push_back(file.name);
  return file_names;
}

struct Sample {
  Document document = sample_document();
  FakeChartTool tool = {};
  Drawings drawings = draw_all({&document}, tool).front();
  PrintedCharts prints = print_all({drawings}, tool).front();
};

TEST(Exports, IncludePartsAndPicturesOfLatex) {
  const Sample sample;
  EXPECT_THAT(names(latex_sources(sample.document, sample.prints, {})),
              ElementsAre("report.tex", "parts/benchmarking_script.b.tex",
                          "parts/benchmarking_script.c.tex"));
  EXPECT_THAT(names(print_files(sample.document, sample.prints)),
              IsSupersetOf({"charts/durations.pdf", "charts/durations.png", "charts/samples.pdf"}));
}

TEST(Exports, WritePartsWithoutAPreamble) {
  const Sample sample;
  const std::string part = latex_sources(sample.document, sample.prints, {})[1].bytes;
  EXPECT_THAT(part, HasSubstr("](charts/durations.pdf)"));
  EXPECT_TRUE(part.starts_with("---\n{\"formulas\":[]}\n---\n\n## (b) Forward"));
  EXPECT_TRUE(markdown_parts(sample.document, sample.drawings, Answers::kFull)[0].bytes.starts_with(
      "### (b) Forward, backward and optimizer\n"));
}

TEST(Exports, NameASinglePartAfterItsProblem) {
  Sample sample;
  sample.document.sections[0].parts.resize(1);
  sample.document.sections[0].parts[0].letter = "";
  EXPECT_THAT(names(markdown_parts(sample.document, {}, Answers::kFull)),
              ElementsAre("parts/benchmarking_script.md"));
}

TEST(Exports, MarkTheAuthorsWordsInEachPart) {
  Sample sample;
  sample.document.front.author = "Ada Lovelace";
  sample.document.sections[0].parts[0].note = AuthorNote{"My own words."};
  EXPECT_THAT(markdown_parts(sample.document, sample.drawings, Answers::kNone)[0].bytes,
              HasSubstr("My own words.\n\n*In the words of Ada Lovelace.*\n"));
}

TEST(Exports, ReplaceUnprintedFiguresByTables) {
  const Sample sample;
  const std::string report = latex_sources(sample.document, {}, {})[0].bytes;
  EXPECT_THAT(report, Not(HasSubstr("](charts/")));
  EXPECT_THAT(report, HasSubstr("**Durations of one step by phase**\n\n| size |"));
  EXPECT_THAT(print_files(sample.document, {}), IsEmpty());
}

TEST(Exports, OmitGeneratedSentencesWithoutAnswers) {
  const Sample sample;
  for (const Attachment& file : latex_sources(sample.document, {}, {.answers = Answers::kNone})) {
    EXPECT_THAT(file.bytes, Not(HasSubstr("generated"))) << file.name;
    EXPECT_THAT(file.bytes, Not(HasSubstr("vary little:"))) << file.name;
  }
}

}  // namespace
}  // namespace labreport::exports_test
