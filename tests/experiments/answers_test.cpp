// Checks that a reader can grasp the recorded runs' answers in ten seconds.
#include <gtest/gtest.h>

#include "experiments/answer_budget.h"
#include "experiments/catalog.h"
#include "results/run_store.h"

namespace labreport::answers_test {
namespace {

TEST(Answers, KeepToTheirBudgetInRecordedRuns) {
  const auto folders =
      list_measured_runs(std::filesystem::path(LABREPORT_SOURCE_DIR) / "site/runs");
  ASSERT_FALSE(folders.empty());
  for (const auto& folder : folders) {
    SCOPED_TRACE(folder);
    for (const Section& section : build_document(RunStore(folder).load(), true).sections) {
      for (const Part& part : section.parts) testing_answers::expect_within_budget(part);
    }
  }
}

TEST(Answers, AreCountedWithoutListsCodeAndNumbersOfTheHandout) {
  using testing_answers::number_count, testing_answers::running_text, testing_answers::word_count;
  const std::string text = running_text(
      "The `gemm_128x128` takes **2.5 ms** at context 1,024 of 2.7B.\n\n- a list of 3\n");
  EXPECT_EQ(word_count(text), 9u) << text;
  EXPECT_EQ(number_count(text), 1u) << text;
  EXPECT_EQ(
      number_count("3 FFN projections in each of 32 layers, in FP32: 1.5 to 2.5 % and 20,971,520"),
      4u);
}

}  // namespace
}  // namespace labreport::answers_test
