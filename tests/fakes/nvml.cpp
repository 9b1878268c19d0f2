// A stand-in for NVML, the driver's management library. Environment variables configure it:
//   FAKE_NVML          the machine: "two" (unlike devices, the default), "alike" (two alike
//                      devices), "threads" (two alike devices, and the library starts a thread),
//                      "none" (a driver without devices), or "broken" (no driver is loaded)
//   FAKE_NVML_SLICES   the number of MIG slices of the first device
//   FAKE_NVML_MODE     the first device's compute mode
//   FAKE_NVML_DISPLAY  1 if the first device drives a display
//   FAKE_NVML_GIB      the devices' memory in GiB
//   FAKE_NVML_DRIVER, FAKE_NVML_CUDA  the versions of the driver and of CUDA
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <thread>

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kDriverNotLoaded = 9;

struct Device {
  const char* uuid;
  const char* name;
  int major;
};

Device devices[] = {{"GPU-11111111-aaaa", "Fake H200", 9}, {"GPU-22222222-bbbb", "Fake K80", 3}};

Device slices[] = {{"MIG-33333333-cccc", "Fake H200 MIG 1g.18gb", 9},
                   {"MIG-33333333-dddd", "Fake H200 MIG 1g.18gb", 9},
                   {"MIG-44444444-eeee", "Fake H200 MIG 2g.35gb", 9}};

/// Returns the number in an environment variable, or `fallback` if the variable is not set.
unsigned setting(const char* name, unsigned fallback) {
  const char* value = std::getenv(name);
  return value == nullptr ? fallback : static_cast<unsigned>(std::atoi(value));
}

bool has_slices() { return std::getenv("FAKE_NVML_SLICES") != nullptr; }

bool is_slice(void* handle) { return handle >= std::begin(slices) && handle < std::end(slices); }

std::string machine() {
  const char* value = std::getenv("FAKE_NVML");
  return value == nullptr ? "two" : value;
}

int write_text(const char* value, char* text, unsigned bytes) {
  std::strncpy(text, value, bytes);
  return kSuccess;
}

const Device& device_of(void* handle) { return *static_cast<Device*>(handle); }

struct Memory {
  unsigned long long total, free, used;
};
struct Violation {
  unsigned long long reference_us, violation_ns;
};
struct Process {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};
struct Field {
  unsigned field_id, scope_id;
  long long timestamp, latency_us;
  int value_type, status;
  unsigned long long value;
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (machine() == "threads")
    std::thread(pause).detach();  // The real library starts a thread, too.
  const bool alike = machine() == "alike" || machine() == "threads";
  devices[1] = {devices[1].uuid, alike ? devices[0].name : "Fake K80",
                alike ? devices[0].major : 3};
  return machine() == "broken" ? kDriverNotLoaded : kSuccess;
}
int nvmlShutdown() { return kSuccess; }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = machine() == "none" ? 0 : 2;
  return kSuccess;
}

int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  const char* value = std::getenv("FAKE_NVML_DRIVER");
  return write_text(value == nullptr ? "580.95.05" : value, text, bytes);
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  const char* value = std::getenv("FAKE_NVML_CUDA");
  *version = value == nullptr ? 13000 : std::atoi(value);
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  *handle = &devices[index];
  return kSuccess;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
  for (Device* device : {&devices[0], &devices[1], &slices[0], &slices[1], &slices[2]}) {
    if (std::string(uuid) == device->uuid && (has_slices() || !is_slice(device))) {
      *handle = device;
      return kSuccess;
    }
  }
  return kNotFound;
}

int nvmlDeviceGetMaxMigDeviceCount(void* handle, unsigned* count) {
  *count = handle == &devices[0] && has_slices() ? 7 : 0;
  return kSuccess;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** slice) {
  if (index >= setting("FAKE_NVML_SLICES", 0)) return kNotFound;
  *slice = &slices[index];
  return kSuccess;
}

int nvmlDeviceIsMigDeviceHandle(void* handle, unsigned* result) {
  *result = is_slice(handle);
  return kSuccess;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* slice, void** device) {
  *device = &devices[0];
  return is_slice(slice) ? kSuccess : kInvalidArgument;
}

