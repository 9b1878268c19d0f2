#include "document/index/memory_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "plan/datasheet.h"
#include "plan/sharding.h"

namespace labreport {
namespace {

void add_evidence(PeakEvidence& sum, const PeakEvidence& other) {
  sum.peaks.peaks += other.peaks.peaks;
  if (std::abs(other.peaks.farthest) > std::abs(sum.peaks.farthest))
    sum.peaks.farthest = other.peaks.farthest;
  // Contexts of smaller batches than the handout's count only if there are no others.
  const bool covers_batch = sum.peaks.batch >= kHandoutBatch;
  const bool other_covers_batch = other.peaks.batch >= kHandoutBatch;
  if (!covers_batch && other_covers_batch) sum.peaks.context = other.peaks.context;
  if (covers_batch == other_covers_batch)
    sum.peaks.context = std::max(sum.peaks.context, other.peaks.context);
  for (const auto member : {&ConfirmedPeaks::batch, &ConfirmedPeaks::blocks, &ConfirmedPeaks::ranks,
                            &ConfirmedPeaks::workspace})
    sum.peaks.*member = std::max(sum.peaks.*member, other.peaks.*member);
  if (other.run_peaks <= sum.run_peaks) return;
  sum.run = other.run;
  sum.run_peaks = other.run_peaks;
}

}  // namespace

CellSpec PeakEvidence::spec(const ModelShape& shape) const {
  CellSpec spec;
  spec.model = shape;
  spec.mode = mode();
  spec.precision = precision();
  return spec;
}

const PeakEvidence* ConfirmedGpu::find(const CellSpec& step) const {
  const auto found =
      std::ranges::find(evidence,
                        std::tuple(step.blocks_per_checkpoint.has_value(), step.ranks.has_value(),
                                   *step.mode, *step.precision),
                        &PeakEvidence::kind_key);
  return found == evidence.end() ? nullptr : &*found;
}

std::vector<ConfirmedGpu> confirmed_gpus(const std::vector<GpuRuns>& gpus) {
  std::vector<ConfirmedGpu> all;
  for (const GpuRuns& gpu : gpus) {
    std::vector<PeakEvidence> evidence;
    for (const RunSummary* run : gpu.runs) {
      for (const ConfirmedPeaks& peaks : run->memory.confirmed) {
        const PeakEvidence of_run{peaks, run, peaks.peaks};
        const auto known = std::ranges::find(evidence, of_run.kind_key(), &PeakEvidence::kind_key);
        if (known == evidence.end()) {
          evidence.push_back(of_run);
        } else {
          add_evidence(*known, of_run);
        }
      }
    }
    if (evidence.empty()) continue;
    std::ranges::sort(evidence, {}, &PeakEvidence::kind_key);
    const std::int64_t memory_bytes = evidence.front().run->memory.device_bytes;
    all.push_back({&gpu, memory_bytes, std::move(evidence)});
  }
  std::ranges::stable_sort(all, {}, &ConfirmedGpu::memory_bytes);
  return all;
}

ExpectedPeak fitted_peak(const CellSpec& step) {
  std::vector<ExpectedPeak> peaks = possible_peaks(as_single_process(step));
  if (step.ranks && step.mode == Mode::kTrainStep) {
    CellSpec sharded = step;
    sharded.sharding = Sharding::kOptimizer;
    for (ExpectedPeak& peak : peaks) peak.moments = held_bytes(sharded).moments;
  }
  return peaks.empty() ? ExpectedPeak{}
                       : *std::ranges::max_element(peaks, {}, &ExpectedPeak::total);
}

std::string FitGpu::memory_words() const {
  if (const auto sheet = datasheet_gpu(name)) return fmt::format("{} GB", sheet->gigabytes);
  return format_bytes(static_cast<double>(memory_bytes));
}

std::vector<FitGpu> fit_gpus(const std::vector<ConfirmedGpu>& confirmed) {
  std::vector<FitGpu> gpus;
  for (const ConfirmedGpu& gpu : confirmed)
    gpus.push_back({gpu.runs->name, gpu.memory_bytes, &gpu});
  for (const DatasheetGpu& sheet : datasheet_gpus()) {
    const bool is_measured = std::ranges::any_of(confirmed, [&](const ConfirmedGpu& gpu) {
      const auto of_gpu = datasheet_gpu(gpu.runs->name);
      return of_gpu && of_gpu->name == sheet.name;
    });
    if (!is_measured) gpus.push_back({std::string(sheet.name), sheet.memory_bytes()});
  }
  std::ranges::stable_sort(gpus, {}, &FitGpu::memory_bytes);
  return gpus;
}

StepFit fit_of(const CellSpec& step, const FitGpu& gpu,
               const std::vector<ConfirmedGpu>& confirmed) {
  const PeakEvidence* evidence = gpu.confirmed == nullptr ? nullptr : gpu.confirmed->find(step);
  if (evidence == nullptr) {
    for (const ConfirmedGpu& other : confirmed) {
      const PeakEvidence* of_other = other.find(step);
      if (of_other == nullptr) continue;
      if (evidence == nullptr || of_other->peaks.peaks > evidence->peaks.peaks) evidence = of_other;
    }
  }
  const std::int64_t workspace = evidence == nullptr ? 0 : evidence->peaks.workspace;
  const std::int64_t peak_bytes = fitted_peak(step).total() + workspace;
  return {peak_bytes, peak_bytes <= gpu.memory_bytes, evidence,
          evidence != nullptr && !evidence->covers(*step.batch, *step.context)};
}

std::string more_than(const FitGpu& largest) { return "more than " + largest.memory_words(); }

}  // namespace labreport
