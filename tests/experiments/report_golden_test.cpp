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
  for (const char* number : {" nan ", "(nan", " inf "}) {
    EXPECT_EQ(report.find(number), report.npos) << number << " is no number to show";
  }
}

/// The answers of one kind, in the order of the parts.
std::vector<std::string> all_answers(const Run& run, std::string Part::* kind) {
  std::vector<std::string> answers;
  for (const Section& section : build_document(run, false).sections) {
    for (const Part& part : section.parts) answers.push_back(part.*kind);
  }
  return answers;
}

/// What no report may hold: no number, nothing between marks, a tag, a plural of one.
const std::regex& wrong_words() {
  static const std::regex wrong(
      R"(\bnan\b|\binf\b|\*\*\*\*|\{\{|\( | [,.;:](?!\.)|[^.]\.\.[^./]|[^ ]  [^ ]|,,|;;)"
      R"(|(^|[^0-9.,])1 (cells|sizes|contexts|rows|launches|kernels|steps|times|calls|sequences)\b)",
      std::regex::icase);
  return wrong;
}

TEST_P(ReportGolden, SaysNothingEmptyOrNotANumber) {
  const std::string report =
      report_markdown(build_document(GetParam().make(), false), {}, Answers::kFull);
  for (const std::string& line : split(report, '\n')) {
    if (line.starts_with("    ") || line.starts_with("|")) continue;
    std::smatch found;
    EXPECT_FALSE(std::regex_search(line, found, wrong_words())) << found.str() << " in: " << line;
  }
}

/// A processor has no kernels, events or library of its own beside it, and a percentage beyond
/// twice is a factor.
TEST_P(ReportGolden, SaysNothingOfAGpuWhereThereIsNone) {
  const auto run = GetParam().make();
  if (run.devices.empty() || run.devices.front().kind != DeviceKind::kCpu) return;
  static const std::regex of_a_gpu(
      "Kernels busy|device events|SM clock|The allocator's rounding|cuBLAS|"
      "CUPTI|launch-bound|Reserved|GPU-bound|TF32 off");
  const std::string report = report_markdown(build_document(run, false), {}, Answers::kFull);
  for (const std::string& line : split(report, '\n')) {
    std::smatch found;
    EXPECT_FALSE(std::regex_search(line, found, of_a_gpu)) << found.str() << " in: " << line;
  }
}

TEST_P(ReportGolden, WritesOneMinusAndNoExponents) {
  static const std::regex wrong(R"([| ]-[0-9]|[0-9]e[-+]?[0-9])");
  const std::string report =
      report_markdown(build_document(GetParam().make(), false), {}, Answers::kFull);
  for (const std::string& line : split(report, '\n')) {
    std::smatch found;
    const bool command = line.find('`') != std::string::npos;
    EXPECT_TRUE(command || !std::regex_search(line, found, wrong)) << found.str() << ": " << line;
  }
}

TEST_P(ReportGolden, TellsNoPercentageBeyondTwiceInAnAnswer) {
  static const std::regex beyond(R"((^|[^0-9.])([1-9][0-9]{2,}|[0-9],[0-9]{3})(\.[0-9]+)? %)");
  for (const std::string& answer : all_answers(GetParam().make(), &Part::answer)) {
    EXPECT_FALSE(std::regex_search(answer, beyond)) << answer;
  }
}

TEST_P(ReportGolden, AnswersEveryPart) {
  for (const Section& section : build_document(GetParam().make(), false).sections) {
    if (!section.asked()) continue;
    for (const Part& part : section.parts) {
      EXPECT_FALSE(part.answer.empty()) << section.problem << part.letter;
      EXPECT_FALSE(part.facts.empty()) << section.problem << part.letter;
      EXPECT_FALSE(part.question.empty()) << section.problem << part.letter;
      for (const TableView& table : part.tables) {
        EXPECT_FALSE(table.rows.empty()) << section.problem << part.letter << table.title;
      }
    }
  }
}

TEST_P(ReportGolden, FactsAreNumbersInAListAndNoSentence) {
  for (const std::string& facts : all_answers(GetParam().make(), &Part::facts)) {
    for (const std::string& line : split(facts, '\n')) {
      EXPECT_TRUE(line.empty() || line.starts_with("- ")) << line;
      EXPECT_FALSE(line.ends_with(".")) << line;
      EXPECT_TRUE(line.empty() || line.find(": ") != std::string::npos) << line;
    }
  }
}

TEST_P(ReportGolden, WithoutAnswersNothingGeneratedIsLeft) {
  const auto run = GetParam().make();
  const std::string report = report_markdown(build_document(run, false), {}, Answers::kNone);
  for (const auto kind : {&Part::answer, &Part::facts}) {
    for (const std::string& answer : all_answers(run, kind)) {
      EXPECT_TRUE(answer.empty() || report.find(answer) == std::string::npos) << answer;
    }
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
