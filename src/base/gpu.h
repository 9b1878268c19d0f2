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

/// One device that CUDA can have: a GPU, or a slice of one that MIG divides.
struct Gpu {
  int index = 0;             ///< As nvidia-smi counts; a slice has that of its GPU.
  std::optional<int> slice;  ///< Of a slice, as nvidia-smi counts them in their GPU.
  std::string name;
  std::string uuid;  ///< "GPU-…", "MIG-…": secret enough to keep out of files; see `uuid_hash`.
  std::string whole_uuid;  ///< The GPU's own; of a slice that of the GPU it is part of.
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
  bool exclusive = false;                         ///< One process at a time may compute on it.
  bool prohibited = false;                        ///< None may.
  bool display = false;                           ///< It drives a screen.

  std::string number() const;  ///< "0"; of a slice "0:1"
  /// Why no process can compute on it now and what to do, in a line; absent: nothing is known.
  std::optional<std::string> refusal() const;
  /// What will disturb measurements on it, in a line; empty: nothing is known.
  std::string disturbance() const;
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

struct VisibleGpus {
  std::vector<Gpu> gpus;
  /// The first word that names none, several or one that was named before: CUDA ignores it and what
  /// follows, and so does `gpus`.
  std::optional<std::string> ignored;
  /// Nothing is visible because the first word says so: empty, "-1", "none", "void", "NoDevFiles".
  bool hidden_on_purpose() const;
};

/// The devices that CUDA_VISIBLE_DEVICES (`visible`; null: not set) leaves, in its order: numbers
/// as nvidia-smi counts, UUIDs or their beginnings. A divided GPU stands for all its slices.
VisibleGpus visible_gpus(const std::vector<Gpu>& gpus, const char* visible);

/// The driver's name of the device with these digits, "GPU-…" or "MIG-…": CUDA tells the digits
/// alone.
std::string driver_uuid(const std::string& digits);

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
  Nvml::Handle whole_;  ///< Clocks, sensors and limits are the whole GPU's.
};

}  // namespace labreport
