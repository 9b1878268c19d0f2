// NVIDIA's management library (NVML), opened at run time, with the few calls that this program
// needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace labreport {

/// Returns the folder in which WSL provides the Windows driver's libraries; empty if it lacks NVML.
/// The loader may not search this folder. `LABREPORT_WSL` names another one.
std::string windows_library_folder();

/// The first missing layer between this program and a device.
enum class NvmlStatus {
  kNoLibrary,  ///< The library is not installed.
  kNoDriver,   ///< The library is installed but cannot reach the kernel's driver.
  kNoDevice,   ///< Library and driver work, but there is no device.
  kUsable,
};

/// The initialized library. Calls that the driver lacks or refuses return empty values.
class Nvml {
 public:
  using Handle = void*;

  /// Opens `libnvidia-ml.so.1`, also from `windows_library_folder()`, or the file that
  /// `LABREPORT_NVML` names, or no library if that variable is empty. Never throws: see `status()`
  /// and `problem()`.
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  NvmlStatus status() const { return status_; }
  /// Returns one line for the user; empty if usable.
  const std::string& problem() const { return problem_; }

  std::string driver_version() const;
  std::string cuda_version() const;  ///< The newest CUDA version that the driver supports, "13.0".
  unsigned device_count() const { return device_count_; }
  std::optional<Handle> device(unsigned index) const;
  std::optional<Handle> device(const std::string& uuid) const;
  /// Returns the slices of a GPU that MIG divides. CUDA can use only the slices of such a GPU.
  std::vector<Handle> slices(Handle device) const;
  std::optional<Handle> whole_gpu(Handle slice) const;  ///< The slice's GPU; empty if not a slice.

  /// `call` is a function of NVML, such as "nvmlDeviceGetName"; `which` numbers a clock or a
  /// sensor.
  std::string text(const char* call, Handle device) const;
  std::optional<std::int64_t> number(const char* call, Handle device) const;
  std::optional<std::int64_t> number(const char* call, Handle device, unsigned which) const;
  std::optional<std::pair<int, int>> pair(const char* call, Handle device) const;

  struct Memory {
    std::int64_t total_bytes = 0;
    std::int64_t free_bytes = 0;
  };
  std::optional<Memory> memory(Handle device) const;
  /// Returns the nanoseconds since the driver's start in which the limit `policy` reduced the
  /// clocks.
  std::optional<std::int64_t> slowdown_ns(Handle device, int policy) const;
  std::optional<std::int64_t> field(Handle device, unsigned field_id) const;

  struct Processes {
    std::int64_t count = 0;
    bool has_this_process = false;
  };
  std::optional<Processes> compute_processes(Handle device) const;

 private:
  template <typename... Arguments>
  int call(const char* symbol, Arguments... arguments) const;
  bool open();
  void initialize();
  void fail(NvmlStatus status, std::string problem);

  void* library_ = nullptr;
  bool is_initialized_ = false;
  unsigned device_count_ = 0;
  NvmlStatus status_ = NvmlStatus::kNoLibrary;
  std::string problem_;
};

}  // namespace labreport
