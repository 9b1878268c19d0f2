// The driver's management library, opened at run time: the few calls that this program needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace labreport {

/// Under WSL, Windows lends its driver's libraries in this folder, which the loader need not know;
/// `LABREPORT_WSL` names another. Empty where there is none.
std::string windows_libraries();

/// How far one gets towards the driver.
enum class NvmlStatus {
  kNoLibrary,  ///< The library is not installed.
  kNoDriver,   ///< It is, but cannot talk to the kernel's driver.
  kNoDevice,   ///< Both work and there is no device.
  kUsable,
};

/// A started library; calls that this driver does not have or refuses answer "nothing".
class Nvml {
 public:
  using Handle = void*;

  /// `LABREPORT_NVML` names another file than `libnvidia-ml.so.1`; empty stands for "none". Where
  /// the loader does not find that, `windows_libraries()` may have it.
  /// Never throws: `status()` and `problem()` tell.
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  NvmlStatus status() const { return status_; }
  /// One line of plain words; empty when usable.
  const std::string& problem() const { return problem_; }

  std::string driver_version() const;
  std::string cuda_version() const;  ///< The newest CUDA that the driver supports, "13.0".
  unsigned count() const { return count_; }
  std::optional<Handle> device(unsigned index) const;
  std::optional<Handle> device(const std::string& uuid) const;
  /// The instances of a GPU that MIG divides; its own handle is of no use to CUDA then.
  std::vector<Handle> slices(Handle device) const;
  std::optional<Handle> whole(Handle slice) const;  ///< Nothing for what is no slice.

  /// `call` is the library's own name, such as "nvmlDeviceGetName".
  std::string text(const char* call, Handle device) const;
  std::optional<std::int64_t> number(const char* call, Handle device) const;
  std::optional<std::int64_t> number(const char* call, Handle device, unsigned which) const;
  std::optional<std::pair<int, int>> pair(const char* call, Handle device) const;

  struct Memory {
    std::int64_t total = 0;
    std::int64_t free = 0;
  };
  std::optional<Memory> memory(Handle device) const;
  /// Nanoseconds that a limit held the clocks down since the driver started.
  std::optional<std::int64_t> violation(Handle device, int policy) const;
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
  void start();
  void fail(NvmlStatus status, std::string problem);

  void* library_ = nullptr;
  bool started_ = false;
  unsigned count_ = 0;
  NvmlStatus status_ = NvmlStatus::kNoLibrary;
  std::string problem_;
};

}  // namespace labreport
