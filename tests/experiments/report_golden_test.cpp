// Compares whole reports: four word for word, and rules that each must keep.
#include <gtest/gtest.h>

#include <iterator>
#include <regex>

#include "experiments/answer_budget.h"
#include "experiments/sample_runs.h"
#include "plan/memory.h"
#include "results/metric_names.h"
#include "writers/golden_files.h"
#include "writers/markdown/markdown.h"

namespace labreport::report_golden_test {
namespace {

using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::plan_input;

struct Case {
  const char* name;
  labreport::Run (*make)();
  bool drawers = true;  ///< False if another report has the same drawers.
};

void PrintTo(const Case& which, std::ostream* out) { *out << which.name; }

constexpr std::int64_t kGibibyte = 1LL << 30;

labreport::Run whole(const char* edition) { return measured(plan_input(Preset::kFull, edition)); }

labreport::Run one_size_in_one_mode(const char* edition) {
  PlanInput input = plan_input(Preset::kFull, edition);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.modes = {Mode::kForward};
  return measured(input);
}

constexpr std::int64_t kSmall = 24 * kGibibyte;

bool has_room(const CellSpec& spec) { return expected_peak(spec).total() < kSmall; }

/// Skips cells that do not fit by calculation, like a run does, and refuses memory to larger ones.
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

labreport::Run small_gpu(const char* edition) {
  labreport::Run run = measured(plan_input(Preset::kFull, edition), answer_on_small_gpu);
  for (Device& device : run.devices) device.memory_bytes = kSmall;
  return run;
}

labreport::Run nothing_ran() {
  return measured(plan_input(Preset::kQuick), [](const CellSpec&, Launch& launch) {
    end_with(launch, Crashed{11, "a <b>last</b> word | and a bar"});
  });
}

labreport::Run cut_short(const char* edition) {
  labreport::Run run = measured(plan_input(Preset::kFull, edition));
  for (std::size_t i = run.cells.size() / 2; i < run.cells.size(); ++i) {
    run.cells[i].launches.clear();
  }
  return run;
}

labreport::Run disturbed() {
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

/// A GPU without native BF16: FP16 replaces it in every row.
labreport::Run no_bf16() {
  PlanInput input = plan_input(Preset::kQuick);
  input.half = Precision::kFp16;
  labreport::Run run = measured(input);
  for (Device& device : run.devices) device.compute_capability = "7.5";
  return run;
}

labreport::Run four_precisions() {
  PlanInput input = plan_input(Preset::kQuick);
  input.selection.precisions = {Precision::kFp32, Precision::kTf32, Precision::kBf16,
                                Precision::kFp16};
  return measured(input);
}

/// The largest network fits in BF16 alone; the smallest is slower in it.
labreport::Run one_precision_fits() {
  return measured(plan_input(Preset::kFull), [](const CellSpec& spec, Launch& launch) {
    if (spec.size != "2.7B" || spec.precision != Precision::kFp32) return;
    end_with(launch, OutOfMemory{"forward", kGibibyte / 8, 23 * kGibibyte, 23 * kGibibyte});
  });
}

/// Fails in each way in which a measurement can fail, on a processor.
void fail(const CellSpec& spec, Launch& launch) {
  const bool first = spec.size == "demo-1", second = spec.size == "demo-2";
  const bool trains = spec.mode == Mode::kTrainStep;
  if (spec.kind == CellKind::kAccumulation) end_with(launch, Failed{"a <b>bad</b> word | bar"});
  if (spec.kind == CellKind::kKernels && first) end_with(launch, Crashed{11, "gone"});
  if (spec.kind == CellKind::kKernels && second && trains) end_with(launch, Skipped{"too large"});
  if (spec.kind == CellKind::kTiming && second && !trains) end_with(launch, TimedOut{600});
  if (spec.kind == CellKind::kTiming && first && trains)
    end_with(launch, OutOfMemory{"optimizer", 1 << 20, 1 << 24, 1 << 24});
}

/// Steps that vary by more than the differences in question, like on a shared processor.
Metric shaken(const Metric& metric, double first) {
  constexpr double kFactors[]{0.4, 2.2, 0.7, 1.0, 3.1, 0.9, 1.3};
  if (!metric.is_samples()) return metric;
  std::vector<std::int64_t> samples;
  for (const double sample : metric.numbers()) {
    const double factor = kFactors[samples.size() % std::size(kFactors)];
    samples.push_back(static_cast<std::int64_t>((samples.empty() ? first : factor) * sample));
  }
  return sample_metric(metric.tag, metric.name, metric.unit, samples);
}

/// A run whose first steps take 40 times as long and whose profiler shows 15 times the timer's
/// times.
labreport::Run noisy() {
  return measured(plan_input(Preset::kDemo), [](const CellSpec& spec, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (spec.kind == CellKind::kTiming) metric = shaken(metric, spec.size == "demo-1" ? 40 : 1);
      if (spec.kind == CellKind::kKernels && metric.tag == metric::kProfile) {
        const auto value = static_cast<std::int64_t>(15 * metric.number().value_or(0));
        metric = integer_metric(metric.tag, metric.name, metric.unit, value);
      }
    }
  });
}

labreport::Run of_ranks(const char* edition, std::vector<std::string> problems) {
  PlanInput input = plan_input(Preset::kFull, edition);
  input.selection.only = std::move(problems);
  return measured(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.ranks && spec.ranks->count > 2) end_with(launch, Skipped{"this host has 2 GPUs"});
  });
}

