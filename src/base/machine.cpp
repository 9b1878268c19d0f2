#include "base/machine.h"

#include <linux/magic.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string_view>

namespace labreport {
namespace {

namespace fs = std::filesystem;

// Variables that change results. Prefixes also match variables that later libraries add.
constexpr auto kResultPrefixes = std::to_array<std::string_view>(
    {"PYTORCH_",       "TORCH_CUDNN_", "TORCH_BLAS_", "TORCH_ALLOW_TF32_",
     "CUBLAS_",        "CUBLASLT_",    "CUDNN_",      "NVIDIA_TF32_",
     "OMP_",           "GOMP_",        "KMP_",        "MKL_",
     "OPENBLAS_",      "MALLOC_",      "ATEN_",       "DNNL_",
     "TORCHINDUCTOR_", "TORCHDYNAMO_", "NCCL_",       "TORCH_NCCL_"});
constexpr auto kResultVariables = std::to_array<std::string_view>(
    {"CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING", "CUDA_MODULE_DATA_LOADING",
     "CUDA_CACHE_DISABLE", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_AUTO_BOOST", "CUDA_FORCE_PTX_JIT",
     "CUDA_DISABLE_PTX_JIT", "CUDA_INJECTION64_PATH", "KINETO_LOG_LEVEL", "LD_PRELOAD"});

/// Returns what follows `key`, and a colon or spaces, in the first line that begins with it.
std::string value_of_key(const char* file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) continue;
    const auto begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::int64_t meminfo_bytes(std::string_view key) {
  const std::string value = value_of_key("/proc/meminfo", key);
  return value.empty() ? 0 : std::stoll(value) * 1024;
}

std::int64_t container_limit_bytes() {
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::int64_t limit = 0;
    if (std::ifstream(file) >> limit && limit > 0) return limit;
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::string cpu_model() {
  for (const char* key : {"model name", "Model", "Hardware", "cpu model"}) {
    const std::string value = value_of_key("/proc/cpuinfo", key);
    if (!value.empty()) return value;
  }
  return "unknown CPU";
}

std::vector<int> usable_cores() {
  cpu_set_t affinity;
  CPU_ZERO(&affinity);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof affinity, &affinity) != 0) return {0};
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &affinity)) cores.push_back(core);
  }
  return cores;
}

std::int64_t memory_bytes() { return std::min(meminfo_bytes("MemTotal"), container_limit_bytes()); }

std::int64_t available_memory_bytes() {
  std::int64_t used_bytes = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.current") >> used_bytes) {
    // The kernel can free the inactive page cache, so it counts as available.
    const std::string cache = value_of_key("/sys/fs/cgroup/memory.stat", "inactive_file");
    used_bytes -= cache.empty() ? 0 : std::stoll(cache);
  }
  const std::int64_t free_in_container =
      std::max<std::int64_t>(0, container_limit_bytes() - used_bytes);
  return std::min(meminfo_bytes("MemAvailable"), free_in_container);
}

std::int64_t free_disk_bytes(const fs::path& folder) {
  fs::path existing = fs::absolute(folder);
  std::error_code ignored;
  while (!fs::exists(existing, ignored) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  const auto space = fs::space(existing, ignored);
  return ignored ? 0 : static_cast<std::int64_t>(space.available);
}

bool is_in_memory(const std::filesystem::path& folder) {
  struct statfs status{};
  if (::statfs(folder.c_str(), &status) != 0) return false;
  return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::optional<std::int64_t> out_of_memory_kills() {
  for (const char* file : {"/sys/fs/cgroup/memory.events", "/proc/vmstat"}) {
    const std::string value = value_of_key(file, "oom_kill ");
    if (!value.empty()) return std::stoll(value);
  }
  return std::nullopt;
}

bool changes_results(const std::string& variable) {
  const auto begins_with = [&](std::string_view prefix) { return variable.starts_with(prefix); };
  return std::ranges::any_of(kResultPrefixes, begins_with) ||
         std::ranges::find(kResultVariables, variable) != kResultVariables.end();
}

bool is_needed_by_machine(const std::string& variable) { return variable.starts_with("NCCL_"); }

std::map<std::string, std::string> result_changing_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (!changes_results(name)) continue;
    variables[name] = text.substr(std::min(name.size() + 1, text.size()));
  }
  return variables;
}

}  // namespace labreport
