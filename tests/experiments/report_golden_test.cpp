// What runs as readers meet them say: the whole Markdown report of three, the answers of the
// others, held against tests/golden/report/<case>.md. LABREPORT_UPDATE_GOLDEN=1 writes the files
// anew: read the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "base/files.h"
#include "base/text.h"
#include "experiments/catalog.h"
#include "experiments/report_cases.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

class ReportGolden : public testing::TestWithParam<report_cases::Case> {};

/// Each part's answer and what its details says of this run, and nothing else of the report.
std::string answers_alone(const Document& document) {
  std::string text;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      text += "## " + part.name() + "\n\n" + part.answer + "\n";
      if (!part.details.findings.empty()) text += "\n" + part.details.findings + "\n";
      text += "\n";
    }
  }
  return text;
}

TEST_P(ReportGolden, IsWhatReadersGet) {
  const auto path = std::filesystem::path(LABREPORT_SOURCE_DIR) / "tests/golden/report" /
                    (std::string(GetParam().name) + ".md");
  const Document document = build_document(GetParam().make(), false);
  const std::string report =
      GetParam().whole ? report_markdown(document, {}, Answers::kFull) : answers_alone(document);
  if (std::getenv("LABREPORT_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    write_atomically(path, report);
  }
  EXPECT_EQ(report, read_file(path));
}

/// What no line of a report may hold: no number, nothing between marks, a tag, a plural of one; a
/// hyphen for a minus, an exponent.
void expect_words(const std::string& line) {
  static const std::regex wrong(
      R"(\bnan\b|\binf\b|\*\*\*\*|\{\{|\( | [,.;:](?!\.)|[^.]\.\.[^./]|[^ ]  [^ ]|,,|;;)"
      R"(|(^|[^0-9.,])1 (cells|sizes|contexts|rows|launches|kernels|steps|times|calls|sequences)\b)",
      std::regex::icase);
  static const std::regex number(R"([| ]-[0-9]|[0-9]e[-+]?[0-9])");
  std::smatch found;
  const bool words = !line.starts_with("    ") && !line.starts_with("|");
  EXPECT_FALSE(words && std::regex_search(line, found, wrong)) << found.str() << " in: " << line;
  const bool command = line.find('`') != std::string::npos;
  EXPECT_FALSE(!command && std::regex_search(line, found, number)) << found.str() << ": " << line;
  for (const char* none : {" nan ", "(nan", " inf "}) {
    EXPECT_EQ(line.find(none), line.npos) << none << " is no number to show";
  }
}

/// A processor has no kernels, events or library of its own beside it.
void expect_nothing_of_a_gpu(const std::string& line) {
  static const std::regex of_a_gpu(
      "Kernels busy|device events|SM clock|The allocator's rounding|cuBLAS|"
      "CUPTI|launch-bound|Reserved|GPU-bound|TF32 off");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(line, found, of_a_gpu)) << found.str() << " in: " << line;
}

/// Beyond twice a percentage is a factor.
void expect_no_large_percentage(const std::string& answer) {
  static const std::regex beyond(R"((^|[^0-9.])([1-9][0-9]{2,}|[0-9],[0-9]{3})(\.[0-9]+)? %)");
  EXPECT_FALSE(std::regex_search(answer, beyond)) << answer;
}

void expect_answered(const Part& part) {
  EXPECT_FALSE(part.answer.empty());
  EXPECT_FALSE(part.question.empty());
  for (const TableView& table : part.tables) EXPECT_FALSE(table.rows.empty()) << table.title;
}

TEST_P(ReportGolden, HoldsWhatEveryReportDoes) {
  const auto run = GetParam().make();
  const Document document = build_document(run, false);
  const std::string bare = report_markdown(document, {}, Answers::kNone);
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      SCOPED_TRACE(part.name());
      if (section.asked()) expect_answered(part);
      expect_no_large_percentage(part.answer);
      EXPECT_TRUE(part.answer.empty() || bare.find(part.answer) == bare.npos) << part.answer;
    }
  }
  const bool cpu = !run.devices.empty() && run.devices.front().kind == DeviceKind::kCpu;
  for (const std::string& line : split(report_markdown(document, {}, Answers::kFull), '\n')) {
    expect_words(line);
    if (cpu) expect_nothing_of_a_gpu(line);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ReportGolden, testing::ValuesIn(report_cases::all()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace labreport
