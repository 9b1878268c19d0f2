#include "cli/fit_rows.h"

#include <algorithm>

#include "experiments/memory_profiling/what_fits.h"
#include "experiments/overview/overview.h"
#include "plan/datasheet.h"
#include "plan/editions.h"
#include "results/bounds.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

constexpr std::int64_t kContexts[]{128, 256, 512, 1024, 2048, 4096, 8192, 16384};
constexpr std::int64_t kBatches[]{1, 4, 16};
constexpr std::int64_t kRanks[]{2, 4, 8};

bool is_same_step(const CellSpec& a, const CellSpec& b) {
  return same_setting(a, b) && a.mode == b.mode &&
         a.blocks_per_checkpoint == b.blocks_per_checkpoint &&
         a.ranks.has_value() == b.ranks.has_value();
}

/// True unless the GPU's data sheet lacks the precision.
bool computes_in(const FitGpu& gpu, Precision precision) {
  return !datasheet_gpu(gpu.name) || datasheet_peak(gpu.name, precision);
}

}  // namespace

void FitEvidence::add(const Run& run, const std::string& name) {
  const Edition& edition = find_edition(run.edition);
  const auto add_size = [&](const Size& size) {
    if (std::ranges::find(sizes_, size) == sizes_.end()) sizes_.push_back(size);
  };
  std::ranges::for_each(edition.sizes, add_size);
  const RunView view(run, edition);
  if (run.source == kSourceImported || mostly_failed(run) || !view.on_gpu()) return;
  RunSummary& summary = summaries_.emplace_back();
  static_cast<RunDescription&>(summary) = overview::describe(run, view, false);
  summary.folder = name;
  summary.memory = memory_profiling::memory_evidence(view);
  std::ranges::for_each(summary.memory.networks, add_size);
  for (const auto& [spec, peak_bytes] : memory_profiling::measured_steps(run))
    measured_.push_back({name, summary.gpu(), *spec, peak_bytes});
}

const FitEvidence::Measured* FitEvidence::find_measured(const CellSpec& step,
                                                        const std::string& gpu) const {
  const Measured* found = nullptr;
  for (const Measured& measured : measured_) {
    if (measured.gpu != gpu || !is_same_step(measured.step, step)) continue;
    if (found == nullptr || (measured.peak_bytes && !found->peak_bytes)) found = &measured;
  }
  return found;
}

std::vector<FitRow> FitEvidence::rows(const std::vector<CellSpec>& steps) const {
  const std::vector<GpuRuns> gpus = runs_by_gpu(summaries_);
  const std::vector<ConfirmedGpu> confirmed = confirmed_gpus(gpus);
  const std::vector<FitGpu> fit_on = fit_gpus(confirmed);
  std::vector<FitRow> rows;
  for (const CellSpec& step : steps) {
    const std::string phase(fitted_peak(step).phase);
    for (const FitGpu& gpu : fit_on) {
      if (!computes_in(gpu, *step.precision)) continue;
      const StepFit fit = fit_of(step, gpu, confirmed);
      FitRow& row = rows.emplace_back(FitRow{.step = step,
                                             .gpu = gpu.name,
                                             .gpu_bytes = gpu.memory_bytes,
                                             .peak_bytes = fit.peak_bytes,
                                             .phase = phase,
                                             .fits = fit.fits,
                                             .basis = "unchecked"});
      if (fit.evidence != nullptr) {
        row.basis = fit.is_extrapolated ? "extrapolated" : "formula";
        row.peaks = fit.evidence->peaks.peaks;
        row.error = fit.evidence->peaks.farthest;
        row.evidence_gpu = fit.evidence->run->gpu();
        row.evidence_run = fit.evidence->run->folder;
      }
      const Measured* measured = find_measured(step, gpu.name);
      if (measured == nullptr) continue;
      row.basis = "measured";
      row.fits = measured->peak_bytes.has_value();
      row.measured_bytes = measured->peak_bytes;
      row.evidence_gpu = measured->gpu;
      row.evidence_run = measured->run;
    }
  }
  return rows;
}

std::vector<CellSpec> FitEvidence::common_steps() const {
  std::vector<CellSpec> steps;
  const auto add = [&](const CellSpec& step) {
    if (bytes_are_countable(step)) steps.push_back(step);
  };
  for (const Size& size : sizes_) {
    for (const std::int64_t context : kContexts) {
      for (const std::int64_t batch : kBatches) {
        for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
          CellSpec step;
          step.size = size.name;
          step.model = size.shape;
          step.context = context;
          step.batch = batch;
          step.precision = precision;
          for (const Mode mode : {Mode::kInference, Mode::kForwardBackward, Mode::kTrainStep}) {
            step.mode = mode;
            add(step);
          }
          for (std::int64_t blocks = 1; blocks <= size.shape.layers; blocks *= 2) {
            CellSpec with_checkpoints = step;
            with_checkpoints.blocks_per_checkpoint = blocks;
            add(with_checkpoints);
          }
          for (const std::int64_t ranks : kRanks) {
            CellSpec sharded = step;
            sharded.ranks = Ranks{ranks};
            add(sharded);
          }
        }
      }
    }
  }
  return steps;
}

}  // namespace labreport
