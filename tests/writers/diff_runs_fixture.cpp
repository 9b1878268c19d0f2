#include "writers/diff_runs.h"

#include "analysis/compared_runs.h"
#include "writers/hostile_fixture.h"

namespace labreport {
namespace {

using namespace testing_samples;

Cell cell_of_kind(CellKind kind, std::string_view tag, std::string_view name, std::string_view unit,
                  std::int64_t value) {
  CellSpec spec = network_spec(Mode::kTrainStep);
  spec.kind = kind;
  spec.steps = 1;
  Launch launch;
  launch.device = 0;
  launch.metrics = {integer_metric(tag, name, unit, value)};
  return {cell_id(spec), spec, {launch}};
}

Cell memory(std::int64_t bytes) {
  return cell_of_kind(CellKind::kMemory, metric::kMemory, metric::kPeakAllocated, "B", bytes);
}

Cell kernels(std::int64_t ns) {
  return cell_of_kind(CellKind::kKernels, metric::kProfile, metric::kBusy, "ns", ns);
}

/// Returns a timed cell whose launch also has synchronized steps, which have phases.
Cell phased_cell(const CellSpec& spec, double total) {
  Cell cell = timing_cell(spec, {total});
  for (const auto& [name, tenths] :
       {std::pair(metric::kForward, 3), {metric::kBackward, 6}, {metric::kOptimizer, 1}}) {
    const auto ns = static_cast<std::int64_t>(total) / 10 * tenths;
    cell.launches.front().metrics.push_back(
        sample_metric(metric::kSynced, name, "ns", {ns, ns, ns}));
  }
  return cell;
}

labreport::Run first_gpu() {
  labreport::Run run = run_on_another_gpu(true);
  run.cells.push_back(phased_cell(network_spec(Mode::kTrainStep, Precision::kBf16), 2e7));
  run.cells.push_back(memory(3LL << 30));
  run.cells.push_back(kernels(30'000'000));
  return run;
}

labreport::Run second_gpu() {
  labreport::Run run = run_on_another_gpu(false);
  run.cells.push_back(phased_cell(network_spec(Mode::kTrainStep, Precision::kBf16), 9e7));
  run.cells.push_back(memory(1));
  run.cells.back().launches.front().outcome = Skipped{"needs 30.0 GiB, the device has 24.0 GiB"};
  run.cells.back().launches.front().metrics.clear();
  run.cells.push_back(kernels(95'000'000));
  return run;
}

/// Summarizes a side's run: the kernels of a step, whose times are proportional to `factor`.
RunSummary summary_of(const ComparedRun& side, double factor) {
  RunSummary summary{};
  summary.device = side.device;
  summary.quantities = {
      {.topic = topic::kKernels,
       .network = side.device == hostile_name() ? hostile_name() : "tiny",
       .precision = "BF16",
       .unit = "ms",
       .values = {{"forward, GEMM", 4 * factor}, {"backward, GEMM", 8 * factor}, {"other", 3}}}};
  return summary;
}

void make_hostile(labreport::Run& run) {
  run.preset = run.devices.front().name = hostile_name();
  Session& session = run.sessions.front();
  session.started_at = session.revision = session.cpu = session.software.driver = hostile_name();
  for (Cell& cell : run.cells) {
    if (cell.spec.model) cell.spec.size = hostile_name();
    for (Launch& launch : cell.launches) {
      if (!is_ok(launch.outcome)) launch.outcome = Skipped{hostile_name()};
    }
  }
}

}  // namespace

Comparison one_machine() {
  labreport::Run a = three_launches();
  labreport::Run b = three_launches();
  a.cells.push_back(timing_cell(network_spec(Mode::kInference), {5e6, 6e6, 7e6}));
  b.cells[1] = timing_cell(network_spec(Mode::kForward), {9e6, 9.01e6, 9.02e6});
  b.cells.push_back(timing_cell(network_spec(Mode::kInference), {5e6, 7e6, 8e6}));
  b.cells.push_back(timing_cell(network_spec(Mode::kInference, Precision::kBf16), {5e6}));
  return compare_runs(a, b);
}

Comparison two_gpus() { return compare_runs(first_gpu(), second_gpu()); }

Comparison gpu_and_published_table() {
  labreport::Run a = first_gpu();
  a.cells.push_back(timing_cell(network_spec(Mode::kForwardBackward), {3e7}));
  const auto phases =
      phased_cell(network_spec(Mode::kForwardBackward), 3e7).launches.front().metrics;
  a.cells.back().launches.front().metrics = phases;
  labreport::Run b = imported_run();
  Cell step = b.cells.front();
  step.spec.mode = Mode::kForwardBackward;
  step.id = cell_id(step.spec);
  b.cells.push_back(step);
  return compare_runs(a, b);
}

Comparison hostile_comparison() {
  labreport::Run a = first_gpu();
  labreport::Run b = second_gpu();
  make_hostile(a);
  make_hostile(b);
  Comparison comparison = compare_runs(a, b);
  comparison.b.table_titles = {hostile_name(), "\\input{x} #read(\"x\")"};
  comparison.b.table_sources = {"javascript:alert(1)", "a", "b"};
  return comparison;
}

std::string hostile_name() { return hostile_words() + "\xC2\x9B" + std::string(300, 'W'); }

Document document_of(const Comparison& comparison) {
  return diff_document(comparison,
                       {"site/runs/a",
                        "../../nvidia-h200/2025/20260501-101500-a1b2c3d/index.html",
                        {summary_of(comparison.a, 1)}},
                       {"B’s 'run'", "", {summary_of(comparison.b, 4)}});
}

}  // namespace labreport
