#include "engine/allocation_trace.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/ones.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include "base/machine.h"
#include "engine/host_allocator.h"

namespace labreport::allocation_trace_test {
namespace {

class AllocationTraceTest : public testing::Test {
 protected:
  void SetUp() override { count_host_allocations(); }
};

at::Tensor tensor_of_bytes(std::int64_t count) { return at::empty({count}, at::kByte); }

TEST_F(AllocationTraceTest, RecordsAllocationsAndFreesInOrder) {
  AllocationTrace trace(DeviceKind::kCpu);
  {
    const at::Tensor freed_tensor = tensor_of_bytes(1000);
  }
  const at::Tensor kept_tensor = tensor_of_bytes(300);
  const MemoryHistory history = trace.finish();
  ASSERT_EQ(history.events.size(), 3u);
  EXPECT_EQ(history.events[0].requested_bytes, 1000);
  EXPECT_EQ(history.events[0].block_bytes, 1000);
  EXPECT_EQ(history.events[1].kind, MemoryEventKind::kFree);
  EXPECT_EQ(history.events[1].address, history.events[0].address);
  EXPECT_EQ(history.events[2].requested_bytes, 300);
}

TEST_F(AllocationTraceTest, ListsBlocksFromBeforeTheStart) {
  const at::Tensor before = tensor_of_bytes(12345);
  AllocationTrace trace(DeviceKind::kCpu);
  bool found = false;
  for (const MemoryBlock& block : trace.finish().resident_blocks) {
    found = found || block.requested_bytes == 12345;
  }
  EXPECT_TRUE(found);
}

TEST_F(AllocationTraceTest, RecordsPhaseModuleAndOperator) {
  const at::Tensor x = at::ones({64});
  AllocationTrace trace(DeviceKind::kCpu);
  {
    const Range phase("forward");
    const Range layer("layers.3");
    const Range attention("attn");
    at::exp(x);
  }
  const MemoryHistory history = trace.finish();
  const MemoryOrigin& origin = history.origin(history.events.front());
  EXPECT_EQ(origin.phase, "forward");
  EXPECT_EQ(origin.module, "layers.3/attn");
  EXPECT_EQ(origin.inner_op, "aten::exp");
}

TEST_F(AllocationTraceTest, GivesBackwardTheModuleOfForward) {
  const at::Tensor x = at::ones({64}).set_requires_grad(true);
  AllocationTrace trace(DeviceKind::kCpu);
  at::Tensor y;
  {
    const Range phase("forward");
    const Range module("lm_head");
    y = at::exp(x).sum();
  }
  {
    const Range phase("backward");
    y.backward();
  }
  const MemoryHistory history = trace.finish();
  bool found = false;
  for (const MemoryEvent& event : history.events) {
    const MemoryOrigin& origin = history.origin(event);
    found = found || (origin.phase == "backward" && origin.module == "lm_head" &&
                      origin.outer_op == "aten::exp" && origin.inner_op == "aten::mul");
  }
  EXPECT_TRUE(found);
}

TEST_F(AllocationTraceTest, GivesAGradientSumTheModuleOfTheLastNode) {
  const at::Tensor x = at::ones({64}).set_requires_grad(true);
  AllocationTrace trace(DeviceKind::kCpu);
  at::Tensor y;
  {
    const Range phase("forward");
    const Range module("ffn");
    const at::Tensor forked = at::exp(x);
    y = (forked + forked).sum();
  }
  {
    const Range phase("backward");
    y.backward();
  }
  const MemoryHistory history = trace.finish();
  EXPECT_TRUE(std::ranges::any_of(history.events, [&](const MemoryEvent& event) {
    const MemoryOrigin& origin = history.origin(event);
    return origin.phase == "backward" && origin.inner_op == "aten::add" && origin.module == "ffn";
  }));
}

TEST_F(AllocationTraceTest, MarksOnlyCopiesOfParameters) {
  const at::Tensor weight = at::ones({64}).set_requires_grad(true);
  AllocationTrace trace(DeviceKind::kCpu);
  const at::Tensor copy = weight.to(at::kBFloat16);
  const at::Tensor activation = (weight * 2).to(at::kBFloat16);
  const MemoryHistory history = trace.finish();
  const auto is_weight_copy = [&](const at::Tensor& tensor) {
    const auto address = reinterpret_cast<std::uint64_t>(tensor.storage().data());
    return std::ranges::find(history.events, address, &MemoryEvent::address)->is_weight_copy;
  };
  EXPECT_TRUE(is_weight_copy(copy));
  EXPECT_FALSE(is_weight_copy(activation));
}

TEST_F(AllocationTraceTest, StopsAtTheFirstFailedAllocation) {
  AllocationTrace trace(DeviceKind::kCpu);
  const at::Tensor held = tensor_of_bytes(100);
  EXPECT_ANY_THROW(tensor_of_bytes(std::int64_t{1} << 60));
  const at::Tensor afterwards = tensor_of_bytes(200);
  const MemoryHistory history = trace.finish();
  ASSERT_EQ(history.events.size(), 2u);
  EXPECT_EQ(history.events.back().kind, MemoryEventKind::kOutOfMemory);
  EXPECT_EQ(history.events.back().requested_bytes, std::int64_t{1} << 60);
}

TEST_F(AllocationTraceTest, RefusesMoreThanTheMachinesMemory) {
  // Linux would grant this memory, and end the process when it is written to.
  EXPECT_THROW(tensor_of_bytes(memory_bytes()), c10::Error);
}

TEST_F(AllocationTraceTest, CountsAllocationsWithoutATrace) {
  reset_host_peak();
  const std::int64_t before = host_counts()->allocated_bytes;
  {
    const at::Tensor freed_tensor = tensor_of_bytes(5000);
  }
  EXPECT_EQ(host_counts()->peak_allocated_bytes, before + 5000);
  EXPECT_EQ(host_counts()->allocated_bytes, before);
}

}  // namespace
}  // namespace labreport::allocation_trace_test
