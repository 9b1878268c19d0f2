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

constexpr std::uint8_t kPriorityOverDefault = 100;
// Requests of at least this many bytes are compared with the memory left, which is slow to read.
constexpr std::size_t kLargeRequestBytes = std::size_t{256} << 20;

/// Passes requests on to the default allocator and counts them.
class CountingAllocator : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* inner) : inner_(inner) {}

  c10::DataPtr allocate(std::size_t bytes) override {
    void* memory = bytes == 0 ? nullptr : allocate_block(bytes);
    return {memory, memory, &CountingAllocator::free_block, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &CountingAllocator::free_block; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

  void set_listener(AllocationListener* listener) {
    const std::scoped_lock lock(mutex_);
    listener_ = listener;
  }
  AllocatorCounts counts() {
    const std::scoped_lock lock(mutex_);
    return counts_;
  }
  void reset_peak() {
    const std::scoped_lock lock(mutex_);
    counts_.peak_allocated_bytes = counts_.peak_requested_bytes = counts_.allocated_bytes;
  }
  std::vector<MemoryBlock> blocks() {
    const std::scoped_lock lock(mutex_);
    std::vector<MemoryBlock> blocks;
    for (const auto& [address, bytes] : block_bytes_) blocks.push_back({address, bytes, bytes});
    return blocks;
  }

 private:
  static void free_block(void* memory);

  void* allocate_block(std::size_t bytes);
  void report(MemoryEventKind kind, std::uint64_t address, std::int64_t bytes) {
    if (listener_) listener_->on_event(kind, address, bytes);
  }
  void add_to_counts(std::int64_t change) {
    counts_.allocated_bytes += change;
    counts_.requested_bytes = counts_.allocated_bytes;
    counts_.peak_allocated_bytes = std::max(counts_.peak_allocated_bytes, counts_.allocated_bytes);
    counts_.peak_requested_bytes = counts_.peak_allocated_bytes;
  }
  void record_allocation(void* memory, std::int64_t bytes);
  void record_free(void* memory);

  c10::Allocator* inner_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::int64_t> block_bytes_;
  AllocatorCounts counts_;
  AllocationListener* listener_ = nullptr;
};

CountingAllocator* installed_allocator = nullptr;

void* CountingAllocator::allocate_block(std::size_t bytes) try {
  // Linux grants more memory than exists and kills a process that uses it. The default allocator
  // does not know a container's limit, so the request is compared with the memory left.
  TORCH_CHECK(bytes < kLargeRequestBytes || std::cmp_less_equal(bytes, available_memory_bytes()),
              "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", bytes,
              " bytes; the machine has ", available_memory_bytes(), " left");
  void* memory = inner_->raw_allocate(bytes);
  record_allocation(memory, static_cast<std::int64_t>(bytes));
  return memory;
} catch (const std::exception&) {
  const std::scoped_lock lock(mutex_);
  report(MemoryEventKind::kOutOfMemory, 0, static_cast<std::int64_t>(bytes));
  throw;
}

void CountingAllocator::free_block(void* memory) {
  if (memory == nullptr) return;
  installed_allocator->record_free(memory);
  installed_allocator->inner_->raw_deallocate(memory);
}

void CountingAllocator::record_allocation(void* memory, std::int64_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const std::scoped_lock lock(mutex_);
  block_bytes_[address] = bytes;
  add_to_counts(bytes);
  report(MemoryEventKind::kAllocation, address, bytes);
  if (listener_) listener_->on_block_size(address, bytes);
}

void CountingAllocator::record_free(void* memory) {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const std::scoped_lock lock(mutex_);
  const auto found = block_bytes_.find(address);
  if (found == block_bytes_.end()) return;
  const std::int64_t bytes = found->second;
  block_bytes_.erase(found);
  add_to_counts(-bytes);
  report(MemoryEventKind::kFree, address, bytes);
}

}  // namespace

void count_host_allocations() {
  if (installed_allocator) return;
  // The allocator is never freed, because LibTorch uses it until the process ends.
  installed_allocator = new CountingAllocator(c10::GetDefaultCPUAllocator());
  c10::SetCPUAllocator(installed_allocator, kPriorityOverDefault);
}

void set_host_listener(AllocationListener* listener) {
  if (installed_allocator) installed_allocator->set_listener(listener);
}

std::optional<AllocatorCounts> host_counts() {
  if (!installed_allocator) return std::nullopt;
  return installed_allocator->counts();
}

void reset_host_peak() {
  if (installed_allocator) installed_allocator->reset_peak();
}

std::vector<MemoryBlock> allocated_host_blocks() {
  return installed_allocator ? installed_allocator->blocks() : std::vector<MemoryBlock>();
}

}  // namespace labreport
