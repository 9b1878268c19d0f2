#include "engine/host_allocator.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/machine.h"

namespace labreport {
namespace {

constexpr std::uint8_t kBeforeTheDefault = 100;
// Requests of at least this many bytes are compared with the memory left, which is slow to read.
constexpr std::size_t kLarge = std::size_t{256} << 20;

/// Passes requests on to the default allocator and counts them.
class CountingAllocator : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* inner) : inner_(inner) {}

  c10::DataPtr allocate(std::size_t bytes) override {
    void* memory = bytes == 0 ? nullptr : take(bytes);
    return {memory, memory, &CountingAllocator::give_back, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &CountingAllocator::give_back; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

  void listen(AllocationListener* listener) {
    const std::scoped_lock lock(mutex_);
    listener_ = listener;
  }
  AllocatorCounts counts() {
    const std::scoped_lock lock(mutex_);
    return counts_;
  }
  void reset_peak() {
    const std::scoped_lock lock(mutex_);
    counts_.peak_allocated = counts_.peak_requested = counts_.allocated;
  }
  std::vector<MemoryBlock> blocks() {
    const std::scoped_lock lock(mutex_);
    std::vector<MemoryBlock> blocks;
    for (const auto& [address, bytes] : sizes_) blocks.push_back({address, bytes, bytes});
    return blocks;
  }

 private:
  static void give_back(void* memory);

  void* take(std::size_t bytes);
  void report(MemoryEventKind kind, std::uint64_t address, std::int64_t bytes) {
    if (listener_) listener_->happened(kind, address, bytes);
  }
  void count(std::int64_t change) {
    counts_.allocated += change;
    counts_.requested = counts_.allocated;
    counts_.peak_allocated = std::max(counts_.peak_allocated, counts_.allocated);
    counts_.peak_requested = counts_.peak_allocated;
  }
  void note(void* memory, std::int64_t bytes);
  void forget(void* memory);

  c10::Allocator* inner_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::int64_t> sizes_;
  AllocatorCounts counts_;
  AllocationListener* listener_ = nullptr;
};

CountingAllocator* installed = nullptr;

void* CountingAllocator::take(std::size_t bytes) try {
  // Linux grants more memory than exists and kills a process that uses it. The default allocator
  // does not know a container's limit, so the request is compared with the memory left here.
  TORCH_CHECK(bytes < kLarge || std::cmp_less_equal(bytes, available_memory_bytes()),
              "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", bytes,
              " bytes; the machine has ", available_memory_bytes(), " left");
  void* memory = inner_->raw_allocate(bytes);
  note(memory, static_cast<std::int64_t>(bytes));
  return memory;
} catch (const std::exception&) {
  const std::scoped_lock lock(mutex_);
  report(MemoryEventKind::kOutOfMemory, 0, static_cast<std::int64_t>(bytes));
  throw;
}

void CountingAllocator::give_back(void* memory) {
  if (memory == nullptr) return;
  installed->forget(memory);
  installed->inner_->raw_deallocate(memory);
}

void CountingAllocator::note(void* memory, std::int64_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const std::scoped_lock lock(mutex_);
  sizes_[address] = bytes;
  count(bytes);
  report(MemoryEventKind::kAllocation, address, bytes);
  if (listener_) listener_->took(address, bytes);
}

void CountingAllocator::forget(void* memory) {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const std::scoped_lock lock(mutex_);
  const auto found = sizes_.find(address);
  if (found == sizes_.end()) return;
  const std::int64_t bytes = found->second;
  sizes_.erase(found);
  count(-bytes);
  report(MemoryEventKind::kFree, address, bytes);
}

}  // namespace

void count_host_allocations() {
  if (installed) return;
  // The allocator is never freed, because LibTorch uses it until the process ends.
  installed = new CountingAllocator(c10::GetDefaultCPUAllocator());
  c10::SetCPUAllocator(installed, kBeforeTheDefault);
}

void set_host_listener(AllocationListener* listener) {
  if (installed) installed->listen(listener);
}

std::optional<AllocatorCounts> host_counts() {
  if (!installed) return std::nullopt;
  return installed->counts();
}

void reset_host_peak() {
  if (installed) installed->reset_peak();
}

std::vector<MemoryBlock> host_blocks() {
  return installed ? installed->blocks() : std::vector<MemoryBlock>();
}

}  // namespace labreport
