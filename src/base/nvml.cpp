#include "base/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace labreport {
namespace {

constexpr const char* kLibrary = "libnvidia-ml.so.1";
constexpr int kSuccess = 0;
constexpr int kMissingSymbol = -1;
constexpr int kDriverNotLoaded = 9;

// These structs have the layouts of NVML's structs, which NVIDIA keeps stable.
struct RawMemory {
  unsigned long long total_bytes, free_bytes, used_bytes;
};
struct RawViolation {
  unsigned long long reference_us, violation_ns;
};
struct RawProcess {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};
struct RawField {
  unsigned field_id, scope_id;
  long long timestamp, latency_us;
  int value_type, status;
  union {
    double real;
    unsigned u32;
    unsigned long long u64;
  } value;
};

constexpr int kUnsignedIntType = 1;
constexpr std::size_t kTextBytes = 128;

}  // namespace

std::string windows_library_folder() {
  const char* variable = std::getenv("LABREPORT_WSL");
  const std::string folder = variable == nullptr ? "/usr/lib/wsl/lib" : variable;
  std::error_code ignored;
  return std::filesystem::exists(folder + "/" + kLibrary, ignored) ? folder : "";
}

template <typename... Arguments>
int Nvml::call(const char* symbol, Arguments... arguments) const {
  if (library_ == nullptr) return kMissingSymbol;
  auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, symbol));
  return function == nullptr ? kMissingSymbol : function(arguments...);
}

namespace {

/// Blocks all signals while NVIDIA's library starts threads, because these inherit the mask.
/// Otherwise such a thread could receive an interrupt or a SIGCHLD that another thread waits for.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former_mask_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &former_mask_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t former_mask_;
};

}  // namespace

Nvml::Nvml() {
  const AllSignalsBlocked blocked;
  if (open()) initialize();
}

Nvml::~Nvml() {
  if (is_initialized_) call("nvmlShutdown");
  if (library_ != nullptr) dlclose(library_);
}

void Nvml::fail(NvmlStatus status, std::string problem) {
  status_ = status;
  problem_ = std::move(problem);
}

bool Nvml::open() {
  const char* variable = std::getenv("LABREPORT_NVML");
  const std::string path = variable == nullptr ? kLibrary : variable;
  if (!path.empty()) library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string windows_folder = variable == nullptr ? windows_library_folder() : "";
  if (library_ == nullptr && !windows_folder.empty()) {
    library_ = dlopen((windows_folder + "/" + kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library_ == nullptr) fail(NvmlStatus::kNoLibrary, "NVIDIA's driver library is not installed");
  return library_ != nullptr;
}

void Nvml::initialize() {
  const int status = call("nvmlInit_v2");
  is_initialized_ = status == kSuccess;
  if (status == kDriverNotLoaded) {
    return fail(NvmlStatus::kNoDriver, "NVIDIA's driver is installed but not loaded");
  }
  if (!is_initialized_) {
    return fail(
        NvmlStatus::kNoDriver,
        fmt::format("NVIDIA's driver library cannot talk to the driver (status {})", status));
  }
  call("nvmlDeviceGetCount_v2", &device_count_);
  if (device_count_ == 0) return fail(NvmlStatus::kNoDevice, "NVIDIA's driver knows no device");
  status_ = NvmlStatus::kUsable;
}

std::string Nvml::driver_version() const {
  std::array<char, kTextBytes> text{};
  const int status = call("nvmlSystemGetDriverVersion", text.data(), unsigned{kTextBytes});
  return status == kSuccess ? text.data() : "";
}

std::string Nvml::cuda_version() const {
  int version = 0;
  if (call("nvmlSystemGetCudaDriverVersion_v2", &version) != kSuccess) return "";
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::optional<Nvml::Handle> Nvml::device(unsigned index) const {
  Handle handle = nullptr;
  if (call("nvmlDeviceGetHandleByIndex_v2", index, &handle) != kSuccess) return std::nullopt;
  return handle;
}

std::optional<Nvml::Handle> Nvml::device(const std::string& uuid) const {
  Handle handle = nullptr;
  if (call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &handle) != kSuccess) return std::nullopt;
  return handle;
}

std::vector<Nvml::Handle> Nvml::slices(Handle device) const {
  unsigned max_slices = 0;
  std::vector<Handle> slices;
  if (call("nvmlDeviceGetMaxMigDeviceCount", device, &max_slices) != kSuccess) return slices;
  for (unsigned index = 0; index < max_slices; ++index) {
    Handle slice = nullptr;
    const int status = call("nvmlDeviceGetMigDeviceHandleByIndex", device, index, &slice);
    if (status == kSuccess) slices.push_back(slice);
  }
  return slices;
}

std::optional<Nvml::Handle> Nvml::whole_gpu(Handle slice) const {
  unsigned is_slice = 0;
  Handle device = nullptr;
  if (call("nvmlDeviceIsMigDeviceHandle", slice, &is_slice) != kSuccess || is_slice == 0 ||
      call("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", slice, &device) != kSuccess) {
    return std::nullopt;
  }
  return device;
}

std::string Nvml::text(const char* name, Handle device) const {
  std::array<char, kTextBytes> text{};
  const int status = call(name, device, text.data(), unsigned{kTextBytes});
  return status == kSuccess ? text.data() : "";
}

std::optional<std::int64_t> Nvml::number(const char* name, Handle device) const {
  unsigned value = 0;
  if (call(name, device, &value) != kSuccess) return std::nullopt;
  return value;
}

std::optional<std::int64_t> Nvml::number(const char* name, Handle device, unsigned which) const {
  unsigned value = 0;
  if (call(name, device, which, &value) != kSuccess) return std::nullopt;
  return value;
}

std::optional<std::pair<int, int>> Nvml::pair(const char* name, Handle device) const {
  int first = 0;
  int second = 0;
  if (call(name, device, &first, &second) != kSuccess) return std::nullopt;
  return std::pair(first, second);
}

std::optional<Nvml::Memory> Nvml::memory(Handle device) const {
  RawMemory raw{};
  if (call("nvmlDeviceGetMemoryInfo", device, &raw) != kSuccess) return std::nullopt;
  return Memory{static_cast<std::int64_t>(raw.total_bytes),
                static_cast<std::int64_t>(raw.free_bytes)};
}

std::optional<std::int64_t> Nvml::slowdown_ns(Handle device, int policy) const {
  RawViolation raw{};
  if (call("nvmlDeviceGetViolationStatus", device, policy, &raw) != kSuccess) return std::nullopt;
  return static_cast<std::int64_t>(raw.violation_ns);
}

std::optional<std::int64_t> Nvml::field(Handle device, unsigned field_id) const {
  RawField raw{};
  raw.field_id = field_id;
  if (call("nvmlDeviceGetFieldValues", device, 1, &raw) != kSuccess) return std::nullopt;
  if (raw.status != kSuccess) return std::nullopt;
  return raw.value_type == kUnsignedIntType ? std::int64_t{raw.value.u32}
                                            : static_cast<std::int64_t>(raw.value.u64);
}

std::optional<Nvml::Processes> Nvml::compute_processes(Handle device) const {
  std::vector<RawProcess> processes(256);
  auto count = static_cast<unsigned>(processes.size());
  const int status =
      call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, processes.data());
  if (status != kSuccess) return std::nullopt;
  processes.resize(count);
  const bool has_this_process = std::ranges::any_of(processes, [](const RawProcess& process) {
    return process.pid == static_cast<unsigned>(getpid());
  });
  return Processes{count, has_this_process};
}

}  // namespace labreport
