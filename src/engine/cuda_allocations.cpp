#include "engine/cuda_allocations.h"

#ifdef LABREPORT_HAS_CUDA

#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/csrc/profiler/orchestration/observer.h>

#include <atomic>
#include <optional>

#include "engine/torch_versions.h"

// Without these CUDA headers, cuda_workspace_addresses() returns no addresses.
#if __has_include(<cusparse.h>) && __has_include(<cublasLt.h>) && __has_include(<cusolverDn.h>)
#include <ATen/cuda/CUDAContextLight.h>
#define LABREPORT_HAS_WORKSPACES
#endif

namespace labreport {
namespace {

namespace caching = c10::cuda::CUDACachingAllocator;
using Action = caching::TraceEntry::Action;

std::atomic<AllocationListener*> active_listener = nullptr;

/// Returns the kind of an event; empty for one that is not reported. A free counts when it is
/// requested, as in the allocator's own statistics, even if it is completed later.
std::optional<MemoryEventKind> kind_of(Action action) {
  switch (action) {
    case Action::ALLOC:
      return MemoryEventKind::kAllocation;
    case Action::FREE_REQUESTED:
      return MemoryEventKind::kFree;
    case Action::SEGMENT_ALLOC:
    case Action::SEGMENT_MAP:
      return MemoryEventKind::kSegment;
    case Action::SEGMENT_FREE:
    case Action::SEGMENT_UNMAP:
      return MemoryEventKind::kSegmentFree;
    case Action::OOM:
      return MemoryEventKind::kOutOfMemory;
    default:
      return std::nullopt;
  }
}

void notify_listener(const caching::TraceEntry& entry) {
  AllocationListener* listener = active_listener.load();
  const auto kind = kind_of(entry.action_);
  if (listener && kind) {
    listener->on_event(*kind, entry.addr_, static_cast<std::int64_t>(entry.size_));
  }
}

/// Receives the sizes of blocks, which the allocator reports only to a thread's profiler. This
/// profiler records nothing else.
class BlockSizeProfiler : public torch::profiler::impl::ProfilerStateBase {
 public:
  BlockSizeProfiler()
      : ProfilerStateBase(
            torch::profiler::impl::ProfilerConfig(torch::profiler::impl::ProfilerState::Disabled)) {
  }

  void reportMemoryUsage(void* address, std::int64_t bytes, std::size_t, std::size_t,
                         c10::Device device) override {
    AllocationListener* listener = active_listener.load();
    if (!listener || bytes <= 0 || !device.is_cuda()) return;
    listener->on_block_size(reinterpret_cast<std::uint64_t>(address), bytes);
  }

  torch::profiler::impl::ActiveProfilerType profilerType() override {
    return torch::profiler::impl::ActiveProfilerType::NONE;
  }
};

}  // namespace

void set_cuda_listener(AllocationListener* listener) {
  static const bool attached = [] {
    caching::attachAllocatorTraceTracker(notify_listener);
    return true;
  }();
  if (attached) active_listener.store(listener);
}

std::shared_ptr<void> report_cuda_block_sizes() {
  return std::make_shared<c10::DebugInfoGuard>(c10::DebugInfoKind::PROFILER_STATE,
                                               std::make_shared<BlockSizeProfiler>());
}

std::vector<MemoryBlock> allocated_cuda_blocks() {
  std::vector<MemoryBlock> blocks;
  for (const caching::SegmentInfo& segment : caching::snapshot().segments) {
    std::uint64_t address = segment.address;
    for (const caching::BlockInfo& block : segment.blocks) {
      if (block.allocated) {
        blocks.push_back({address, static_cast<std::int64_t>(block.requested_size),
                          static_cast<std::int64_t>(block.size)});
      }
      address += block.size;
    }
  }
  return blocks;
}

std::vector<MemorySegment> cuda_segments() {
  std::vector<MemorySegment> segments;
  for (const caching::SegmentInfo& segment : caching::snapshot().segments) {
    segments.push_back({segment.address, static_cast<std::int64_t>(segment.total_size)});
  }
  return segments;
}

std::vector<std::uint64_t> cuda_workspace_addresses() {
  std::vector<std::uint64_t> addresses;
#ifdef LABREPORT_HAS_WORKSPACES
  append_workspace_addresses(at::cuda::cublas_handle_stream_to_workspace(), addresses);
#ifdef LABREPORT_HAS_LT_WORKSPACES
  append_workspace_addresses(at::cuda::cublaslt_handle_stream_to_workspace(), addresses);
#endif
#endif
  return addresses;
}

double cuda_memory_fraction() { return caching::get()->getMemoryFraction(0); }

}  // namespace labreport

#else

namespace labreport {

void set_cuda_listener(AllocationListener*) {}
std::shared_ptr<void> report_cuda_block_sizes() { return nullptr; }
std::vector<MemoryBlock> allocated_cuda_blocks() { return {}; }
std::vector<MemorySegment> cuda_segments() { return {}; }
std::vector<std::uint64_t> cuda_workspace_addresses() { return {}; }
double cuda_memory_fraction() { return 1; }

}  // namespace labreport

#endif