labreport::Run two_gpus() {
  return of_ranks("2026", {"distributed_communication_single_node", "data_parallel",
                           "optimizer_state_sharding_accounting", "fsdp_accounting",
                           "alternate_ring_all_reduce", "data_parallel_calcs", "fsdp_calcs",
                           "tp_calcs", "fsdp_tp_calcs"});
}

/// Together these four contain most sentences that a report can contain.
constexpr Case kGolden[]{
    {"profiling_2025", [] { return whole("2025"); }},
    {"profiling_2026", [] { return small_gpu("2026"); }, false},
    {"two_gpus", two_gpus},
    {"failures", [] { return measured(plan_input(Preset::kDemo), fail); }, false}};

constexpr Case kOthers[]{
    {"whole_2026", [] { return whole("2026"); }},
    {"demonstration", [] { return measured(plan_input(Preset::kDemo)); }},
    {"one_size", [] { return one_size_in_one_mode("2025"); }},
    {"one_size_2026", [] { return one_size_in_one_mode("2026"); }},
    {"small_gpu", [] { return small_gpu("2025"); }},
    {"nothing_ran", nothing_ran},
    {"cut_short", [] { return cut_short("2025"); }},
    {"cut_short_2026", [] { return cut_short("2026"); }},
    {"disturbed", disturbed},
    {"no_bf16", no_bf16},
    {"four_precisions", four_precisions},
    {"one_precision", one_precision_fits},
    {"noisy", noisy},
    {"arithmetic", [] { return of_ranks("2025", {"communication_accounting"}); }}};

class Reports : public testing::TestWithParam<Case> {};
class GoldenReports : public Reports {};

/// Removes methods, tables and figures from drawers, and keeps their findings.
void empty_drawers(Document& document) {
  for (Section& section : document.sections) {
    for (Part& part : section.parts) {
      part.details.method.clear();
      part.details.tables.clear();
      part.details.figures.clear();
      for (Figure& figure : part.figures) figure.table = {};
    }
  }
}

TEST_P(GoldenReports, AreWordForWord) {
  Document document = build_document(GetParam().make(), false);
  if (!GetParam().drawers) empty_drawers(document);
  expect_golden(std::string(GetParam().name) + ".md",
                golden_lines(report_markdown(document, {}, Answers::kFull)));
}

