// Compares four whole reports with golden files, and checks rules that every report must keep.
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
using testing_samples::fake_run;
using testing_samples::plan_input;

struct ReportCase {
  const char* name;
  labreport::Run (*make_run)();
  bool has_details = true;  ///< False if another report has the same collapsed details.
};

void PrintTo(const ReportCase& report, std::ostream* out) { *out << report.name; }

constexpr std::int64_t kGibibyte = 1LL << 30;

labreport::Run full_run(const char* edition) {
  return fake_run(plan_input(Preset::kFull, edition));
}

labreport::Run one_size_in_one_mode(const char* edition) {
  PlanInput input = plan_input(Preset::kFull, edition);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.modes = {Mode::kForward};
  return fake_run(input);
}

constexpr std::int64_t kSmallMemory = 24 * kGibibyte;

bool fits_small_memory(const CellSpec& spec) { return expected_peak(spec).total() < kSmallMemory; }

/// Skips cells that cannot fit, as a run does. Other cells with too high an expected peak run out
/// of memory.
void limit_to_small_memory(const CellSpec& spec, Launch& launch) {
  if (!spec.model || !spec.mode) return;
  if (const auto reason = why_it_does_not_fit(spec, kSmallMemory)) {
    end_with(launch, Skipped{*reason});
  } else if (spec.kind == CellKind::kMemory) {
    launch = Launch{};
    measure_memory(launch, spec, kSmallMemory);
  } else if (!fits_small_memory(spec)) {
    end_with(launch, OutOfMemory{"forward", kGibibyte / 8, 23 * kGibibyte, 23 * kGibibyte});
  }
}

labreport::Run small_gpu(const char* edition) {
  labreport::Run run = fake_run(plan_input(Preset::kFull, edition), limit_to_small_memory);
  for (Device& device : run.devices) device.memory_bytes = kSmallMemory;
  return run;
}

labreport::Run nothing_ran() {
  return fake_run(plan_input(Preset::kQuick), [](const CellSpec&, Launch& launch) {
    end_with(launch, Crashed{11, "a <b>last</b> word | and a bar"});
  });
}

labreport::Run cut_short(const char* edition) {
  labreport::Run run = fake_run(plan_input(Preset::kFull, edition));
  for (std::size_t i = run.cells.size() / 2; i < run.cells.size(); ++i) {
    run.cells[i].launches.clear();
  }
  return run;
}

