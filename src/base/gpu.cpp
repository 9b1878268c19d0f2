#include "base/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/stamp.h"
#include "base/text.h"

namespace labreport {
namespace {

// The library's numbers for what can be asked.
constexpr unsigned kSmClock = 1;
constexpr unsigned kMemoryClock = 2;
constexpr unsigned kGpuSensor = 0;
constexpr int kPowerPolicy = 0;
constexpr int kThermalPolicy = 1;
constexpr unsigned kHardwareThermalField = 252;
constexpr unsigned kPowerBrakeField = 253;

std::optional<bool> mode_now(const Nvml& nvml, const char* call, Nvml::Handle device) {
  const auto modes = nvml.pair(call, device);
  if (!modes) return std::nullopt;
  return modes->first != 0;
}

std::optional<std::int64_t> sum_of_known(std::optional<std::int64_t> a,
                                         std::optional<std::int64_t> b) {
  if (!a && !b) return std::nullopt;
  return a.value_or(0) + b.value_or(0);
}

Gpu describe_gpu(const Nvml& nvml, Nvml::Handle device) {
  Gpu gpu;
  gpu.index = static_cast<int>(nvml.number("nvmlDeviceGetIndex", device).value_or(0));
  gpu.name = nvml.text("nvmlDeviceGetName", device);
  gpu.uuid = nvml.text("nvmlDeviceGetUUID", device);
  const auto memory = nvml.memory(device).value_or(Nvml::Memory{});
  gpu.memory_bytes = memory.total;
  gpu.free_bytes = memory.free;
  std::tie(gpu.compute_major, gpu.compute_minor) =
      nvml.pair("nvmlDeviceGetCudaComputeCapability", device).value_or(std::pair(0, 0));
  gpu.arithmetic_cores = nvml.number("nvmlDeviceGetNumGpuCores", device).value_or(0);
  gpu.max_sm_clock_mhz = nvml.number("nvmlDeviceGetMaxClockInfo", device, kSmClock).value_or(0);
  gpu.max_memory_clock_mhz =
      nvml.number("nvmlDeviceGetMaxClockInfo", device, kMemoryClock).value_or(0);
  gpu.power_limit_mw = nvml.number("nvmlDeviceGetEnforcedPowerLimit", device).value_or(0);
  gpu.ecc = mode_now(nvml, "nvmlDeviceGetEccMode", device);
  gpu.mig = mode_now(nvml, "nvmlDeviceGetMigMode", device);
  const auto processes = nvml.compute_processes(device);
  if (processes) gpu.compute_processes = processes->count;
  return gpu;
}

// A set LABREPORT_NVML stands for another machine, whose kernel nobody can ask.
bool kernel_shows_device() {
  if (std::getenv("LABREPORT_NVML") != nullptr) return false;
  std::error_code ignored;
  return std::filesystem::exists("/dev/nvidia0", ignored) ||
         std::filesystem::exists("/proc/driver/nvidia/version", ignored);
}

bool names(const std::string& word, const Gpu& gpu) {
  if (word.empty()) return false;
  if (word.find_first_not_of("0123456789") == std::string::npos) {
    return word == std::to_string(gpu.index);
  }
  return gpu.uuid.starts_with(word);
}

}  // namespace

bool computes_in_bf16(const std::string& compute_capability) {
  constexpr int kFirstMajor = 8;
  int major = kFirstMajor;
  const char* text = compute_capability.data();
  std::from_chars(text, text + compute_capability.size(), major);
  return major >= kFirstMajor;
}

std::string Gpu::compute_capability() const {
  return fmt::format("{}.{}", compute_major, compute_minor);
}

double Gpu::peak_fp32_flops() const {
  constexpr double kOperationsEachClock = 2;  // a multiply-add
  return kOperationsEachClock * static_cast<double>(arithmetic_cores) * 1e6 *
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
  for (unsigned index = 0; index < nvml.count(); ++index) {
    const auto device = nvml.device(index);
    if (device) survey.gpus.push_back(describe_gpu(nvml, *device));
  }
  return survey;
}

void refuse_broken_driver(const GpuSurvey& survey) {
  if (survey.status == NvmlStatus::kUsable || !survey.signs) return;
  throw InputError(
      "the kernel shows an NVIDIA device, but it cannot be used: " + survey.problem,
      "repair the driver (nvidia-smi must work), give the container its GPUs, or ask for the "
      "demonstration on the CPU with --preset demo");
}

std::vector<Gpu> visible_gpus(const std::vector<Gpu>& gpus, const char* visible) {
  if (visible == nullptr) return gpus;
  std::vector<Gpu> chosen;
  for (const std::string& word : split(visible, ',')) {
    const auto found =
        std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return names(word, gpu); });
    if (found == gpus.end()) break;  // CUDA ignores what follows an unknown name, too
    chosen.push_back(*found);
  }
  return chosen;
}

std::string uuid_hash(std::string_view uuid) {
  return uuid.empty() ? "" : content_hash(uuid).substr(0, 16);
}

GpuMonitor::GpuMonitor(std::unique_ptr<Nvml> nvml, Nvml::Handle device)
    : nvml_(std::move(nvml)), device_(device) {}

std::unique_ptr<GpuMonitor> GpuMonitor::open(const std::string& uuid) {
  auto nvml = std::make_unique<Nvml>();
  const auto device = nvml->device(uuid);
  if (!device) return nullptr;
  return std::unique_ptr<GpuMonitor>(new GpuMonitor(std::move(nvml), *device));
}

Gpu GpuMonitor::describe() const { return describe_gpu(*nvml_, device_); }

GpuState GpuMonitor::look() const {
  GpuState state;
  state.sm_clock_mhz = nvml_->number("nvmlDeviceGetClockInfo", device_, kSmClock);
  state.memory_clock_mhz = nvml_->number("nvmlDeviceGetClockInfo", device_, kMemoryClock);
  state.temperature_c = nvml_->number("nvmlDeviceGetTemperature", device_, kGpuSensor);
  state.power_mw = nvml_->number("nvmlDeviceGetPowerUsage", device_);
  if (const auto memory = nvml_->memory(device_)) state.memory_used = memory->total - memory->free;
  state.thermal_ns = nvml_->violation(device_, kThermalPolicy);
  state.hardware_ns = sum_of_known(nvml_->field(device_, kHardwareThermalField),
                                   nvml_->field(device_, kPowerBrakeField));
  state.power_ns = nvml_->violation(device_, kPowerPolicy);
  return state;
}

std::optional<std::int64_t> GpuMonitor::other_processes(bool running) const {
  const auto processes = nvml_->compute_processes(device_);
  if (!processes) return std::nullopt;
  if (!running) return processes->count - (processes->has_this_process ? 1 : 0);
  if (processes->count == 0) return std::nullopt;  // it hides even this process
  return processes->count - 1;
}

}  // namespace labreport
