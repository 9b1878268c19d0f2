#include "analysis/kernel_differences.h"

#include <gmock/gmock.h>

#include "analysis/compared_runs.h"
#include "analysis/kernel_places.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::kernel_differences_test {
namespace {

using namespace testing_samples;
using testing::IsEmpty;

/// Kernels of one operator, which take `us` microseconds together.
struct KernelRow {
  std::string phase, module, op;
  std::int64_t count, us;
};

Cell profile_cell(const CellSpec& network, const std::vector<KernelRow>& rows) {
  CellSpec spec = network;
  spec.kind = CellKind::kKernels;
  Table table{std::string(metric::kKernels), {}, {}};
  for (const std::string_view name : {column::kPhase, column::kModule, column::kOperation,
                                      column::kOperator, column::kInstances, column::kTotalNs}) {
    table.columns.push_back({std::string(name), ""});
  }
  for (const KernelRow& row : rows) {
    table.rows.push_back({row.phase, row.module, row.op, row.op, row.count, 1000 * row.us});
  }
  Launch launch;
  launch.tables = {table};
  return {cell_id(spec), spec, {launch}};
}

/// Compares a run of labreport's network that has the cells `a` with a run of a model that has `b`.
std::vector<StepDifference> differences(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  labreport::Run run_a = three_launches(), run_b = three_launches();
  run_a.cells = a;
  run_b.cells = b;
  return compare_runs(run_a, as_users_model(run_b)).step_differences;
}

const PlaceDifference* find_place(const StepDifference& step, const std::string& place) {
  for (const PlaceDifference& difference : step.places) {
    if (difference.part == place) return &difference;
  }
  return nullptr;
}

const CellSpec kStep = network_spec(Mode::kTrainStep);

TEST(KernelDifferences, SumTheKernelsOfModulesOfOneRole) {
  const auto steps =
      differences({profile_cell(kStep, {{"forward", "layers/ffn/w1", "aten::mm", 2, 30},
                                        {"forward", "layers/ffn", "aten::mul", 2, 10},
                                        {"backward", "layers/ffn", "aten::mul", 1, 5}})},
                  {profile_cell(kStep, {{"forward", "blocks/mlp", "aten::addmm", 6, 90},
                                        {"backward", "blocks/mlp", "aten::mul", 1, 5}})});
  ASSERT_EQ(steps.size(), 1u);
  ASSERT_EQ(steps[0].places.size(), 2u) << "one a phase";
  EXPECT_EQ(steps[0].places[0].phase, "forward") << "the larger change first";
  EXPECT_EQ(steps[0].places[0].a, (KernelSum{40'000, 4}));
  EXPECT_EQ(steps[0].places[0].b, (KernelSum{90'000, 6}));
  EXPECT_EQ(steps[0].places[1].change_ns(), 0);
}

TEST(KernelDifferences, CompareStagesThatBothSidesHave) {
  const auto steps = differences(
      {profile_cell(kStep, {{"forward", "layers/attn/computing softmax", "aten::exp", 4, 12}})},
      {profile_cell(kStep, {{"forward", "h/attention", "aten::_softmax", 1, 3}})});
  const PlaceDifference* softmax = find_place(steps.at(0), "attention: softmax");
  ASSERT_NE(softmax, nullptr);
  EXPECT_EQ(softmax->a, (KernelSum{12'000, 4}));
  EXPECT_EQ(softmax->b, (KernelSum{3'000, 1}));
}

TEST(KernelDifferences, AddOneSidedStagesToAttention) {
  const auto steps = differences(
      {profile_cell(kStep, {{"forward", "layers/attn/computing softmax", "aten::exp", 4, 12},
                            {"forward", "layers/attn/rotary", "aten::mul", 2, 8}})},
      {profile_cell(kStep, {{"forward", "layers/attn", "aten::_flash_attention_forward", 1, 3}})});
  ASSERT_EQ(steps.at(0).places.size(), 1u);
  EXPECT_EQ(steps[0].places[0].part, "attention");
  EXPECT_EQ(steps[0].places[0].a, (KernelSum{20'000, 6}));
  EXPECT_EQ(steps[0].places[0].b, (KernelSum{3'000, 1}));
}

TEST(KernelDifferences, NameTheRestOfAttention) {
  const std::vector<Cell> cells{
      profile_cell(kStep, {{"forward", "layers/attn/qkv", "aten::mm", 1, 9},
                           {"forward", "layers/attn", "aten::exp", 2, 8}})};
  const auto steps = differences(cells, cells);
  EXPECT_NE(find_place(steps.at(0), "attention: projections"), nullptr);
  EXPECT_NE(find_place(steps[0], "rest of attention"), nullptr);
  EXPECT_EQ(find_place(steps[0], "attention"), nullptr);
}

TEST(KernelDifferences, TreatTheOptimizerAsOnePlace) {
  const auto steps = differences({profile_cell(kStep, {{"optimizer", "", "aten::add", 4, 12}})},
                                 {profile_cell(kStep, {{"optimizer", "Optimizer.step#AdamW.step",
                                                        "aten::_foreach_add_", 1, 3}})});
  ASSERT_EQ(steps.at(0).places.size(), 1u);
  EXPECT_EQ(steps[0].places[0].b, (KernelSum{3'000, 1}));
}

TEST(KernelDifferences, KeepOneSidedModules) {
  const auto steps =
      differences({profile_cell(kStep, {{"forward", "layers/mystery", "aten::mul", 1, 4}})},
                  {profile_cell(kStep, {{"forward", "layers", "aten::add", 1, 2}})});
  EXPECT_EQ(find_place(steps.at(0), "layers/mystery")->b, KernelSum{});
  EXPECT_EQ(find_place(steps[0], "blocks themselves")->a, KernelSum{});
}

TEST(KernelDifferences, ChooseTheLargestStepOfEachPrecision) {
  CellSpec longer = kStep, bf16 = kStep;
  longer.context = 128;
  bf16.precision = Precision::kBf16;
  const std::vector<KernelRow> rows{{"forward", "layers", "aten::add", 1, 2}};
  const std::vector<Cell> cells{profile_cell(network_spec(Mode::kInference), rows),
                                profile_cell(longer, rows), profile_cell(kStep, rows),
                                profile_cell(bf16, rows)};
  const auto steps = differences(cells, cells);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].spec.context, 128);
  EXPECT_EQ(steps[1].spec.precision, Precision::kBf16);
}

TEST(KernelDifferences, NeedAProfileOnBothSides) {
  const std::vector<Cell> a{profile_cell(kStep, {{"forward", "layers", "aten::add", 1, 2}})};
  std::vector<Cell> b = a;
  b.front().launches.front().outcome = Failed{"it did not start"};
  EXPECT_THAT(differences(a, b), IsEmpty());
}

std::string place_words(std::string_view module, std::string_view innermost_op = "aten::mul",
                        std::string_view outermost_op = "aten::mul") {
  return place_of(module, outermost_op, innermost_op).words();
}

TEST(KernelPlaces, FindRolesByModuleNames) {
  for (const char* module : {"layers/ln1", "blocks/norm2", "h/ln_1", "ln_f", "RMSNorm"}) {
    EXPECT_EQ(place_words(module), "norms") << module;
  }
  for (const char* module : {"layers/ffn/w1", "h/mlp/c_fc", "blocks/feed_forward", "layers/up"}) {
    EXPECT_EQ(place_words(module), "feed-forward") << module;
  }
  for (const char* module : {"token_embeddings", "wte", "tokens", "embed"}) {
    EXPECT_EQ(place_words(module), "embeddings") << module;
  }
  EXPECT_EQ(place_words("lm_head"), "LM head");
  EXPECT_EQ(place_words("unembed"), "LM head");
  EXPECT_EQ(place_words("layers/multi_head_attention"), "attention");
}

TEST(KernelPlaces, AssignNormsInsideAttentionToAttention) {
  EXPECT_EQ(place_words("layers/attn/q_norm"), "attention");
}

TEST(KernelPlaces, FindStagesOfAttention) {
  EXPECT_EQ(place_words("layers/self_attn", "aten::bmm", "aten::matmul"), "attention: QKᵀ and A·V");
  EXPECT_EQ(place_words("layers/attn/q_proj", "aten::mm", "aten::linear"),
            "attention: projections");
  EXPECT_EQ(place_words("layers/attn/qkv", "aten::addmm", "aten::linear"),
            "attention: projections");
  EXPECT_EQ(place_words("layers/attn/wq", "aten::bmm", "aten::einsum"), "attention: projections");
  EXPECT_EQ(place_words("layers/attn/rotary"), "attention: RoPE");
  EXPECT_EQ(place_words("layers/attn/scaled dot product attention/computing softmax", "aten::exp"),
            "attention: softmax");
  EXPECT_EQ(place_words("layers/attn", "aten::_softmax_backward_data", "aten::softmax"),
            "attention: softmax");
  EXPECT_EQ(place_words("layers/attn", "aten::_flash_attention_forward"),
            "attention: fused kernel");
}

TEST(KernelPlaces, FindStagesByRangesInAttention) {
  const std::string scores = "layers/attn/scaled dot product attention/computing attention scores";
  EXPECT_EQ(place_words(scores, "aten::bmm", "aten::matmul"), "attention: QKᵀ");
  EXPECT_EQ(place_words(scores, "aten::div"), "attention: scale and mask");
  EXPECT_EQ(place_words("h/attention/final matmul", "aten::bmm", "aten::matmul"), "attention: A·V");
  EXPECT_EQ(place_words("h/attention/final matmul", "aten::copy_", "aten::matmul"), "attention");
}

TEST(KernelPlaces, KeepModulesWithoutARole) {
  EXPECT_EQ(place_words("layers/mystery"), "layers/mystery");
  EXPECT_EQ(place_words("layers"), "blocks themselves");
  EXPECT_EQ(place_words("transformer/h"), "blocks themselves");
  EXPECT_EQ(place_words(""), "outside of modules");
}

}  // namespace
}  // namespace labreport::kernel_differences_test
