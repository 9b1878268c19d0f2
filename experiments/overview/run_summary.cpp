// Summarizes a run for pages over several runs.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "experiments/chosen_problems.h"
#include "experiments/memory_profiling/what_fits.h"
#include "experiments/overview/overview.h"

namespace labreport::overview {
namespace {

/// Returns "NVIDIA H200", or "2 × NVIDIA H200" if ranks ran on several.
std::string device_words(const RunView& view) {
  const Device* device = view.device();
  if (device == nullptr) return "no device";
  std::int64_t gpus = 1;
  for (const Cell& cell : view.run().cells) {
    if (!cell.spec.ranks || cell.spec.device != DeviceKind::kCuda) continue;
    if (ok_launch(cell) != nullptr) gpus = std::max(gpus, cell.spec.ranks->count);
  }
  return gpus == 1 ? device->name : fmt::format("{} × {}", gpus, device->name);
}

/// Names the report's problems if there are three or fewer, else the first and how many more.
std::string problem_words(const Document& report) {
  constexpr std::size_t kMaxNames = 3;
  std::vector<std::string> names;
  for (const Section& section : report.sections) {
    if (section.is_handout_problem()) names.push_back(section.problem);
  }
  if (names.size() <= kMaxNames) return join_words(names);
  return fmt::format("{} and {} more", names.front(), names.size() - 1);
}

}  // namespace

std::optional<Run> users_part(const Run& run) {
  if (!measures_both_networks(run)) return std::nullopt;
  Run part = without_labreports_network(run);
  // The user's step and parts stand beside labreport's schemes in the same tables.
  std::ranges::copy_if(run.cells, std::back_inserter(part.cells), [](const Cell& cell) {
    return cell.spec.ranks && cell.spec.kind != CellKind::kAllReduce &&
           cell.spec.implementation.empty();
  });
  return part;
}

RunDescription describe(const Run& run, const RunView& presented, bool reference) {
  constexpr std::size_t kRevisionDigits = 8;
  RunDescription description{.device = device_words(presented),
                             .edition = run.edition,
                             .preset = run.preset,
                             .outcome = outcome_line(presented.run()),
                             .demonstration = !presented.on_gpu(),
                             .reference = reference};
  description.incomplete =
      std::ranges::any_of(run.cells, [](const Cell& cell) { return cell.launches.empty(); });
  if (!run.sessions.empty()) {
    description.started_at = run.sessions.front().started_at;
    description.revision = run.sessions.front().revision.substr(0, kRevisionDigits);
  }
  return description;
}

RunSummary run_summary(const Run& run, const Document* report) {
  const std::optional<Run> part = users_part(run);
  const RunView view(part ? *part : run, find_edition(run.edition));
  RunSummary summary{report == nullptr ? describe(run, view, false) : RunDescription(*report)};
  const bool failed = mostly_failed(run);
  if (!failed) {
    if (measures_profiling(run)) summary.headline = headline(view);
    summary.quantities = quantities(view);
    summary.steps = limited_steps(view);
    summary.memory = memory_profiling::memory_evidence(RunView(run, view.edition()));
  }
  summary.machine = machine_facts(view);
  if (report == nullptr) return summary;
  for (Quantity& quantity : summary.quantities) {
    // Pages round to four digits once more, which with fewer digits here would differ from the
    // report's own rounding. Short numbers keep the file small.
    for (auto& [name, value] : quantity.values) value = std::stod(fmt::format("{:.8g}", value));
    if (!report->has_part(quantity.part)) quantity.part.clear();
  }
  summary.title = report->title;
  if (summary.headline.network.empty()) summary.problems = problem_words(*report);
  return summary;
}

}  // namespace labreport::overview
