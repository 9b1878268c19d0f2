// A stand-in for the driver's management library. FAKE_NVML says which machine to play: "two" (the
// default: two unlike devices), "alike" (two alike), "threads" (those, and a thread of its own),
// "none" (a driver without devices), "broken" (no driver loaded). FAKE_NVML_SLICES: into how many
// MIG divides the first device; FAKE_NVML_MODE: its compute mode; FAKE_NVML_DISPLAY: it drives one;
// FAKE_NVML_GIB: its memory.
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

/// Returns the variable's number, or `otherwise` if it is absent.
unsigned setting(const char* name, unsigned otherwise) {
  const char* chosen = std::getenv(name);
  return chosen == nullptr ? otherwise : static_cast<unsigned>(std::atoi(chosen));
}

bool divided() { return std::getenv("FAKE_NVML_SLICES") != nullptr; }

bool is_slice(void* handle) { return handle >= std::begin(slices) && handle < std::end(slices); }

std::string play() {
  const char* chosen = std::getenv("FAKE_NVML");
  return chosen == nullptr ? "two" : chosen;
}

int write(const char* value, char* text, unsigned bytes) {
  std::strncpy(text, value, bytes);
  return kSuccess;
}

const Device& at(void* handle) { return *static_cast<Device*>(handle); }

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
  if (play() == "threads") std::thread(pause).detach();  // as the real one does
  const bool alike = play() == "alike" || play() == "threads";
  devices[1] = {devices[1].uuid, alike ? devices[0].name : "Fake K80",
                alike ? devices[0].major : 3};
  return play() == "broken" ? kDriverNotLoaded : kSuccess;
}
int nvmlShutdown() { return kSuccess; }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = play() == "none" ? 0 : 2;
  return kSuccess;
}

int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  const char* chosen = std::getenv("FAKE_NVML_DRIVER");
  return write(chosen == nullptr ? "580.95.05" : chosen, text, bytes);
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  const char* chosen = std::getenv("FAKE_NVML_CUDA");
  *version = chosen == nullptr ? 13000 : std::atoi(chosen);
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  *handle = &devices[index];
  return kSuccess;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
  for (Device* device : {&devices[0], &devices[1], &slices[0], &slices[1], &slices[2]}) {
    if (std::string(uuid) == device->uuid && (divided() || !is_slice(device))) {
      *handle = device;
      return kSuccess;
    }
  }
  return kNotFound;
}

int nvmlDeviceGetMaxMigDeviceCount(void* handle, unsigned* count) {
  *count = handle == &devices[0] && divided() ? 7 : 0;
  return kSuccess;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** slice) {
  if (index >= setting("FAKE_NVML_SLICES", 0)) return kNotFound;
  *slice = &slices[index];
  return kSuccess;
}

int nvmlDeviceIsMigDeviceHandle(void* handle, unsigned* is) {
  *is = is_slice(handle);
  return kSuccess;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* slice, void** device) {
  *device = &devices[0];
  return is_slice(slice) ? kSuccess : kInvalidArgument;
}

int nvmlDeviceGetIndex(void* handle, unsigned* index) {
  *index = static_cast<unsigned>(&at(handle) - (is_slice(handle) ? slices : devices));
  return kSuccess;
}

int nvmlDeviceGetName(void* handle, char* text, unsigned bytes) {
  return write(at(handle).name, text, bytes);
}

int nvmlDeviceGetUUID(void* handle, char* text, unsigned bytes) {
  return write(at(handle).uuid, text, bytes);
}

int nvmlDeviceGetMemoryInfo(void* handle, Memory* memory) {
  const unsigned long long gib = is_slice(handle) ? 18 : setting("FAKE_NVML_GIB", 141);
  *memory = {gib << 30, (gib - 1) << 30, 1ULL << 30};
  return kSuccess;
}

int nvmlDeviceGetCudaComputeCapability(void* handle, int* major, int* minor) {
  *major = at(handle).major;
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
  *now = *pending = handle == &devices[0] && divided();
  return at(handle).major < 8 || is_slice(handle) ? kNotSupported : kSuccess;
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

// Lists processes of the first device or its slices. FAKE_NVML_PROCESSES is "self" (this process
// and a stranger) or a number of strangers.
int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count, Process* processes) {
  const char* chosen = std::getenv("FAKE_NVML_PROCESSES");
  const std::string who = chosen == nullptr || handle == &devices[1] ? "0" : chosen;
  const unsigned wanted = who == "self" ? 2 : static_cast<unsigned>(std::atoi(who.c_str()));
  *count = std::min(*count, wanted);
  for (unsigned i = 0; i < *count; ++i) processes[i] = {4'000'000'000U + i, 0, 0, 0};
  if (who == "self") processes[0].pid = static_cast<unsigned>(getpid());
  return kSuccess;
}

}  // extern "C"
