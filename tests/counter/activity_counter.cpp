// A library that NVTX loads into a program (NVTX_INJECTION64_PATH): it writes the program's ranges
// to the file that ACTIVITY_COUNTER names, a line each, indented by depth, and after each range
// named "measured" CUPTI's counts of the activity inside it. It shares no code with the profiler
// that it checks.
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

struct Seen {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
};

std::map<CUpti_ActivityKind, Seen> seen;
std::map<std::string, Seen> kernels;
int depth = 0;
int measured_at = -1;

// Finds CUPTI where LibTorch loaded it; a processor's worker does not use it.
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
  Seen& sum = seen[record->kind];
  ++sum.count;
  sum.ns += activity->end - activity->start;
}

void count_kernel(CUpti_Activity* record) {
  count<CUpti_ActivityKernel10>(record);
  const auto* kernel = reinterpret_cast<CUpti_ActivityKernel10*>(record);
  Seen& own = kernels[kernel->name];
  ++own.count;
  own.ns += kernel->end - kernel->start;
}

void count_any(CUpti_Activity* record) {
  if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) count_kernel(record);
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) count<CUpti_ActivityMemcpy6>(record);
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) count<CUpti_ActivityMemset4>(record);
}

void CUPTIAPI want_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *size = kBufferBytes;
  *most = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  const auto next = CUPTI(cuptiActivityGetNextRecord);
  CUpti_Activity* record = nullptr;
  while (next(buffer, valid, &record) == CUPTI_SUCCESS) count_any(record);
  std::free(buffer);
}

void begin() {
  measured_at = depth;
  const auto enable = CUPTI(cuptiActivityEnable);
  const auto callbacks = CUPTI(cuptiActivityRegisterCallbacks);
  if (enable == nullptr || callbacks == nullptr) return;
  callbacks(want_buffer, take_buffer);
  for (const CUpti_ActivityKind kind : kKinds) enable(kind);
}

void end() {
  measured_at = -1;
  const auto flush = CUPTI(cuptiActivityFlushAll);
  if (flush != nullptr) flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const char* names[] = {"kernels", "copies", "memsets"};
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    const Seen& sum = seen[kKinds[i]];
    std::fprintf(report(), "= %s %llu %llu\n", names[i], static_cast<unsigned long long>(sum.count),
                 static_cast<unsigned long long>(sum.ns));
  }
  for (const auto& [name, sum] : kernels) {
    std::fprintf(report(), "- %llu %llu %s\n", static_cast<unsigned long long>(sum.count),
                 static_cast<unsigned long long>(sum.ns), name.c_str());
  }
  std::fflush(report());
}

// Uses pointers to copies as handles of registered strings.
nvtxStringHandle_t NVTX_API keep_name(nvtxDomainHandle_t, const char* name) {
  return reinterpret_cast<nvtxStringHandle_t>(new std::string(name));
}

int NVTX_API push(const nvtxEventAttributes_t* event) {
  const bool registered = event->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  const std::string name =
      registered ? *reinterpret_cast<const std::string*>(event->message.registered) : "?";
  std::fprintf(report(), "%*s%s\n", 2 * depth, "", name.c_str());
  if (name == "measured") begin();
  return depth++;
}

int NVTX_API pop() {
  if (--depth == measured_at) end();
  return depth;
}

template <typename Function>
NvtxFunctionPointer erased(Function function) {
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
  *core[NVTX_CBID_CORE_RangePushEx] = erased(push);
  *core[NVTX_CBID_CORE_RangePop] = erased(pop);
  *domains[NVTX_CBID_CORE2_DomainRegisterStringA] = erased(keep_name);
  return 1;
}