/// Sentences of situations that no golden report has.
TEST(OtherReports, SayWhatBecameOfTheirRuns) {
  const auto expect_said = [](const labreport::Run& run, const std::vector<std::string>& words) {
    const std::string report = report_markdown(build_document(run, false), {}, Answers::kFull);
    for (const std::string& sentence : words)
      EXPECT_NE(report.find(sentence), report.npos) << sentence;
  };
  expect_said(
      nothing_ran(),
      {"No size ran to its end, so there is nothing to time.", "so there are no steps to compare.",
       "No step was profiled;", "a \\<b\\>last\\</b\\> word \\| and a bar",
       "No step was recorded, so there is no curve.", "This run measured none at that context.",
       "No forward pass was recorded."});
  expect_said(no_bf16(), {"This GPU does not compute in BF16: FP16 stands in for it",
                          "FP32 and 1,700 ms in FP16, a speedup of 1.79×"});
  expect_said(four_precisions(), {"BF16 autocast makes the forward pass"});
  expect_said(disturbed(), {"thermal slowdown, shared GPU, allocated in step",
                            "shared GPU, spilled to host memory", "the loss is not finite"});
  expect_said(one_size_in_one_mode("2026"),
              {"No backward pass was profiled.", "no step with a backward pass was profiled.",
               "as activations are saved."});
}

/// Fails if the line contains something that no line may: no number, nothing between marks, a tag,
/// a plural of one, a hyphen for a minus, or an exponent.
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

/// Fails if a line about a processor mentions kernels, events or libraries of a GPU.
void expect_nothing_of_a_gpu(const std::string& line) {
  static const std::regex of_a_gpu(
      "Kernels busy|device events|SM clock|The allocator's rounding|cuBLAS|"
      "CUPTI|launch-bound|Reserved|GPU-bound|TF32 off");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(line, found, of_a_gpu)) << found.str() << " in: " << line;
}

/// Changes of more than a factor of two must be factors, not percentages.
void expect_no_large_percentage(const std::string& answer) {
  static const std::regex beyond(R"((^|[^0-9.])([1-9][0-9]{2,}|[0-9],[0-9]{3})(\.[0-9]+)? %)");
  EXPECT_FALSE(std::regex_search(answer, beyond)) << answer;
}

void expect_answered(const Part& part) {
  EXPECT_FALSE(part.answer.empty());
  EXPECT_FALSE(part.question.empty());
  for (const TableView& table : part.tables) EXPECT_FALSE(table.rows.empty()) << table.title;
}

TEST_P(Reports, HoldWhatEveryReportDoes) {
  const auto run = GetParam().make();
  const Document document = build_document(run, false);
  const std::string bare = report_markdown(document, {}, Answers::kNone);
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      SCOPED_TRACE(part.name());
      if (section.is_handout_problem()) expect_answered(part);
      expect_no_large_percentage(part.answer);
      testing_answers::expect_within_budget(part);
      EXPECT_TRUE(part.answer.empty() || bare.find(part.answer) == bare.npos) << part.answer;
    }
  }
  const bool cpu = !run.devices.empty() && run.devices.front().kind == DeviceKind::kCpu;
  std::string before;
  for (const std::string& line : split(report_markdown(document, {}, Answers::kFull), '\n')) {
    expect_words(line);
    const bool begins =
        line.starts_with("#") || (line.starts_with("|") && !before.starts_with("|"));
    EXPECT_TRUE(!begins || before.empty()) << "Markdown would join it to the paragraph: " << line;
    before = line;
    if (cpu) expect_nothing_of_a_gpu(line);
  }
}

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Golden, GoldenReports, testing::ValuesIn(kGolden), name_of);
INSTANTIATE_TEST_SUITE_P(Golden, Reports, testing::ValuesIn(kGolden), name_of);
INSTANTIATE_TEST_SUITE_P(Other, Reports, testing::ValuesIn(kOthers), name_of);

}  // namespace
}  // namespace labreport::report_golden_test
