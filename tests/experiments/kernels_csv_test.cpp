#include "experiments/nsys_profile/kernel_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace labreport::nsys_profile {
namespace {

Profile profile_of(const CellSpec& spec, std::vector<KernelRow> rows) {
  Profile profile;
  profile.words = "small at context 512 in FP32";
  profile.inference = ProfiledStep{&spec, nullptr, std::move(rows)};
  return profile;
}

TEST(KernelsCsv, HasNsightsColumnsInNanosecondsAndFullNames) {
  CellSpec spec;
  spec.mode = Mode::kInference;
  const KernelRow row{"forward", "lm_head", "aten::mm", "gemm", "void f<\"a\", 4>(int)", 2, 3,
                      1,         1.5,       2,          0.5};
  const std::string csv = kernels_csv({profile_of(spec, {row})});
  EXPECT_EQ(csv,
            "Profile,Step,Phase,Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),"
            "Max (ns),StdDev (ns),Name\n"
            "small at context 512 in FP32,inference,forward,100.00,3000000,2,1500000.0,"
            "1500000.0,1000000,2000000,500000.0,\"void f<\"\"a\"\", 4>(int)\"\n");
}

TEST(KernelsCsv, NoFieldBeginsAFormula) {
  CellSpec spec;
  const KernelRow row{"=1+1", "lm_head", "aten::mm", "gemm", "@kernel", 2, 3, 1, 1.5, 2, 0};
  Profile profile = profile_of(spec, {row});
  profile.words = "=A1 at context 512";
  const std::string csv = kernels_csv({profile});
  EXPECT_THAT(csv, testing::HasSubstr("\n'=A1 at context 512,forward,'=1+1,100.00,"));
  EXPECT_THAT(csv, testing::EndsWith(",'@kernel\n"));
}

TEST(KernelsCsv, ProfilesThatDidNotRunHaveNoRows) {
  EXPECT_EQ(kernels_csv({Profile{}}).find('\n'), kernels_csv({}).size() - 1);
}

}  // namespace
}  // namespace labreport::nsys_profile