int nvmlDeviceGetIndex(void* handle, unsigned* index) {
  *index = static_cast<unsigned>(&device_of(handle) - (is_slice(handle) ? slices : devices));
  return kSuccess;
}

int nvmlDeviceGetName(void* handle, char* text, unsigned bytes) {
  return write_text(device_of(handle).name, text, bytes);
}

int nvmlDeviceGetUUID(void* handle, char* text, unsigned bytes) {
  return write_text(device_of(handle).uuid, text, bytes);
}

int nvmlDeviceGetMemoryInfo(void* handle, Memory* memory) {
  const unsigned long long gib = is_slice(handle) ? 18 : setting("FAKE_NVML_GIB", 141);
  *memory = {gib << 30, (gib - 1) << 30, 1ULL << 30};
  return kSuccess;
}

int nvmlDeviceGetCudaComputeCapability(void* handle, int* major, int* minor) {
  *major = device_of(handle).major;
  *minor = 0;
  return kSuccess;
}

int nvmlDeviceGetNumGpuCores(void* handle, unsigned* cores) {
  if (is_slice(handle)) return kNotSupported;
  *cores = 16896;
  return kSuccess;
}

int nvmlDeviceGetMaxClockInfo(void* handle, unsigned which, unsigned* mhz) {
  if (is_slice(handle)) return kNotSupported;
  *mhz = which == 1 ? 1980 : 3201;
  return kSuccess;
}

int nvmlDeviceGetClockInfo(void* handle, unsigned which, unsigned* mhz) {
  if (is_slice(handle)) return kNotSupported;
  *mhz = which == 1 ? 1755 : 3201;
  return kSuccess;
}

int nvmlDeviceGetEnforcedPowerLimit(void* handle, unsigned* milliwatts) {
  if (is_slice(handle)) return kNotSupported;
  *milliwatts = 700000;
  return kSuccess;
}

int nvmlDeviceGetEccMode(void* handle, unsigned* now, unsigned* pending) {
  if (is_slice(handle)) return kNotSupported;
  *now = *pending = 1;
  return kSuccess;
}

int nvmlDeviceGetMigMode(void* handle, unsigned* now, unsigned* pending) {
  *now = *pending = handle == &devices[0] && has_slices();
  return device_of(handle).major < 8 || is_slice(handle) ? kNotSupported : kSuccess;
}

int nvmlDeviceGetComputeMode(void* handle, unsigned* mode) {
  *mode = handle == &devices[0] ? setting("FAKE_NVML_MODE", 0) : 0;
  return is_slice(handle) ? kNotSupported : kSuccess;
}

int nvmlDeviceGetDisplayActive(void* handle, unsigned* active) {
  *active = handle == &devices[0] ? setting("FAKE_NVML_DISPLAY", 0) : 0;
  return is_slice(handle) ? kNotSupported : kSuccess;
}

int nvmlDeviceGetTemperature(void* handle, unsigned, unsigned* celsius) {
  if (is_slice(handle)) return kNotSupported;
  *celsius = 41;
  return kSuccess;
}

int nvmlDeviceGetViolationStatus(void* handle, int policy, Violation* violation) {
  if (is_slice(handle)) return kNotSupported;
  *violation = {1, policy == 0 ? 5000ULL : 70ULL};
  return kSuccess;
}

int nvmlDeviceGetFieldValues(void* handle, int, Field* field) {
  if (is_slice(handle)) return kNotSupported;
  field->value_type = 3;
  field->status = field->field_id == 252 ? kSuccess : kNotSupported;
  field->value = 9;
  return kSuccess;
}

// Lists the processes on the first device or its slices. FAKE_NVML_PROCESSES is "self" for this
// process and one other, or the number of other processes.
int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count, Process* processes) {
  const char* value = std::getenv("FAKE_NVML_PROCESSES");
  const std::string processes_setting = value == nullptr || handle == &devices[1] ? "0" : value;
  const bool lists_itself = processes_setting == "self";
  const int process_count = lists_itself ? 2 : std::atoi(processes_setting.c_str());
  *count = std::min(*count, static_cast<unsigned>(process_count));
  for (unsigned i = 0; i < *count; ++i) processes[i] = {4'000'000'000U + i, 0, 0, 0};
  if (lists_itself) processes[0].pid = static_cast<unsigned>(getpid());
  return kSuccess;
}

}  // extern "C"
