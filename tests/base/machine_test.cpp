#include "base/machine.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace labreport::machine_test {
namespace {

TEST(Machine, HasPlausibleProperties) {
  EXPECT_FALSE(cpu_model().empty());
  EXPECT_FALSE(usable_cores().empty());
  EXPECT_GT(memory_bytes(), 64LL << 20);
  EXPECT_GT(available_memory_bytes(), 0);
  EXPECT_LE(available_memory_bytes(), memory_bytes());
  EXPECT_FALSE(host_name().empty());
}

TEST(Machine, FreeDiskBytesAcceptsAnAbsentFolder) {
  EXPECT_GT(free_disk_bytes("/tmp/not/made/yet"), 0);
}

TEST(Environment, WholeFamiliesAndSingleVariablesChangeResults) {
  for (const char* name : {"NVIDIA_TF32_OVERRIDE", "PYTORCH_CUDA_ALLOC_CONF", "OMP_NUM_THREADS",
                           "CUBLAS_WORKSPACE_CONFIG", "CUDA_LAUNCH_BLOCKING", "NCCL_NVLS_ENABLE",
                           "TORCH_NCCL_BLOCKING_WAIT"}) {
    EXPECT_TRUE(changes_results(name)) << name;
  }
  for (const char* name : {"PATH", "HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"}) {
    EXPECT_FALSE(changes_results(name)) << name;
  }
}

TEST(Environment, OnlyNcclVariablesAreNeededByTheMachine) {
  EXPECT_TRUE(is_needed_by_machine("NCCL_NVLS_ENABLE"));
  EXPECT_FALSE(is_needed_by_machine("TORCH_NCCL_BLOCKING_WAIT"));
  EXPECT_FALSE(is_needed_by_machine("CUBLAS_WORKSPACE_CONFIG"));
}

TEST(Environment, ListsSetVariablesWithTheirValues) {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8=x", 1);
  EXPECT_EQ(result_changing_environment().at("CUBLAS_WORKSPACE_CONFIG"), ":4096:8=x");
  unsetenv("CUBLAS_WORKSPACE_CONFIG");
  EXPECT_EQ(result_changing_environment().count("CUBLAS_WORKSPACE_CONFIG"), 0u);
}

}  // namespace
}  // namespace labreport::machine_test
