// NVIDIA devices of this machine and their state, for the program and its workers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/nvml.h"

namespace labreport {

/// A device that CUDA can use: a GPU, or a MIG slice of one.
struct Gpu {
  int index = 0;  ///< nvidia-smi's number of the GPU, also for a slice.
  /// nvidia-smi's number of the slice in its GPU; empty for a whole GPU.
  std::optional<int> slice_index;
  std::string name;
  /// "GPU-…" or "MIG-…". It identifies the machine, so files store `uuid_hash` of it instead.
  std::string uuid;
  std::string whole_gpu_uuid;  ///< UUID of the GPU, or of the GPU that the slice belongs to.
  std::int64_t memory_bytes = 0;
  std::int64_t free_bytes = 0;
  int compute_major = 0;
  int compute_minor = 0;
  std::int64_t arithmetic_cores = 0;  ///< "CUDA cores"; 0 if the driver does not report them.
  std::int64_t max_sm_clock_mhz = 0;
  std::int64_t max_memory_clock_mhz = 0;
  std::int64_t power_limit_mw = 0;
  std::optional<bool> ecc;  ///< True if error correction is on; absent if not reported.
  std::optional<bool> mig;  ///< True if MIG divides the GPU; absent if not reported.
  std::optional<std::int64_t> compute_process_count;  ///< Absent if not reported.
  bool is_exclusive = false;    ///< Only one process at a time may compute on it.
  bool is_prohibited = false;   ///< No process may compute on it.
  bool drives_display = false;  ///< A screen is connected to it.

  std::string label() const;  ///< "0"; for a slice "0:1".
  /// Returns one line with the reason why no process can compute on the device now, and the remedy;
  /// absent if no reason is known.
  std::optional<std::string> refusal() const;
  /// Returns one line that names what will disturb measurements; empty if nothing is known.
  std::string disturbance() const;
  std::string compute_capability() const;  ///< "9.0"
  /// Returns the estimated peak at the highest clock in FLOP/s; 0 if cores or clock are unknown.
  double peak_fp32_flops() const;
};

/// True from compute capability 8.0 on, because such GPUs multiply BF16 matrices in hardware. Also
/// true if the text is no capability, as for a CPU.
bool computes_in_bf16(const std::string& compute_capability);

struct GpuSurvey {
  NvmlStatus status = NvmlStatus::kNoLibrary;
  std::string problem;               ///< One line for the user; empty if usable.
  bool kernel_shows_device = false;  ///< The operating system shows a device or its driver.
  std::string driver;                ///< "580.95.05"
  std::string cuda;                  ///< The newest CUDA version that the driver supports, "13.0".
  /// All GPUs of the machine, including those that CUDA_VISIBLE_DEVICES hides.
  std::vector<Gpu> gpus;
};

/// Queries the driver. Never throws.
GpuSurvey survey_gpus();

/// Throws `InputError` with a remedy if the kernel shows an NVIDIA device that the driver's library
/// cannot use. Such a machine must not be treated as one without a GPU.
void refuse_broken_driver(const GpuSurvey& survey);

struct VisibleGpus {
  std::vector<Gpu> gpus;
  /// The first word that names no device, is ambiguous, or repeats a device. CUDA ignores this word
  /// and all later ones, so `gpus` lacks their devices.
  std::optional<std::string> ignored_word;
  /// True if no device is visible because the first word asks for that: empty, "-1", "none",
  /// "void", "NoDevFiles".
  bool are_hidden_on_purpose() const;
};

/// Returns the devices that CUDA_VISIBLE_DEVICES selects, in its order. `variable` is its value;
/// null if it is not set. Its words are nvidia-smi's numbers, UUIDs or their beginnings. A divided
/// GPU stands for all its slices.
VisibleGpus visible_gpus(const std::vector<Gpu>& gpus, const char* variable);

/// Returns the driver's UUID, "GPU-…" or "MIG-…", of the device whose UUID in CUDA has these
/// digits.
std::string driver_uuid(const std::string& digits);

/// Returns 16 hex digits of a one-way hash; empty for an empty `uuid`.
std::string uuid_hash(std::string_view uuid);

/// A snapshot of a device. Values that the driver or the device does not report are absent.
struct GpuState {
  std::optional<std::int64_t> sm_clock_mhz;
  std::optional<std::int64_t> memory_clock_mhz;
  std::optional<std::int64_t> temperature_c;
  std::optional<std::int64_t> used_bytes;  ///< Bytes of device memory, used by all processes.
  // `…_slowdown_ns` are the nanoseconds since the driver started in which a limit reduced clocks.
  std::optional<std::int64_t> thermal_slowdown_ns;  ///< The driver's temperature limit.
  /// The hardware's own temperature limit, or its power brake.
  std::optional<std::int64_t> hardware_slowdown_ns;
  std::optional<std::int64_t> power_slowdown_ns;  ///< The power limit.
};

/// Reads a device's state. The library stays open, so a snapshot takes microseconds.
class GpuMonitor {
 public:
  /// Returns null if there is no such device or no usable driver library.
  static std::unique_ptr<GpuMonitor> open(const std::string& uuid);

  Gpu read() const;
  GpuState snapshot() const;
  std::string driver_version() const { return nvml_->driver_version(); }

  /// Returns the number of compute processes other than this one; absent if it is not known. If
  /// `has_context`, this process has a CUDA context, so the driver counts it even if a container
  /// hides its id.
  std::optional<std::int64_t> other_process_count(bool has_context) const;

 private:
  GpuMonitor(std::unique_ptr<Nvml> nvml, Nvml::Handle device);

  std::unique_ptr<Nvml> nvml_;
  Nvml::Handle device_;
  Nvml::Handle whole_gpu_;  ///< Clocks, sensors and limits belong to the whole GPU, not to a slice.
};

}  // namespace labreport
