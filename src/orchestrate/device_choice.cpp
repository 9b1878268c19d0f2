#include "orchestrate/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/format.h"
#include "base/text.h"
#include "orchestrate/worker_info.h"
#include "plan/datasheet.h"
#include "plan/estimate.h"

namespace labreport {
namespace {

// Time estimates assume that eager forward passes reach this fraction of a GPU's FP32 peak.
constexpr double kSustainedPeakFraction = 0.63;
constexpr double kCoreFlopsPerSecond = 2e10;  // Estimates assume this of each CPU core.

double sustained_fp32_flops(const DeviceChoice& choice) {
  if (choice.kind == DeviceKind::kCpu) {
    return kCoreFlopsPerSecond * static_cast<double>(choice.cpu_cores);
  }
  if (choice.gpus.empty()) return 0;
  const Gpu& gpu = choice.gpus.front();
  const double peak = choice.is_elsewhere ? datasheet_peak(gpu.name, Precision::kFp32).value_or(0)
                                          : gpu.peak_fp32_flops();
  return peak * kSustainedPeakFraction;
}

std::string list_gpus(const std::vector<Gpu>& gpus) {
  std::vector<std::string> labels;
  for (const Gpu& gpu : gpus) labels.push_back(fmt::format("{} ({})", gpu.label(), gpu.name));
  return join_words(labels);
}

/// Returns the GPUs that --gpus names. Without the flag, returns the first usable GPU, as CUDA
/// does, or the first GPU if none is usable.
std::vector<Gpu> selected_gpus(const std::vector<Gpu>& visible,
                               const std::optional<std::vector<int>>& requested_indices) {
  if (!requested_indices) {
    const auto usable =
        std::ranges::find_if(visible, [](const Gpu& gpu) { return !gpu.refusal(); });
    return {usable == visible.end() ? visible.front() : *usable};
  }
  if (requested_indices->empty()) return visible;
  std::vector<Gpu> chosen;
  for (const int index : *requested_indices) {
    const auto found = std::find_if(visible.begin(), visible.end(),
                                    [&](const Gpu& gpu) { return gpu.index == index; });
    if (found == visible.end()) {
      throw InputError(fmt::format("--gpus: there is no GPU {} here", index),
                       "there is " + list_gpus(visible));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

/// Chooses the demonstration on the CPU, or a plan for a GPU of another machine.
DeviceChoice choose_without_gpu(const DeviceRequest& request, const std::string& reason,
                                bool only_planning) {
  if (!request.resumed_gpu.empty()) {
    throw InputError("this run was begun on " + request.resumed_gpu +
                         ", and there is no NVIDIA device here (" + reason + ")",
                     "resume it where its GPU is, or measure anew without --resume");
  }
  if (request.gpus) {
    throw InputError("--gpus: there is no NVIDIA device here (" + reason + ")", "leave --gpus out");
  }
  if (!request.preset) {
    return {DeviceKind::kCpu,
            Preset::kDemo,
            {},
            "",
            "no NVIDIA device here (" + reason + "): a demonstration on the CPU"};
  }
  if (only_planning) return {DeviceKind::kCuda, *request.preset, {}, "", ""};
  throw InputError(fmt::format("--preset {} needs an NVIDIA device, and there is none ({})",
                               name(*request.preset), reason),
                   "leave --preset out for a demonstration on the CPU");
}

/// Chooses a GPU that need not be here, to plan for it.
DeviceChoice choose_elsewhere(const DeviceRequest& request, Preset preset, bool only_planning) {
  if (!only_planning) {
    throw InputError("--gpu names a GPU to plan for, which need not be here",
                     "add --dry-run, or choose among the GPUs here with --gpus");
  }
  if (request.gpus) throw InputError("--gpu and --gpus both choose GPUs", "give one");
  const auto sheet = datasheet_gpu(*request.elsewhere);
  if (!sheet) {
    std::vector<std::string> names;
    for (const DatasheetGpu& gpu : datasheet_gpus()) names.emplace_back(gpu.name);
    refuse_unknown("GPU", *request.elsewhere, names);
  }
  Gpu gpu;
  gpu.name = sheet->name;
  gpu.memory_bytes = sheet->memory_bytes();
  gpu.compute_major = sheet->compute_major;
  gpu.compute_minor = sheet->compute_minor;
  DeviceChoice choice{DeviceKind::kCuda, preset, {gpu}, "", ""};
  choice.is_elsewhere = true;
  choice.notice =
      fmt::format("planned for {} by its data sheet: {} GB of memory, {} as 16-bit type", gpu.name,
                  sheet->gigabytes, describe(choice.half_precision()));
  return choice;
}

/// Returns the GPUs that CUDA_VISIBLE_DEVICES leaves visible. Throws if it hides all by mistake.
VisibleGpus checked_visible_gpus(const std::vector<Gpu>& all) {
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  VisibleGpus visible = visible_gpus(all, variable);
  if (all.empty() || !visible.gpus.empty() || visible.are_hidden_on_purpose()) return visible;
  throw InputError(
      fmt::format("CUDA_VISIBLE_DEVICES={} matches no GPU here, or more than one", variable),
      fmt::format("there is {}; nvidia-smi -L lists their UUIDs", list_gpus(all)));
}

/// Returns the notices, one a line. A plan's notices also say why a GPU would refuse to run it.
std::string notices(const DeviceChoice& choice, const VisibleGpus& visible, bool only_planning) {
  std::vector<std::string> lines;
  if (visible.ignored_word) {
    lines.push_back(fmt::format(
        "CUDA_VISIBLE_DEVICES: '{}' names no other GPU here; it and what follows are ignored",
        *visible.ignored_word));
  }
  const Gpu& first = choice.gpus.front();
  if (first.slice_index && choice.gpus.size() != visible.gpus.size()) {
    lines.push_back(fmt::format(
        "GPU {} is divided (MIG): its slice {} is measured; CUDA_VISIBLE_DEVICES names another by "
        "its UUID",
        first.index, *first.slice_index));
  }
  for (const Gpu& gpu : choice.gpus) {
    const auto refusal = only_planning ? gpu.refusal() : std::nullopt;
    lines.push_back(refusal ? *refusal : gpu.disturbance());
  }
  std::erase(lines, "");
  return join(lines, "\n");
}

/// Throws if no process can use a chosen GPU now, or if the worker was not built for it.
void refuse_unusable_gpus(const DeviceChoice& choice, const GpuSurvey& survey) {
  const WorkerInfo worker = find_worker();
  for (const Gpu& gpu : choice.gpus) {
    if (const auto refusal = gpu.refusal()) throw InputError(*refusal);
    if (const auto refusal = worker_refusal(worker, gpu, survey)) throw InputError(*refusal);
  }
}

}  // namespace

DeviceChoice choose_device(const DeviceRequest& request, bool only_planning) {
  const Preset preset = request.preset.value_or(Preset::kFull);
  if (preset == Preset::kDemo) {
    if (request.gpus) throw InputError("--preset demo runs on the CPU", "leave --gpus out");
    if (request.elsewhere) throw InputError("--preset demo runs on the CPU", "leave --gpu out");
    return {};
  }
  if (request.elsewhere) return choose_elsewhere(request, preset, only_planning);
  const GpuSurvey survey = survey_gpus();
  refuse_broken_driver(survey);
  const VisibleGpus visible = checked_visible_gpus(survey.gpus);
  if (visible.gpus.empty()) {
    const bool are_hidden = !survey.gpus.empty();
    return choose_without_gpu(
        request, are_hidden ? "CUDA_VISIBLE_DEVICES hides all" : survey.problem, only_planning);
  }
  DeviceChoice choice{DeviceKind::kCuda, preset, selected_gpus(visible.gpus, request.gpus),
                      survey.driver, ""};
  const Gpu& first = choice.gpus.front();
  // All GPUs of a run have the same name, because a report compares the run's rows.
  for (const Gpu& gpu : choice.gpus) {
    if (gpu.name == first.name) continue;
    throw InputError("--gpus: " + list_gpus({first, gpu}) + " are not alike",
                     "measure each kind of GPU in a run of its own");
  }
  if (!request.gpus) {  // Cells with several ranks may also use other whole GPUs of that name.
    std::ranges::copy_if(visible.gpus, std::back_inserter(choice.rank_only_gpus),
                         [&](const Gpu& gpu) {
                           return gpu.uuid != first.uuid && gpu.name == first.name &&
                                  !gpu.slice_index && !gpu.refusal();
                         });
  }
  choice.notice = notices(choice, visible, only_planning);
  if (!only_planning) refuse_unusable_gpus(choice, survey);
  return choice;
}

std::string DeviceChoice::name() const {
  if (kind == DeviceKind::kCpu) return "CPU demonstration (" + cpu_model() + ")";
  if (gpus.empty()) return "No NVIDIA device here";
  if (gpus.size() == 1) return gpus.front().name;
  return fmt::format("{} × {}", gpus.size(), gpus.front().name);
}

std::vector<Slot> DeviceChoice::slots() const {
  if (kind == DeviceKind::kCpu) return {{"", {}, available_memory_bytes()}};
  const std::vector<int> cores = usable_cores();
  const std::size_t cores_per_gpu = cores.size() / std::max<std::size_t>(1, gpus.size());
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    Slot slot{gpus[i].uuid, {}, gpus[i].memory_bytes, !gpus[i].slice_index};
    if (gpus.size() > 1 && cores_per_gpu > 0) {
      const auto begin = cores.begin() + static_cast<std::ptrdiff_t>(i * cores_per_gpu);
      slot.cores.assign(begin, begin + static_cast<std::ptrdiff_t>(cores_per_gpu));
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

std::vector<Slot> DeviceChoice::rank_only_slots() const {
  std::vector<Slot> slots;
  for (const Gpu& gpu : rank_only_gpus) slots.push_back({gpu.uuid, {}, gpu.memory_bytes, true});
  return slots;
}

Precision DeviceChoice::half_precision() const {
  const bool all_have_bf16 = std::ranges::all_of(
      gpus, [](const Gpu& gpu) { return computes_in_bf16(gpu.compute_capability()); });
  return all_have_bf16 ? Precision::kBf16 : Precision::kFp16;
}

double launch_seconds(const DeviceChoice& choice, const CellSpec& spec) {
  const double flops = sustained_fp32_flops(choice);
  return flops > 0 ? estimated_seconds(spec, flops) : 0;
}

double launch_seconds_until_oom(const DeviceChoice& choice, const CellSpec& spec) {
  const double flops = sustained_fp32_flops(choice);
  return flops > 0 ? estimated_seconds_until_oom(spec, flops) : 0;
}

}  // namespace labreport
