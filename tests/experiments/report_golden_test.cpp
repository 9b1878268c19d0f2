// The Markdown report of runs as readers meet them, held against tests/golden/report/<case>.md.
// LABREPORT_UPDATE_GOLDEN=1 writes the files anew: read the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "base/files.h"
#include "base/text.h"
#include "experiments/sample_runs.h"
#include "plan/memory.h"
#include "report/markdown.h"

namespace labreport {
namespace {

using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::plan_input;

constexpr std::int64_t kGibibyte = 1LL << 30;

struct GoldenCase {
  const char* name;
  Run (*make)();
};

Run whole_run() { return measured(plan_input(Preset::kFull)); }

Run whole_2026() { return measured(plan_input(Preset::kFull, "2026")); }

Run one_size_in_one_mode(const char* edition) {
  PlanInput input = plan_input(Preset::kFull, edition);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.modes = {Mode::kForward};
  return measured(input);
}

constexpr std::int64_t kSmall = 24 * kGibibyte;

bool has_room(const CellSpec& spec) { return expected_peak(spec).total() < kSmall; }

/// What does not fit by arithmetic is skipped, as in a run; what needs more is refused it.
void answer_on_small_gpu(const CellSpec& spec, Launch& launch) {
  if (!spec.model || !spec.mode) return;
  if (const auto reason = cannot_fit(spec, kSmall)) {
    end_with(launch, Skipped{*reason});
  } else if (spec.kind == CellKind::kMemory) {
    launch = Launch{};
    measure_memory(launch, spec, kSmall);
  } else if (!has_room(spec)) {
    end_with(launch, OutOfMemory{"forward", kGibibyte / 8, 23 * kGibibyte, 23 * kGibibyte});
  }
}

Run small_gpu(const char* edition) {
  Run run = measured(plan_input(Preset::kFull, edition), answer_on_small_gpu);
  for (Device& device : run.devices) device.memory_bytes = kSmall;
  return run;
}

Run nothing_ran() {
  return measured(plan_input(Preset::kQuick), [](const CellSpec&, Launch& launch) {
    end_with(launch, Crashed{11, "a <b>last</b> word | and a bar"});
  });
}

Run cut_short(const char* edition) {
  Run run = measured(plan_input(Preset::kFull, edition));
  for (std::size_t i = run.cells.size() / 2; i < run.cells.size(); ++i) {
    run.cells[i].launches.clear();
  }
  return run;
}

Run disturbed() {
  return measured(plan_input(Preset::kQuick), [](const CellSpec& spec, Launch& launch) {
    if (spec.size != "medium") return;
    launch.conditions = {integer_metric("slowdown", "thermal", "ns", 5'000'000),
                         integer_metric("gpu", "other_processes", "1", 2),
                         integer_metric("gpu", "device_allocations", "1", 1)};
    if (spec.kind == CellKind::kMemory && spec.mode == Mode::kTrainStep) {
      launch.conditions.push_back(integer_metric("gpu", "spilled", "B", 3LL << 30));
    }
    launch.warnings = {"the loss is not finite"};
  });
}

/// Without BF16 of its own: FP16 stands in its place, on every row.
Run no_bf16() {
  PlanInput input = plan_input(Preset::kQuick);
  input.half = Precision::kFp16;
  Run run = measured(input);
  for (Device& device : run.devices) device.compute_capability = "7.5";
  return run;
}

Run four_precisions() {
  PlanInput input = plan_input(Preset::kQuick);
  input.selection.precisions = {Precision::kFp32, Precision::kTf32, Precision::kBf16,
                                Precision::kFp16};
  return measured(input);
}

/// The largest network fits in BF16 alone; the smallest is slower in it.
Run one_precision_fits() {
  return measured(plan_input(Preset::kFull), [](const CellSpec& spec, Launch& launch) {
    if (spec.size != "2.7B" || spec.precision != Precision::kFp32) return;
    end_with(launch, OutOfMemory{"forward", kGibibyte / 8, 23 * kGibibyte, 23 * kGibibyte});
  });
}

Run demonstration() { return measured(plan_input(Preset::kDemo)); }

const GoldenCase kCases[]{{"whole", whole_run},
                          {"whole-2026", whole_2026},
                          {"one-size", [] { return one_size_in_one_mode("2025"); }},
                          {"one-size-2026", [] { return one_size_in_one_mode("2026"); }},
                          {"small-gpu", [] { return small_gpu("2025"); }},
                          {"small-gpu-2026", [] { return small_gpu("2026"); }},
                          {"nothing-ran", nothing_ran},
                          {"cut-short", [] { return cut_short("2025"); }},
                          {"cut-short-2026", [] { return cut_short("2026"); }},
                          {"disturbed", disturbed},
                          {"no-bf16", no_bf16},
                          {"four-precisions", four_precisions},
                          {"one-precision", one_precision_fits},
                          {"demonstration", demonstration}};

class ReportGolden : public testing::TestWithParam<GoldenCase> {};

TEST_P(ReportGolden, IsWhatReadersGet) {
  const auto path = std::filesystem::path(LABREPORT_SOURCE_DIR) / "tests/golden/report" /
                    (std::string(GetParam().name) + ".md");
  const std::string report =
      report_markdown(build_document(GetParam().make(), false), {}, Answers::kFull);
  if (std::getenv("LABREPORT_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    write_atomically(path, report);
  }
  EXPECT_EQ(report, read_file(path));
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

TEST_P(ReportGolden, AnswersEveryPart) {
  for (const Section& section : build_document(GetParam().make(), false).sections) {
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

/// The answers of one kind, in the order of the parts.
std::vector<std::string> all_answers(const Run& run, std::string Part::* kind) {
  std::vector<std::string> answers;
  for (const Section& section : build_document(run, false).sections) {
    for (const Part& part : section.parts) answers.push_back(part.*kind);
  }
  return answers;
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

INSTANTIATE_TEST_SUITE_P(Cases, ReportGolden, testing::ValuesIn(kCases), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace labreport
