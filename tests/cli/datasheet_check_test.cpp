#include "experiments/common/datasheet_check.h"

#include <gmock/gmock.h>

#include "imports/import.h"

namespace labreport::datasheet_check_test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

std::vector<std::string> lines_for(const std::string& gpu, const std::string& rows) {
  return beyond_datasheet(import_table("edition: 2025\ncontext: 512\ngpu: " + gpu +
                                           "\nsize,precision,mode,mean_ms,forward_ms,peak_gib\n" +
                                           rows,
                                       "table.csv", {}));
}

TEST(BeyondDatasheet, IsATimeThatNeedsMoreThanThePeakRate) {
  // A forward pass of 2.7B needs 14.0 TFLOP at 4 x 512 tokens: 0.21 s at the 67 TFLOP/s of FP32.
  EXPECT_THAT(lines_for("NVIDIA H100 80GB HBM3", "2.7B,fp32,forward,300,-,-\n"), IsEmpty());
  EXPECT_THAT(
      lines_for("NVIDIA H100 80GB HBM3", "2.7B,fp32,forward,100,-,-\n"),
      ElementsAre(EndsWith("its step would run at 140 TFLOP/s, faster than FP32 can be on this "
                           "GPU (67.0); TF32 was probably on")));
  EXPECT_THAT(lines_for("NVIDIA H100 80GB HBM3", "2.7B,fp32,forward,5,-,-\n"),
              ElementsAre(EndsWith("faster than FP32 can be on this GPU (67.0)")))
      << "TF32 is not as fast either";
  EXPECT_THAT(lines_for("NVIDIA H100 80GB HBM3", "2.7B,fp32,forward_backward,-,100,-\n"),
              ElementsAre(testing::HasSubstr("its forward pass would run at 140 TFLOP/s")));
  EXPECT_THAT(lines_for("A GPU without a sheet", "2.7B,fp32,forward,5,-,500\n"), IsEmpty());
}

TEST(BeyondDatasheet, IsAPeakAboveTheMemory) {
  EXPECT_THAT(lines_for("NVIDIA A100 40GB", "2.7B,fp32,train_step,-,-,38.5\n"), IsEmpty());
  EXPECT_THAT(lines_for("NVIDIA A100 40GB", "2.7B,fp32,train_step,-,-,51\n"),
              ElementsAre(EndsWith("a peak of 51.00 GiB is more than the 40.00 GiB of this GPU")));
}

}  // namespace
}  // namespace labreport::datasheet_check_test