labreport::Run disturbed() {
  return fake_run(plan_input(Preset::kQuick), [](const CellSpec& spec, Launch& launch) {
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
  input.half_precision = Precision::kFp16;
  labreport::Run run = fake_run(input);
  for (Device& device : run.devices) device.compute_capability = "7.5";
  return run;
}

labreport::Run four_precisions() {
  PlanInput input = plan_input(Preset::kQuick);
  input.selection.precisions = {Precision::kFp32, Precision::kTf32, Precision::kBf16,
                                Precision::kFp16};
  return fake_run(input);
}

/// The largest network fits in BF16 alone, and the smallest is slower in BF16.
labreport::Run one_precision_fits() {
  return fake_run(plan_input(Preset::kFull), [](const CellSpec& spec, Launch& launch) {
    if (spec.size != "2.7B" || spec.precision != Precision::kFp32) return;
    end_with(launch, OutOfMemory{"forward", kGibibyte / 8, 23 * kGibibyte, 23 * kGibibyte});
  });
}

/// Makes measurements on a CPU fail in each possible way.
void fail(const CellSpec& spec, Launch& launch) {
  const bool is_demo_1 = spec.size == "demo-1", is_demo_2 = spec.size == "demo-2";
  const bool is_train_step = spec.mode == Mode::kTrainStep;
  if (spec.kind == CellKind::kAccumulation) end_with(launch, Failed{"a <b>bad</b> word | bar"});
  if (spec.kind == CellKind::kKernels && is_demo_1) end_with(launch, Crashed{11, "gone"});
  if (spec.kind == CellKind::kKernels && is_demo_2 && is_train_step)
    end_with(launch, Skipped{"too large"});
  if (spec.kind == CellKind::kTiming && is_demo_2 && !is_train_step)
    end_with(launch, TimedOut{600});
  if (spec.kind == CellKind::kTiming && is_demo_1 && is_train_step)
    end_with(launch, OutOfMemory{"optimizer", 1 << 20, 1 << 24, 1 << 24});
}

/// Varies the samples by more than passes differ, as on a shared CPU. `first_factor` multiplies the
/// first sample.
Metric with_noise(const Metric& metric, double first_factor) {
  constexpr double kFactors[]{0.4, 2.2, 0.7, 1.0, 3.1, 0.9, 1.3};
  if (!metric.is_samples()) return metric;
  std::vector<std::int64_t> samples;
  for (const double sample : metric.numbers()) {
    const double factor = kFactors[samples.size() % std::size(kFactors)];
    samples.push_back(
        static_cast<std::int64_t>((samples.empty() ? first_factor : factor) * sample));
  }
  return sample_metric(metric.tag, metric.name, metric.unit, samples);
}

/// The first steps take 40 times as long, and the profiler shows 15 times the timer's times.
labreport::Run noisy() {
  return fake_run(plan_input(Preset::kDemo), [](const CellSpec& spec, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (spec.kind == CellKind::kTiming)
        metric = with_noise(metric, spec.size == "demo-1" ? 40 : 1);
      if (spec.kind == CellKind::kKernels && metric.tag == metric::kProfile) {
        const auto value = static_cast<std::int64_t>(15 * metric.number().value_or(0));
        metric = integer_metric(metric.tag, metric.name, metric.unit, value);
      }
    }
  });
}

labreport::Run run_on_two_gpus(const char* edition, std::vector<std::string> problems) {
  PlanInput input = plan_input(Preset::kFull, edition);
  input.selection.only = std::move(problems);
  return fake_run(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.ranks && spec.ranks->count > 2) end_with(launch, Skipped{"this host has 2 GPUs"});
  });
}

labreport::Run two_gpus() {
  return run_on_two_gpus("2026", {"distributed_communication_single_node", "data_parallel",
                                  "optimizer_state_sharding_accounting", "fsdp_accounting",
                                  "alternate_ring_all_reduce", "data_parallel_calcs", "fsdp_calcs",
                                  "tp_calcs", "fsdp_tp_calcs"});
}

/// These four contain most sentences that a report can contain.
constexpr ReportCase kGoldenCases[]{
    {"profiling_2025", [] { return full_run("2025"); }},
    {"profiling_2026", [] { return small_gpu("2026"); }, false},
    {"two_gpus", two_gpus},
    {"failures", [] { return fake_run(plan_input(Preset::kDemo), fail); }, false}};

constexpr ReportCase kOtherCases[]{
    {"whole_2026", [] { return full_run("2026"); }},
    {"demonstration", [] { return fake_run(plan_input(Preset::kDemo)); }},
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
    {"arithmetic", [] { return run_on_two_gpus("2025", {"communication_accounting"}); }}};

class Reports : public testing::TestWithParam<ReportCase> {};
class GoldenReports : public Reports {};

/// Removes methods, tables and figures from the collapsed details, but not the findings.
void empty_details(Document& document) {
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
  Document document = build_document(GetParam().make_run(), false);
  if (!GetParam().has_details) empty_details(document);
  expect_golden(std::string(GetParam().name) + ".md",
                golden_lines(report_markdown(document, {}, Answers::kFull)));
}

TEST(OtherReports, SayWhatBecameOfTheirRuns) {
  const auto expect_sentences = [](const labreport::Run& run,
                                   const std::vector<std::string>& sentences) {
    const std::string report = report_markdown(build_document(run, false), {}, Answers::kFull);
    for (const std::string& sentence : sentences)
      EXPECT_NE(report.find(sentence), report.npos) << sentence;
  };
  expect_sentences(
      nothing_ran(),
      {"This run does not answer this question.", "No step was profiled;",
       "a \\<b\\>last\\</b\\> word \\| and a bar", "No step was recorded, so there is no curve.",
       "No forward pass was recorded."});
  expect_sentences(no_bf16(), {"This GPU does not compute in BF16: FP16 stands in for it",
                               "FP32 and 1,703 ms in FP16, a speedup of 1.79×"});
  expect_sentences(four_precisions(), {"BF16 autocast makes the forward pass"});
  expect_sentences(disturbed(), {"thermal slowdown, shared GPU, allocated in step",
                                 "shared GPU, spilled to host memory", "the loss is not finite"});
}

