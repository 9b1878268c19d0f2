#include "orchestrate/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/format.h"
#include "base/machine.h"
#include "base/text.h"
#include "orchestrate/worker_info.h"
#include "plan/estimate.h"

namespace labreport {
namespace {

// Rates for estimates: the share of a GPU's FP32 peak that eager forward passes reach, and the
// flop/s of a CPU's core.
constexpr double kSustainedShare = 0.63;
constexpr double kCoreRate = 2e10;

double sustained_fp32_flops(const DeviceChoice& choice) {
  if (choice.kind == DeviceKind::kCpu) {
    return kCoreRate * static_cast<double>(usable_cores().size());
  }
  return choice.gpus.empty() ? 0 : choice.gpus.front().peak_fp32_flops() * kSustainedShare;
}

std::string list_gpus(const std::vector<Gpu>& gpus) {
  std::vector<std::string> words;
  for (const Gpu& gpu : gpus) words.push_back(fmt::format("{} ({})", gpu.number(), gpu.name));
  return join_words(words);
}

/// Returns the wanted GPUs. Without a wish, returns the first GPU that can be used, as CUDA does,
/// or the first GPU if none can.
std::vector<Gpu> selected_gpus(const std::vector<Gpu>& visible,
                               const std::optional<std::vector<int>>& wanted) {
  if (!wanted) {
    const auto usable =
        std::ranges::find_if(visible, [](const Gpu& gpu) { return !gpu.refusal(); });
    return {usable == visible.end() ? visible.front() : *usable};
  }
  if (wanted->empty()) return visible;
  std::vector<Gpu> chosen;
  for (const int index : *wanted) {
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

/// Chooses without a device: the demonstration, or a plan for a device that is elsewhere.
DeviceChoice without_device(const DeviceWish& wish, const std::string& reason, bool planning) {
  if (wish.gpus) {
    throw InputError("--gpus: there is no NVIDIA device here (" + reason + ")", "leave --gpus out");
  }
  if (!wish.preset) {
    return {DeviceKind::kCpu,
            Preset::kDemo,
            {},
            "",
            "no NVIDIA device here (" + reason + "): a demonstration on the CPU"};
  }
  if (planning) return {DeviceKind::kCuda, *wish.preset, {}, "", ""};
  throw InputError(fmt::format("--preset {} needs an NVIDIA device, and there is none ({})",
                               name(*wish.preset), reason),
                   "leave --preset out for a demonstration on the CPU");
}

/// Returns the GPUs that CUDA_VISIBLE_DEVICES leaves visible. Throws if it names no device here.
VisibleGpus look_at_visible(const std::vector<Gpu>& all) {
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  VisibleGpus visible = visible_gpus(all, variable);
  if (all.empty() || !visible.gpus.empty() || visible.hidden_on_purpose()) return visible;
  throw InputError(
      fmt::format("CUDA_VISIBLE_DEVICES={} matches no GPU here, or more than one", variable),
      fmt::format("there is {}; nvidia-smi -L lists their UUIDs", list_gpus(all)));
}

/// Returns notices, also about what will prevent a planned run from starting.
std::string notices(const DeviceChoice& choice, const VisibleGpus& visible, bool planning) {
  std::vector<std::string> lines;
  if (visible.ignored) {
    lines.push_back(fmt::format(
        "CUDA_VISIBLE_DEVICES: '{}' names no other GPU here; it and what follows are ignored",
        *visible.ignored));
  }
  const Gpu& first = choice.gpus.front();
  if (first.slice && choice.gpus.size() != visible.gpus.size()) {
    lines.push_back(fmt::format(
        "GPU {} is divided (MIG): its slice {} is measured; CUDA_VISIBLE_DEVICES names another by "
        "its UUID",
        first.index, *first.slice));
  }
  for (const Gpu& gpu : choice.gpus) {
    const auto refusal = planning ? gpu.refusal() : std::nullopt;
    lines.push_back(refusal ? *refusal : gpu.disturbance());
  }
  std::erase(lines, "");
  return join(lines, "\n");
}

/// Throws if the program or the worker cannot use the GPU.
void refuse_unusable(const DeviceChoice& choice, const GpuSurvey& survey) {
  const WorkerInfo worker = find_worker();
  for (const Gpu& gpu : choice.gpus) {
    if (const auto refusal = gpu.refusal()) throw InputError(*refusal);
    if (const auto refusal = worker_refuses(worker, gpu, survey)) throw InputError(*refusal);
  }
}

}  // namespace

DeviceChoice choose_device(const DeviceWish& wish, bool planning) {
  const Preset preset = wish.preset.value_or(Preset::kFull);
  if (preset == Preset::kDemo) {
    if (wish.gpus) throw InputError("--preset demo runs on the CPU", "leave --gpus out");
    return {};
  }
  const GpuSurvey survey = survey_gpus();
  refuse_broken_driver(survey);
  const VisibleGpus visible = look_at_visible(survey.gpus);
  if (visible.gpus.empty()) {
    const bool hidden = !survey.gpus.empty();
    return without_device(wish, hidden ? "CUDA_VISIBLE_DEVICES hides all" : survey.problem,
                          planning);
  }
  DeviceChoice choice{DeviceKind::kCuda, preset, selected_gpus(visible.gpus, wish.gpus),
                      survey.driver, ""};
  const Gpu& first = choice.gpus.front();
  // A run has one kind of GPU, because its rows are compared.
  for (const Gpu& gpu : choice.gpus) {
    if (gpu.name == first.name) continue;
    throw InputError("--gpus: " + list_gpus({first, gpu}) + " are not alike",
                     "measure each kind of GPU in a run of its own");
  }
  if (!wish.gpus) {  // Cells with several ranks may also use other whole GPUs of the same kind.
    std::ranges::copy_if(visible.gpus, std::back_inserter(choice.others), [&](const Gpu& gpu) {
      return gpu.uuid != first.uuid && gpu.name == first.name && !gpu.slice && !gpu.refusal();
    });
  }
  choice.notice = notices(choice, visible, planning);
  if (!planning) refuse_unusable(choice, survey);
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
  const std::size_t share = cores.size() / std::max<std::size_t>(1, gpus.size());
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    Slot slot{gpus[i].uuid, {}, gpus[i].memory_bytes, !gpus[i].slice};
    if (gpus.size() > 1 && share > 0) {
      const auto begin = cores.begin() + static_cast<std::ptrdiff_t>(i * share);
      slot.cores.assign(begin, begin + static_cast<std::ptrdiff_t>(share));
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

std::vector<Slot> DeviceChoice::more_slots() const {
  std::vector<Slot> slots;
  for (const Gpu& gpu : others) slots.push_back({gpu.uuid, {}, gpu.memory_bytes, true});
  return slots;
}

Precision DeviceChoice::half() const {
  const bool bf16 = std::ranges::all_of(
      gpus, [](const Gpu& gpu) { return computes_in_bf16(gpu.compute_capability()); });
  return bf16 ? Precision::kBf16 : Precision::kFp16;
}

double estimate_seconds(const DeviceChoice& choice, const CellSpec& spec) {
  const double flops = sustained_fp32_flops(choice);
  return flops > 0 ? estimated_seconds(spec, flops) : 0;
}

double estimate_seconds_until_oom(const DeviceChoice& choice, const CellSpec& spec) {
  const double flops = sustained_fp32_flops(choice);
  return flops > 0 ? estimated_seconds_until_oom(spec, flops) : 0;
}

}  // namespace labreport
