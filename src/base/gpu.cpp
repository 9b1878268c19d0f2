#include "base/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/stamp.h"
#include "base/text.h"

namespace labreport {
namespace {

// Constants of the NVML interface.
constexpr unsigned kSmClock = 1;
constexpr unsigned kMemoryClock = 2;
constexpr unsigned kGpuSensor = 0;
constexpr std::int64_t kExclusiveThread = 1;
constexpr std::int64_t kProhibited = 2;
constexpr std::int64_t kExclusiveProcess = 3;
constexpr int kPowerPolicy = 0;
constexpr int kThermalPolicy = 1;
constexpr unsigned kHardwareThermalField = 252;
constexpr unsigned kPowerBrakeField = 253;

std::optional<bool> is_mode_on(const Nvml& nvml, const char* call, Nvml::Handle device) {
  const auto modes = nvml.pair(call, device);
  if (!modes) return std::nullopt;
  return modes->first != 0;
}

std::int64_t or_zero(std::optional<std::int64_t> value) { return value.value_or(0); }

/// Returns the number of cores that the driver reports. For a slice, whose cores it does not
/// report, returns an estimate: the whole GPU's cores times the slice's fraction of the memory.
std::int64_t arithmetic_cores(const Nvml& nvml, Nvml::Handle device, Nvml::Handle whole) {
  const char* call = "nvmlDeviceGetNumGpuCores";
  if (const auto reported = nvml.number(call, device)) return *reported;
  const auto slice_memory = nvml.memory(device);
  const auto whole_memory = nvml.memory(whole);
  if (!slice_memory || !whole_memory || whole_memory->total_bytes == 0) return 0;
  return or_zero(nvml.number(call, whole)) * (slice_memory->total_bytes >> 20) /
         (whole_memory->total_bytes >> 20);
}

Gpu read_gpu(const Nvml& nvml, Nvml::Handle device) {
  const auto slice_parent = nvml.whole_gpu(device);
  const Nvml::Handle whole = slice_parent.value_or(device);
  Gpu gpu;
  gpu.index = static_cast<int>(or_zero(nvml.number("nvmlDeviceGetIndex", whole)));
  if (slice_parent)
    gpu.slice_index = static_cast<int>(or_zero(nvml.number("nvmlDeviceGetIndex", device)));
  gpu.name = nvml.text("nvmlDeviceGetName", device);
  gpu.uuid = nvml.text("nvmlDeviceGetUUID", device);
  gpu.whole_gpu_uuid = nvml.text("nvmlDeviceGetUUID", whole);
  const auto memory = nvml.memory(device).value_or(Nvml::Memory{});
  gpu.memory_bytes = memory.total_bytes;
  gpu.free_bytes = memory.free_bytes;
  std::tie(gpu.compute_major, gpu.compute_minor) =
      nvml.pair("nvmlDeviceGetCudaComputeCapability", whole).value_or(std::pair(0, 0));
  gpu.arithmetic_cores = arithmetic_cores(nvml, device, whole);
  gpu.max_sm_clock_mhz = or_zero(nvml.number("nvmlDeviceGetMaxClockInfo", whole, kSmClock));
  gpu.max_memory_clock_mhz = or_zero(nvml.number("nvmlDeviceGetMaxClockInfo", whole, kMemoryClock));
  gpu.power_limit_mw = or_zero(nvml.number("nvmlDeviceGetEnforcedPowerLimit", whole));
  gpu.ecc = is_mode_on(nvml, "nvmlDeviceGetEccMode", whole);
  gpu.mig = is_mode_on(nvml, "nvmlDeviceGetMigMode", whole);
  const auto processes = nvml.compute_processes(device);
  if (processes) gpu.compute_process_count = processes->count;
  const std::int64_t mode = or_zero(nvml.number("nvmlDeviceGetComputeMode", whole));
  gpu.is_exclusive = mode == kExclusiveThread || mode == kExclusiveProcess;
  gpu.is_prohibited = mode == kProhibited;
  gpu.drives_display = or_zero(nvml.number("nvmlDeviceGetDisplayActive", whole)) != 0;
  return gpu;
}

/// Returns false if LABREPORT_NVML simulates another machine, which this kernel does not know.
bool kernel_shows_device() {
  if (std::getenv("LABREPORT_NVML") != nullptr) return false;
  std::error_code ignored;
  return std::filesystem::exists("/dev/nvidia0", ignored) ||
         std::filesystem::exists("/proc/driver/nvidia/version", ignored) ||
         !windows_library_folder().empty();
}

/// Returns the GPU, its slices, or the one slice that the word names; empty if it names none or
/// several.
std::vector<Gpu> gpus_matching(const std::string& word, const std::vector<Gpu>& gpus) {
  std::vector<Gpu> matches;
  if (word.empty()) return matches;
  const bool is_number = std::ranges::all_of(word, is_digit);
  std::ranges::copy_if(gpus, std::back_inserter(matches), [&](const Gpu& gpu) {
    if (is_number) return std::strtol(word.c_str(), nullptr, 10) == gpu.index;
    return gpu.uuid.starts_with(word) || gpu.whole_gpu_uuid.starts_with(word);
  });
  const bool is_unambiguous = std::ranges::all_of(matches, [&](const Gpu& gpu) {
    return gpu.whole_gpu_uuid == matches.front().whole_gpu_uuid &&
           (matches.size() == 1 || !word.starts_with("MIG-"));
  });
  return is_unambiguous ? matches : std::vector<Gpu>();
}

}  // namespace

bool computes_in_bf16(const std::string& compute_capability) {
  constexpr int kFirstMajor = 8;
  return leading_number<int>(compute_capability).value_or(kFirstMajor) >= kFirstMajor;
}

std::string Gpu::label() const {
  return slice_index ? fmt::format("{}:{}", index, *slice_index) : std::to_string(index);
}

std::optional<std::string> Gpu::refusal() const {
  if (mig.value_or(false) && !slice_index) {
    return fmt::format(
        "GPU {} ({}) is in MIG mode and has no slice; make one with nvidia-smi mig -cgi, or end "
        "the mode with nvidia-smi -i {} -mig 0",
        index, name, index);
  }
  if (is_prohibited) {
    return fmt::format(
        "GPU {} ({}) is in compute mode Prohibited; set it to Default with nvidia-smi -i {} -c 0",
        index, name, index);
  }
  if (is_exclusive && compute_process_count.value_or(0) > 0) {
    return fmt::format(
        "GPU {} ({}) is in an exclusive compute mode and another process has it; wait for its end "
        "or choose another GPU with --gpus",
        label(), name);
  }
  return std::nullopt;
}

std::string Gpu::disturbance() const {
  const std::int64_t others = compute_process_count.value_or(0);
  if (others > 0) {
    return fmt::format("GPU {} is in use by {}: times and memory will suffer", label(),
                       format_plural(others, "other process", "other processes"));
  }
  if (!drives_display) return "";
  return fmt::format("GPU {} drives a display: what draws there takes time and memory", label());
}

std::string Gpu::compute_capability() const {
  return fmt::format("{}.{}", compute_major, compute_minor);
}

double Gpu::peak_fp32_flops() const {
  constexpr double kFlopsPerClock = 2;  // A multiply-add counts as two.
  return kFlopsPerClock * static_cast<double>(arithmetic_cores) * 1e6 *
         static_cast<double>(max_sm_clock_mhz);
}

GpuSurvey survey_gpus() {
  const Nvml nvml;
  GpuSurvey survey{nvml.status(), nvml.problem(), kernel_shows_device(), "", "", {}};
  if (nvml.status() == NvmlStatus::kNoLibrary || nvml.status() == NvmlStatus::kNoDriver) {
    return survey;
  }
  survey.driver = nvml.driver_version();
  survey.cuda = nvml.cuda_version();
  for (unsigned index = 0; index < nvml.device_count(); ++index) {
    const auto device = nvml.device(index);
    if (!device) continue;
    const bool is_divided = is_mode_on(nvml, "nvmlDeviceGetMigMode", *device).value_or(false);
    const auto slices = is_divided ? nvml.slices(*device) : std::vector<Nvml::Handle>();
    if (slices.empty()) survey.gpus.push_back(read_gpu(nvml, *device));
    for (const Nvml::Handle slice : slices) survey.gpus.push_back(read_gpu(nvml, slice));
  }
  return survey;
}

void refuse_broken_driver(const GpuSurvey& survey) {
  if (survey.status == NvmlStatus::kUsable || !survey.kernel_shows_device) return;
  throw InputError(
      "the kernel shows an NVIDIA device, but it cannot be used: " + survey.problem,
      "repair the driver (nvidia-smi must work), give the container its GPUs, or ask for the "
      "demonstration on the CPU with --preset demo");
}

bool VisibleGpus::are_hidden_on_purpose() const {
  constexpr std::string_view kNone[]{"", "-1", "none", "void", "NoDevFiles"};
  return gpus.empty() && ignored_word && std::ranges::find(kNone, *ignored_word) != std::end(kNone);
}

VisibleGpus visible_gpus(const std::vector<Gpu>& gpus, const char* variable) {
  if (variable == nullptr) return {gpus, std::nullopt};
  VisibleGpus result;
  for (const std::string& text : split(variable, ',')) {
    const std::string word(trimmed(text));
    const std::vector<Gpu> matches = gpus_matching(word, gpus);
    const bool is_new = !matches.empty() && std::ranges::find(result.gpus, matches.front().uuid,
                                                              &Gpu::uuid) == result.gpus.end();
    if (!is_new) {
      result.ignored_word = word;
      break;
    }
    result.gpus.insert(result.gpus.end(), matches.begin(), matches.end());
  }
  return result;
}

std::string driver_uuid(const std::string& digits) {
  const Nvml nvml;
  return (nvml.device("MIG-" + digits) ? "MIG-" : "GPU-") + digits;
}

std::string uuid_hash(std::string_view uuid) {
  return uuid.empty() ? "" : content_hash(uuid).substr(0, 16);
}

GpuMonitor::GpuMonitor(std::unique_ptr<Nvml> nvml, Nvml::Handle device)
    : nvml_(std::move(nvml)),
      device_(device),
      whole_gpu_(nvml_->whole_gpu(device).value_or(device)) {}

std::unique_ptr<GpuMonitor> GpuMonitor::open(const std::string& uuid) {
  auto nvml = std::make_unique<Nvml>();
  const auto device = nvml->device(uuid);
  if (!device) return nullptr;
  return std::unique_ptr<GpuMonitor>(new GpuMonitor(std::move(nvml), *device));
}

Gpu GpuMonitor::read() const { return read_gpu(*nvml_, device_); }

GpuState GpuMonitor::snapshot() const {
  GpuState state;
  state.sm_clock_mhz = nvml_->number("nvmlDeviceGetClockInfo", whole_gpu_, kSmClock);
  state.memory_clock_mhz = nvml_->number("nvmlDeviceGetClockInfo", whole_gpu_, kMemoryClock);
  state.temperature_c = nvml_->number("nvmlDeviceGetTemperature", whole_gpu_, kGpuSensor);
  if (const auto memory = nvml_->memory(device_))
    state.used_bytes = memory->total_bytes - memory->free_bytes;
  state.thermal_slowdown_ns = nvml_->slowdown_ns(whole_gpu_, kThermalPolicy);
  const auto thermal = nvml_->field(whole_gpu_, kHardwareThermalField);
  const auto power_brake = nvml_->field(whole_gpu_, kPowerBrakeField);
  if (thermal || power_brake) state.hardware_slowdown_ns = or_zero(thermal) + or_zero(power_brake);
  state.power_slowdown_ns = nvml_->slowdown_ns(whole_gpu_, kPowerPolicy);
  return state;
}

std::optional<std::int64_t> GpuMonitor::other_process_count(bool has_context) const {
  const auto processes = nvml_->compute_processes(device_);
  if (!processes) return std::nullopt;
  if (!has_context) return processes->count - (processes->has_this_process ? 1 : 0);
  if (processes->count == 0) return std::nullopt;  // A container may hide even this process.
  return processes->count - 1;
}

}  // namespace labreport
