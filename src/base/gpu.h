// The NVIDIA devices of this machine and their state, for both programs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/nvml.h"

namespace labreport {

struct Gpu {
  int index = 0;  ///< As nvidia-smi counts.
  std::string name;
  std::string uuid;  ///< "GPU-…": secret enough to keep out of files; see `uuid_hash`.
  std::int64_t memory_bytes = 0;
  std::int64_t free_bytes = 0;
  int compute_major = 0;
  int compute_minor = 0;
  std::int64_t arithmetic_cores = 0;  ///< "CUDA cores"; 0 where the driver does not tell.
  std::int64_t max_sm_clock_mhz = 0;
  std::int64_t max_memory_clock_mhz = 0;
  std::int64_t power_limit_mw = 0;
  std::optional<bool> ecc;
  std::optional<bool> mig;
  std::optional<std::int64_t> compute_processes;  ///< Using it now; absent: the driver won't say.

  std::string compute_capability() const;  ///< "9.0"
  /// What the chip could do at its highest clock; for estimates alone. 0 when it is not known.
  double peak_fp32_flops() const;
};

/// Multiplies matrices in BF16 itself, from compute capability 8.0 on. Text that is none, as a
/// CPU's, passes.
bool computes_in_bf16(const std::string& compute_capability);

struct GpuSurvey {
  NvmlStatus status = NvmlStatus::kNoLibrary;
  std::string problem;    ///< In words when not usable.
  bool signs = false;     ///< The kernel shows a device or its driver, whatever the library says.
  std::string driver;     ///< "580.95.05"
  std::string cuda;       ///< The newest CUDA that the driver supports, "13.0".
  std::vector<Gpu> gpus;  ///< All of the machine, also those hidden by CUDA_VISIBLE_DEVICES.
};

/// Asks the driver. Never throws.
GpuSurvey survey_gpus();

/// Throws `InputError` with the remedy when the kernel shows an NVIDIA device that the driver's
/// library cannot use: that is no machine without a device.
void refuse_broken_driver(const GpuSurvey& survey);

/// The devices that CUDA_VISIBLE_DEVICES (`visible`; null: not set) leaves, in its order.
std::vector<Gpu> visible_gpus(const std::vector<Gpu>& gpus, const char* visible);

/// 16 hex digits of a one-way hash; empty for an empty `uuid`.
std::string uuid_hash(std::string_view uuid);

/// One look at a device. Absent: this driver or device does not tell.
struct GpuState {
  std::optional<std::int64_t> sm_clock_mhz;
  std::optional<std::int64_t> memory_clock_mhz;
  std::optional<std::int64_t> temperature_c;
  std::optional<std::int64_t> power_mw;
  std::optional<std::int64_t> memory_used;  ///< Bytes of the device's own memory, by all processes.
  // Cumulative nanoseconds in which a limit held the clocks down: compare two looks.
  std::optional<std::int64_t> thermal_ns;
  std::optional<std::int64_t> hardware_ns;
  std::optional<std::int64_t> power_ns;
};

/// Keeps the library open, so that a look costs microseconds.
class GpuMonitor {
 public:
  /// Null when there is no such device or no usable driver library.
  static std::unique_ptr<GpuMonitor> open(const std::string& uuid);

  Gpu describe() const;
  GpuState look() const;
  std::string driver_version() const { return nvml_->driver_version(); }

  /// Compute processes besides this one. `running`: this process holds a context, so that one of
  /// those counted is its own even where a container hides its number. Absent: not known.
  std::optional<std::int64_t> other_processes(bool running) const;

 private:
  GpuMonitor(std::unique_ptr<Nvml> nvml, Nvml::Handle device);

  std::unique_ptr<Nvml> nvml_;
  Nvml::Handle device_;
};

}  // namespace labreport