/// Fails if the line contains something that no line may: "nan", nothing between marks, a template
/// tag, a plural after 1, a hyphen for a minus, or an exponent.
void expect_clean_line(const std::string& line) {
  static const std::regex wrong_words(
      R"(\bnan\b|\binf\b|\*\*\*\*|\{\{|\( | [,.;:](?!\.)|[^.]\.\.[^./]|[^ ]  [^ ]|,,|;;)"
      R"(|(^|[^0-9.,])1 (cells|sizes|contexts|rows|launches|kernels|steps|times|calls|sequences)\b)",
      std::regex::icase);
  static const std::regex wrong_number(R"([| ]-[0-9]|[0-9]e[-+]?[0-9])");
  std::smatch match;
  const bool is_text = !line.starts_with("    ") && !line.starts_with("|");
  EXPECT_FALSE(is_text && std::regex_search(line, match, wrong_words))
      << match.str() << " in: " << line;
  const bool has_code = line.find('`') != std::string::npos;
  EXPECT_FALSE(!has_code && std::regex_search(line, match, wrong_number))
      << match.str() << ": " << line;
  for (const char* not_finite : {" nan ", "(nan", " inf "}) {
    EXPECT_EQ(line.find(not_finite), line.npos) << not_finite << " is no number to show";
  }
}

/// Fails if a line of a CPU's report mentions kernels, events or libraries of a GPU.
void expect_no_gpu_words(const std::string& line) {
  static const std::regex gpu_words(
      "Kernels busy|device events|SM clock|The allocator's rounding|cuBLAS|"
      "CUPTI|launch-bound|Reserved|GPU-bound|TF32 off");
  std::smatch match;
  EXPECT_FALSE(std::regex_search(line, match, gpu_words)) << match.str() << " in: " << line;
}

/// Fails if a change by more than a factor of two is a percentage.
void expect_no_large_percentage(const std::string& answer) {
  static const std::regex over_100_percent(
      R"((^|[^0-9.])([1-9][0-9]{2,}|[0-9],[0-9]{3})(\.[0-9]+)? %)");
  EXPECT_FALSE(std::regex_search(answer, over_100_percent)) << answer;
}

void expect_answered(const Part& part) {
  EXPECT_FALSE(part.answer.empty());
  EXPECT_FALSE(part.question.empty());
  for (const TableView& table : part.tables) EXPECT_FALSE(table.rows.empty()) << table.title;
}

TEST_P(Reports, KeepTheRulesOfEveryReport) {
  const auto run = GetParam().make_run();
  const Document document = build_document(run, false);
  const std::string without_answers = report_markdown(document, {}, Answers::kNone);
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      SCOPED_TRACE(part.name());
      if (section.is_handout_problem()) expect_answered(part);
      expect_no_large_percentage(part.answer);
      testing_answers::expect_within_budget(part);
      EXPECT_TRUE(part.answer.empty() || without_answers.find(part.answer) == without_answers.npos)
          << part.answer;
    }
  }
  const bool is_cpu = !run.devices.empty() && run.devices.front().kind == DeviceKind::kCpu;
  std::string previous;
  for (const std::string& line : split(report_markdown(document, {}, Answers::kFull), '\n')) {
    expect_clean_line(line);
    const bool begins_block =
        line.starts_with("#") || (line.starts_with("|") && !previous.starts_with("|"));
    EXPECT_TRUE(!begins_block || previous.empty())
        << "Markdown would join it to the paragraph: " << line;
    previous = line;
    if (is_cpu) expect_no_gpu_words(line);
  }
}

std::string name_of(const testing::TestParamInfo<ReportCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Golden, GoldenReports, testing::ValuesIn(kGoldenCases), name_of);
INSTANTIATE_TEST_SUITE_P(Golden, Reports, testing::ValuesIn(kGoldenCases), name_of);
INSTANTIATE_TEST_SUITE_P(Other, Reports, testing::ValuesIn(kOtherCases), name_of);

}  // namespace
}  // namespace labreport::report_golden_test
