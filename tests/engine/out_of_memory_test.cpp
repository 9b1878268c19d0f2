#include "engine/out_of_memory.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "engine/phase.h"

namespace labreport::out_of_memory_test {
namespace {

constexpr std::int64_t kExbibyte = std::int64_t{1} << 60;

TEST(AsOutOfMemory, ReturnsTheHostsRequestAndPhase) {
  begin_phase(Phase::kBackward);
  try {
    at::empty({kExbibyte}, at::kByte);
    FAIL() << "an exbibyte was allocated";
  } catch (const std::exception& error) {
    const auto failure = as_out_of_memory(error);
    ASSERT_TRUE(failure) << error.what();
    EXPECT_EQ(failure->phase, "backward");
    EXPECT_EQ(failure->requested_bytes, kExbibyte);
    EXPECT_FALSE(failure->in_use_bytes);
  }
}

TEST(AsOutOfMemory, RecognizesMessagesOfCudaAndCublas) {
  begin_phase(Phase::kForward);
  for (const char* message : {"CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED when ..."}) {
    const auto failure = as_out_of_memory(std::runtime_error(message));
    ASSERT_TRUE(failure) << message;
    EXPECT_EQ(failure->phase, "forward");
    EXPECT_FALSE(failure->requested_bytes);
  }
  EXPECT_TRUE(as_out_of_memory(std::bad_alloc()));
}

TEST(AsOutOfMemory, IgnoresOtherErrors) {
  EXPECT_FALSE(as_out_of_memory(std::runtime_error("memory of an illegal access")));
  EXPECT_FALSE(as_out_of_memory(std::runtime_error("CUDA error: an illegal memory access")));
}

}  // namespace
}  // namespace labreport::out_of_memory_test
