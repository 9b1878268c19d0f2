// A library that NVTX loads into a program (NVTX_INJECTION64_PATH). It writes the program's ranges
// to the file that ACTIVITY_COUNTER names, one on a line, indented by depth. After each range named
// "measured" it writes CUPTI's counts of the activity inside. It shares no code with the profiler.
#include <cupti.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace {

constexpr std::size_t kBufferBytes = 4u << 20;
constexpr std::size_t kAlignment = 8;
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

struct ActivitySum {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
};

std::map<CUpti_ActivityKind, ActivitySum> sums_by_kind;
std::map<std::string, ActivitySum> sums_by_kernel;
int depth = 0;
int measured_depth = -1;

// Finds the function in the CUPTI that LibTorch has loaded; null in a build without CUDA.
template <typename Function>
Function cupti(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}
#define CUPTI(function) cupti(&function, #function)

std::FILE* report() {
  static std::FILE* file = std::fopen(std::getenv("ACTIVITY_COUNTER"), "w");
  return file;
}

template <typename Record>
void count(CUpti_Activity* record) {
  const auto* activity = reinterpret_cast<Record*>(record);
  ActivitySum& sum = sums_by_kind[record->kind];
  ++sum.count;
  sum.ns += activity->end - activity->start;
}

void count_kernel(CUpti_Activity* record) {
  count<CUpti_ActivityKernel10>(record);
  const auto* kernel = reinterpret_cast<CUpti_ActivityKernel10*>(record);
  ActivitySum& kernel_sum = sums_by_kernel[kernel->name];
  ++kernel_sum.count;
  kernel_sum.ns += kernel->end - kernel->start;
}

void count_any(CUpti_Activity* record) {
  if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) count_kernel(record);
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) count<CUpti_ActivityMemcpy6>(record);
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) count<CUpti_ActivityMemset4>(record);
}

void CUPTIAPI provide_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *size = kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI consume_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                             std::size_t valid_bytes) {
  const auto next = CUPTI(cuptiActivityGetNextRecord);
  CUpti_Activity* record = nullptr;
  while (next(buffer, valid_bytes, &record) == CUPTI_SUCCESS) count_any(record);
  std::free(buffer);
}

void begin_measured() {
  measured_depth = depth;
  const auto enable = CUPTI(cuptiActivityEnable);
  const auto callbacks = CUPTI(cuptiActivityRegisterCallbacks);
  if (enable == nullptr || callbacks == nullptr) return;
  callbacks(provide_buffer, consume_buffer);
  for (const CUpti_ActivityKind kind : kKinds) enable(kind);
}

void end_measured() {
  measured_depth = -1;
  const auto flush = CUPTI(cuptiActivityFlushAll);
  if (flush != nullptr) flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const char* names[] = {"kernels", "copies", "memsets"};
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    const ActivitySum& sum = sums_by_kind[kKinds[i]];
    std::fprintf(report(), "= %s %llu %llu\n", names[i], static_cast<unsigned long long>(sum.count),
                 static_cast<unsigned long long>(sum.ns));
  }
  for (const auto& [name, sum] : sums_by_kernel) {
    std::fprintf(report(), "- %llu %llu %s\n", static_cast<unsigned long long>(sum.count),
                 static_cast<unsigned long long>(sum.ns), name.c_str());
  }
  std::fflush(report());
}

// Uses pointers to copies as handles of registered strings.
nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const char* name) {
  return reinterpret_cast<nvtxStringHandle_t>(new std::string(name));
}

int NVTX_API push(const nvtxEventAttributes_t* event) {
  const bool registered = event->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  const std::string name =
      registered ? *reinterpret_cast<const std::string*>(event->message.registered) : "?";
  std::fprintf(report(), "%*s%s\n", 2 * depth, "", name.c_str());
  if (name == "measured") begin_measured();
  return depth++;
}

int NVTX_API pop() {
  if (--depth == measured_depth) end_measured();
  return depth;
}

template <typename Function>
NvtxFunctionPointer as_nvtx_function(Function function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || report() == nullptr) return 0;
  NvtxFunctionTable core = nullptr;
  NvtxFunctionTable domains = nullptr;
  unsigned size = 0;
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &core, &size);
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &domains, &size);
  if (core == nullptr || domains == nullptr) return 0;
  *core[NVTX_CBID_CORE_RangePushEx] = as_nvtx_function(push);
  *core[NVTX_CBID_CORE_RangePop] = as_nvtx_function(pop);
  *domains[NVTX_CBID_CORE2_DomainRegisterStringA] = as_nvtx_function(register_string);
  return 1;
}
