// Rows, sums and reasons behind the profiling problem's answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/problems.h"
#include "experiments/sample_runs.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing_samples::Change;
using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::plan_input;

void unchanged(const CellSpec&, Launch&) {}

Run run_of(const char* edition, std::size_t size, std::vector<std::int64_t> contexts,
           const Change& change) {
  PlanInput input = plan_input(Preset::kFull, edition);
  input.selection.only = {"nsys_profile"};
  input.selection.sizes = {input.edition.sizes[size]};
  input.selection.contexts = std::move(contexts);
  return measured(input, change);
}

/// In FP32 and BF16.
Run small_at_512(const Change& change = unchanged) { return run_of("2025", 0, {512}, change); }
Run small_of_2026(const Change& change = unchanged) {
  return run_of("2026", 0, {512, 1024, 2048}, change);
}

PartContent part(const Run& run, const char* letter) {
  return present(RunView(run, find_edition(run.edition))).at(letter);
}

/// Whether the answer says the sentence of that situation.
bool says(const PartContent& part, const std::string& situation) {
  const Facts::Entry& entry = part.facts.entries().at(situation);
  const auto* list = std::get_if<std::vector<Facts>>(&entry);
  return list != nullptr ? !list->empty() : std::get<bool>(entry);
}

std::string value(const PartContent& part, const std::string& situation, const std::string& name) {
  const auto& list = std::get<std::vector<Facts>>(part.facts.entries().at(situation));
  return std::get<std::string>(list.at(0).entries().at(name));
}

const Dataset& dataset(const PartContent& part, std::string_view name) {
  return *std::ranges::find(part.datasets, name, &Dataset::name);
}

bool has_dataset(const PartContent& part, std::string_view name) {
  return std::ranges::find(part.datasets, name, &Dataset::name) != part.datasets.end();
}

std::vector<std::string> column(const Dataset& data, std::string_view name) {
  const auto found = std::ranges::find(data.columns, name, &DataColumn::name);
  const auto at = static_cast<std::size_t>(found - data.columns.begin());
  std::vector<std::string> texts;
  for (const RowView& row : data.rows) {
    texts.push_back(format_value(row.cells.at(at), found->notation));
  }
  return texts;
}

std::vector<double> numbers(const Dataset& data, std::string_view name) {
  const auto found = std::ranges::find(data.columns, name, &DataColumn::name);
  const auto at = static_cast<std::size_t>(found - data.columns.begin());
  std::vector<double> values;
  for (const RowView& row : data.rows) values.push_back(*row.cells.at(at).number());
  return values;
}

/// A value of the profile, times `factor`.
Change scaled(std::string_view name, double factor) {
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag != metric::kProfile || metric.name != name) continue;
      metric.data = Scalar(*metric.number() * factor);
    }
  };
}

enum { kPhaseColumn, kModuleColumn, kOperationColumn, kOperatorColumn, kClassColumn };
constexpr std::size_t kTotalColumn = 7;

using Cells = std::vector<Scalar>;

/// The time of kernels that `wanted` names, times `factor`.
Change slower(const std::function<bool(const CellSpec&, const Cells&)>& wanted, double factor) {
  return [=](const CellSpec& spec, Launch& launch) {
    for (Table& table : launch.tables) {
      if (table.name != metric::kKernels) continue;
      for (Cells& row : table.rows) {
        const auto ns = static_cast<double>(std::get<std::int64_t>(row[kTotalColumn]));
        if (wanted(spec, row)) row[kTotalColumn] = static_cast<std::int64_t>(ns * factor);
      }
    }
  };
}

bool holds(const Cells& row, std::size_t column, std::string_view text) {
  return std::get<std::string>(row[column]).find(text) != std::string::npos;
}

bool gemm_in_bf16(const CellSpec& spec, const Cells& row) {
  return spec.precision == Precision::kBf16 && holds(row, kClassColumn, "gemm");
}

void without_step(const CellSpec& spec, Launch& launch) {
  if (spec.mode != Mode::kInference) end_with(launch, OutOfMemory{"forward", 1, 2, 3});
}

KernelRow row(const char* kernel, double instances, double total, double median, double stddev) {
  KernelRow row;
  row.kernel = kernel;
  row.instances = instances;
  row.total = total;
  row.min = median / 2;
  row.median = median;
  row.max = median * 2;
  row.stddev = stddev;
  return row;
}

TEST(Profiles, PassesHoldEachOther) {
  const auto run = small_at_512();
  const Profiles profiles(RunView(run, find_edition("2025")));
  ASSERT_EQ(profiles.all.size(), 2u);
  const Profile& profile = profiles.all[0];
  const auto time = [&](Pass pass) { return total(profile.rows(pass)); };
  EXPECT_GT(time(Pass::kForward), 0);
  EXPECT_DOUBLE_EQ(time(Pass::kForwardBackward), time(Pass::kForward) + time(Pass::kBackward));
  EXPECT_NEAR(time(Pass::kTrainStep), time(Pass::kForwardBackward) + time(Pass::kOptimizer), 1e-9);
}

TEST(Profiles, TheAnswerOf2025SpeaksOfOneThatOf2026OfAll) {
  const auto one = small_at_512();
  const Profiles of_2025(RunView(one, find_edition("2025")));
  EXPECT_EQ(of_2025.answered.size(), 1u);
  EXPECT_EQ(of_2025.foremost->words, "small at context 512 in FP32");
  EXPECT_EQ(of_2025.half->words, "small at context 512 in BF16");
  const auto three = small_of_2026();
  const Profiles of_2026(RunView(three, find_edition("2026")));
  EXPECT_EQ(of_2026.answered.size(), 3u) << "all in FP32";
  EXPECT_EQ(of_2026.shown.size(), 3u);
  EXPECT_EQ(of_2026.every.size(), 4u) << "with one in BF16";
  EXPECT_EQ(of_2026.foremost->spec.context, 2048);
}

TEST(Profiles, InTheOpenHaveTheContextAndPrecisionOfTheAnswerOrAreIn16Bits) {
  const auto run = run_of("2025", 0, {256, 512}, unchanged);
  const Profiles profiles(RunView(run, find_edition("2025")));
  std::vector<std::string> shown;
  for (const Profile* profile : profiles.shown) shown.push_back(profile->words);
  EXPECT_THAT(shown, ElementsAre("small at context 512 in FP32", "small at context 512 in BF16"));
  EXPECT_EQ(profiles.every.size(), 3u);
}

TEST(KernelSums, AddUpWhatHasOneNameTheLongestFirst) {
  const KernelRow a = row("mul", 2, 4, 2, 0);
  const KernelRow b = row("gemm", 1, 10, 10, 0);
  const KernelRow c = row("mul", 2, 8, 4, 0);
  const auto sums = by_kernel({&a, &b, &c});
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].name, "mul");
  EXPECT_EQ(sums[0].calls, 4);
  EXPECT_DOUBLE_EQ(sums[0].total, 12);
  EXPECT_DOUBLE_EQ(sums[0].min, 1);
  EXPECT_DOUBLE_EQ(sums[0].max, 8);
  // The sample 2, 2, 4, 4.
  EXPECT_NEAR(sums[0].stddev, 1.1547, 1e-4);
}

/// Of the Ada family, as profiles in public benchmark notes print it.
constexpr const char* kAda =
    "sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x128x64_stage4_warpsize2x2x1_"
    "tensor16x8x32_execute_kernel__5x_cublas";

TEST(KernelName, IsTheFunctionsOwn) {
  EXPECT_EQ(short_kernel_name("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8"),
            "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8");
  EXPECT_EQ(short_kernel_name(
                "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)"),
            "cutlass_80_simt_sgemm_128x64_8x5_nn_align1");
  EXPECT_EQ(short_kernel_name(kAda), kAda);
  EXPECT_EQ(short_kernel_name("Memset (Device)"), "Memset (Device)");
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::CatArrayBatchedCopy<int>"
                              "(int*)"),
            "CatArrayBatchedCopy");
}

TEST(KernelName, SaysWhatAnElementwiseKernelComputes) {
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::"
                              "exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#1}, int>(int)"),
            "vectorized_elementwise_kernel (exp)");
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::"
                              "BinaryFunctor<float, float, float, at::native::binary_internal::"
                              "MulFunctor<float> >, std::array<char*, 3ul> >(int)"),
            "vectorized_elementwise_kernel (Mul)");
}

TEST(KernelName, IsReadOnceHoweverLongItIs) {
  const std::string letters(100'000, 'w');
  EXPECT_LT(short_kernel_name(letters).size(), 200u);
  EXPECT_LT(short_kernel_name("f<" + letters + "_kernel_cuda>").size(), 400u);
  std::string wrapped = "gemm";
  for (int i = 0; i < 20'000; ++i) wrapped = "Kernel<" + wrapped;
  EXPECT_EQ(short_kernel_name(wrapped), "gemm");
  for (const char* part : {"w_", "sm8", "_xmma", "(anonymous", "<", "::", "Binary,"}) {
    std::string name;
    while (name.size() < letters.size()) name += part;
    EXPECT_LT(short_kernel_name(name).size(), 400u) << part;
  }
}

TEST(KernelName, IsCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 100; ++i) name += "→";
  for (const char* before : {"", "a", "ab"}) EXPECT_TRUE(is_utf8(short_kernel_name(before + name)));
}

std::string group(const char* module, const char* kind, bool own = true) {
  return group_of(place_of(module, "aten::to", "aten::copy_"), kind, own);
}

TEST(ModelParts, NameWhatAKernelOfLabreportsNetworkIsFor) {
  EXPECT_EQ(group("layers/ffn", "elementwise"), "SwiGLU");
  EXPECT_EQ(group("layers/ffn/w1", "copy"), "other copies");
  EXPECT_EQ(group("layers/ffn/w1", "memset"), kOther);
  EXPECT_EQ(group("layers/ln2", "reduction"), "RMSNorm");
  EXPECT_EQ(group("layers", "elementwise"), "residual");
  EXPECT_EQ(group("layers/attn/scaled dot product attention/computing softmax", "copy"), "softmax")
      << "casts inside softmax are its own";
  EXPECT_EQ(group("token_embeddings", "gather"), kOther);
}

TEST(ModelParts, NameThePlaceOfAKernelInAModelOfTheUsers) {
  EXPECT_EQ(group("h/mlp", "elementwise", false), "feed-forward");
  EXPECT_EQ(group("h/ln_1", "copy", false), "norms");
  EXPECT_EQ(group("h/attention/softmax", "elementwise", false), "attention: softmax");
  EXPECT_EQ(group("h/attention", "elementwise", false), "attention: other");
  EXPECT_EQ(group("h/attention", "copy", false), "other copies");
}

TEST(TimerVsProfiler, SaysWhatTheTimerCountsAndTheProfilerDoesNot) {
  const PartContent less = part(small_at_512(), "a");
  EXPECT_TRUE(says(less, "less"));
  EXPECT_THAT(value(less, "less", "difference"), testing::EndsWith("% less than"));
  EXPECT_FALSE(says(less, "unexplained"));
  const PartContent no_gaps =
      part(small_at_512([](const CellSpec&, Launch& launch) {
             std::erase_if(launch.metrics, [](const Metric& metric) {
               return metric.tag == metric::kProfile && metric.name != metric::kBusy;
             });
           }),
           "a");
  EXPECT_TRUE(says(no_gaps, "unexplained"));
  EXPECT_FALSE(says(no_gaps, "less"));
  EXPECT_THAT(column(dataset(no_gaps, "steps"), "cost"), testing::Each("–"));
}

TEST(TimerVsProfiler, AgreesWithinTheTimersDeviation) {
  const auto shaken = [](const CellSpec&, Launch& launch) {
    const Metric* busy = launch.find(metric::kProfile, metric::kBusy);
    for (Metric& metric : launch.metrics) {
      if (busy == nullptr || metric.tag != metric::kStep) continue;
      const auto ns = static_cast<std::int64_t>(*busy->number());
      metric.data = Samples(std::vector<std::int64_t>{ns - ns / 20, ns + ns / 10, ns - ns / 40});
    }
  };
  const PartContent agreeing = part(small_at_512(shaken), "a");
  EXPECT_TRUE(says(agreeing, "agree"));
  EXPECT_NE(value(agreeing, "agree", "apart"), "0.0") << "a bound, rounded up";
}

TEST(TimerVsProfiler, DoesNotExplainKernelsThatRanLongerThanTheStep) {
  const PartContent more = part(small_at_512(scaled(metric::kBusy, 1.2)), "a");
  EXPECT_TRUE(says(more, "unexplained"));
  EXPECT_FALSE(says(more, "less"));
}

TEST(TimerVsProfiler, MarksAPerturbedProfile) {
  const PartContent perturbed = part(small_at_512(scaled(metric::kSpan, 1.5)), "a");
  EXPECT_THAT(dataset(perturbed, "steps").rows.at(0).flags,
              ElementsAre("perturbed by the profiler"));
}

TEST(TimerVsProfiler, ShowsForwardPassesAndInTheDetailsEveryStep) {
  const PartContent lacking = part(small_at_512(without_step), "a");
  EXPECT_THAT(column(dataset(lacking, "steps"), "step"), ElementsAre("inference", "inference"));
  const Dataset& every = dataset(lacking, "every-step");
  EXPECT_THAT(column(every, "step"),
              ElementsAre("inference", "training step", "inference", "training step"));
  EXPECT_THAT(every.rows.at(1).cells.at(2).reason, testing::StartsWith("out of memory in forward"));
}

TEST(TimerVsProfiler, GivesTheRangeOfSeveralProfilesBesideTheLargest) {
  const PartContent several = part(small_of_2026(), "a");
  EXPECT_TRUE(says(several, "range"));
  EXPECT_EQ(value(several, "range", "difference"), "−4.0") << "the same at both ends";
  EXPECT_EQ(value(several, "less", "profile"), "small at context 2,048 in FP32");
  EXPECT_FALSE(says(part(small_at_512(), "a"), "range"));
}

TEST(TimerVsProfiler, LeavesPerturbedPassesOutOfTheRangeAndGivesTheirs) {
  const Change perturb = [](const CellSpec& spec, Launch& launch) {
    if (spec.context == 512) scaled(metric::kSpan, 1.5)(spec, launch);
  };
  const PartContent several = part(small_of_2026(perturb), "a");
  EXPECT_EQ(value(several, "range", "count"), "2");
  EXPECT_TRUE(says(several, "range"));
  EXPECT_THAT(testing_samples::part_of(small_of_2026(perturb), "nsys_profile.a").answer,
              testing::HasSubstr("; in the other one, which the profiler perturbed, it is "));
}

TEST(ForwardPasses, OfAContextWhereOnlyTheStepWasTriedAreNotSaidToLackMemory) {
  PlanInput input = testing_samples::only("nsys_profile");
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.contexts = {512};
  const auto reason = [&](std::vector<Mode> modes) {
    input.selection.modes = std::move(modes);
    const auto all_refused = [](const CellSpec&, Launch& launch) {
      end_with(launch, OutOfMemory{"forward", 1, 2, 3});
    };
    const PartContent classes = part(measured(input, all_refused), "d");
    return dataset(classes, "gemm-shares").rows.at(0).cells.at(1).reason;
  };
  EXPECT_THAT(reason({Mode::kTrainStep}),
              testing::StartsWith("not measured (training step: out of memory in forward"));
  EXPECT_THAT(reason({Mode::kInference}), testing::StartsWith("inference: out of memory"));
}

TEST(Profiles, HaveNoKernelsWhereOneHasNoTime) {
  const auto untimed = [](const CellSpec&, Launch& launch) {
    for (Table& table : launch.tables) {
      if (table.name == metric::kKernels) table.rows.front()[kTotalColumn] = Scalar();
    }
  };
  const auto run = small_at_512(untimed);
  const Profiles profiles(RunView(run, find_edition("2025")));
  EXPECT_TRUE(profiles.all.at(0).rows(Pass::kForward).empty());
}

TEST(TimerVsProfiler, ExplainsTheRangeWherePassesGrowAndIdleTimeHardlyDoes) {
  const auto shrinks = [](const PartContent& of) {
    const auto& range = std::get<std::vector<Facts>>(of.facts.entries().at("range")).at(0);
    return std::get<bool>(range.entries().at("shrinks"));
  };
  EXPECT_FALSE(shrinks(part(small_of_2026(), "a"))) << "differences are alike";
  const Change longer = [](const CellSpec& spec, Launch& launch) {
    if (spec.context != 2048) return;
    for (const auto name : {metric::kBusy, metric::kSpan, metric::kStep}) {
      scaled(name, 1.02)(spec, launch);
    }
  };
  EXPECT_FALSE(shrinks(part(small_of_2026(longer), "a"))) << "kernels ran longer than the step";
}

TEST(TopKernels, AreNamedWithTheirCalls) {
  const PartContent top = part(small_at_512(), "b");
  EXPECT_TRUE(says(top, "same"));
  EXPECT_EQ(value(top, "same", "calls"), "85 times");
  EXPECT_EQ(value(top, "same", "called_in"),
            "3 FFN projections and 4 attention projections in each of 12 layers, and the LM head");
  EXPECT_THAT(column(dataset(top, "top-kernels"), "with_backward"), ElementsAre("yes", "yes"));
}

TEST(TopKernels, MayChangeWithTheBackwardPass) {
  const PartContent changed = part(small_at_512(slower(
                                       [](const CellSpec&, const Cells& row) {
                                         return holds(row, kPhaseColumn, "backward") &&
                                                holds(row, kOperatorColumn, "aten::bmm");
                                       },
                                       1000)),
                                   "b");
  EXPECT_TRUE(says(changed, "changed"));
  EXPECT_EQ(column(dataset(changed, "top-kernels"), "with_backward").front(), "no");
  EXPECT_FALSE(says(changed, "same"));
  EXPECT_TRUE(says(part(small_at_512(without_step), "b"), "forward_only"));
}

TEST(TopKernels, CountTheProfilesWhoseTopKernelChanges) {
  const PartContent several = part(small_of_2026(slower(
                                       [](const CellSpec& spec, const Cells& row) {
                                         return spec.context == 512 &&
                                                holds(row, kPhaseColumn, "backward") &&
                                                holds(row, kOperatorColumn, "aten::bmm");
                                       },
                                       1000)),
                                   "b");
  EXPECT_EQ(value(several, "several", "changed"), "1");
  EXPECT_EQ(value(several, "several", "count"), "3");
  EXPECT_FALSE(says(part(small_at_512(), "b"), "several"));
}

TEST(NonGemmKernels, AreGroupedByWhatTheyDoInTheModel) {
  const PartContent others = part(small_at_512(), "c");
  const Dataset& bars = dataset(others, "non-gemm-time");
  EXPECT_THAT(column(bars, "group"), Contains("softmax"));
  EXPECT_THAT(column(bars, "operators"), Contains("div, exp, max, sub, sum"));
  EXPECT_TRUE(says(others, "one"));
  EXPECT_FALSE(says(others, "half"));
  EXPECT_TRUE(says(part(small_at_512(slower(gemm_in_bf16, 0.1)), "c"), "half"));
}

TEST(NonGemmKernels, GrowWithTheContextWhereSoftmaxAndMaskDo) {
  EXPECT_TRUE(says(part(small_of_2026(), "c"), "grows"));
  const PartContent shrunk =
      part(small_of_2026(slower(
               [](const CellSpec& spec, const Cells& row) {
                 return spec.context == 2048 && !holds(row, kClassColumn, "gemm");
               },
               0.1)),
           "c");
  EXPECT_FALSE(says(shrunk, "grows"));
}

TEST(NonGemmKernels, AreDrawnOverTheContextWhereASizeHasSeveral) {
  const PartContent several = part(small_of_2026(), "c");
  EXPECT_THAT(column(dataset(several, "non-gemm-by-context"), "context"),
              ElementsAre("512", "1,024", "2,048"));
  const PartContent one = part(small_at_512(), "c");
  EXPECT_TRUE(dataset(one, "non-gemm-by-context").rows.empty());
}

TEST(KernelClasses, BlameTheOptimizerWhereItHasNoGemmsAndTakesTime) {
  const auto in_optimizer = [](const CellSpec&, const Cells& row) {
    return holds(row, kPhaseColumn, "optimizer");
  };
  EXPECT_TRUE(says(part(small_at_512(slower(in_optimizer, 100)), "d"), "by_optimizer"));
  const PartContent alike = part(small_at_512(), "d");  // AdamW takes next to nothing there.
  for (const char* reason : {"by_optimizer", "unexplained"}) EXPECT_FALSE(says(alike, reason));
}

/// The backward pass of a training step has elementwise kernels that take longer, and as many of
/// each of these classes.
Change slower_backward(const std::vector<std::string>& classes) {
  return [=](const CellSpec& spec, Launch& launch) {
    const auto elementwise = [](const CellSpec&, const Cells& row) {
      return holds(row, kPhaseColumn, "backward") && holds(row, kClassColumn, "elementwise");
    };
    slower(elementwise, 100)(spec, launch);
    for (Table& table : launch.tables) {
      if (table.name != metric::kKernels || spec.mode != Mode::kTrainStep) continue;
      Cells row = *std::ranges::find_if(
          table.rows, [&](const Cells& cells) { return elementwise(spec, cells); });
      for (const std::string& kind : classes) {
        row[kClassColumn] = kind;
        table.rows.push_back(row);
      }
    }
  };
}

/// What the answer says of classes beside GEMMs.
std::string changes(const Change& change) {
  const PartContent classes = part(small_at_512(change), "d");
  const auto& step = std::get<std::vector<Facts>>(classes.facts.entries().at("whole_step"));
  const auto& said = std::get<std::vector<Facts>>(step.at(0).entries().at("changes"));
  return said.empty() ? "" : std::get<std::string>(said.at(0).entries().at("list"));
}

TEST(KernelClasses, NameEveryClassWhoseShareChangesByAPoint) {
  EXPECT_EQ(changes(unchanged), "elementwise and reduction stay within a point");
  EXPECT_EQ(changes(slower_backward({})),
            "elementwise from 3.4 to 63.8 %, reduction stays within a point");
  EXPECT_EQ(changes(slower_backward({"copy", "reduction"})),
            "elementwise from 3.4 to 60.0 %, reduction from 0.8 to 3.2 %, copy from 0.0 to 3.0 %");
}

TEST(KernelClasses, DoNotExplainADropWhereTheOptimizerHasGemms) {
  const auto odd = [](const CellSpec& spec, Launch& launch) {
    slower([](const CellSpec&, const Cells& row) { return holds(row, kPhaseColumn, "optimizer"); },
           100)(spec, launch);
    for (Table& table : launch.tables) {
      if (table.name != metric::kKernels || spec.mode != Mode::kTrainStep) continue;
      Cells gemm = table.rows.front();
      gemm[kPhaseColumn] = std::string("optimizer");
      table.rows.push_back(gemm);
    }
  };
  const PartContent drop = part(small_at_512(odd), "d");
  EXPECT_TRUE(says(drop, "unexplained"));
  EXPECT_FALSE(says(drop, "by_optimizer"));
}

TEST(KernelClasses, AreSharesOfEachPassOrSayWhyThereIsNone) {
  const Dataset shares = dataset(part(small_at_512(without_step), "d"), "gemm-shares");
  ASSERT_EQ(shares.rows.size(), 2u);
  EXPECT_GT(*shares.rows[0].cells.at(1).number(), 0.5);
  EXPECT_THAT(shares.rows[0].cells.at(3).reason,
              testing::StartsWith("training step: out of memory in forward"));
  const Dataset classes = dataset(part(small_at_512(), "d"), "every-class");
  EXPECT_THAT(column(classes, "pass"), ElementsAre("forward", "forward+backward", "training step",
                                                   "forward", "forward+backward", "training step"));
}

TEST(Attention, NamesABoundOnlyNearTheLimit) {
  const auto copied = [](double factor) {
    return [=](const CellSpec& spec, Launch& launch) {
      if (spec.kind != CellKind::kLimits) return;
      for (Metric& metric : launch.metrics) metric.data = Scalar(*metric.number() * factor);
    };
  };
  const PartContent near = part(small_at_512(copied(0.3)), "e");
  const PartContent far = part(small_at_512(copied(100)), "e");
  EXPECT_TRUE(says(near, "apart"));
  EXPECT_FALSE(says(near, "unclear"));
  EXPECT_TRUE(says(far, "unclear"));
  EXPECT_FALSE(says(far, "apart"));
}

TEST(Attention, ShowsTheGainOf16BitsWhereTheGemmsHaveIt) {
  EXPECT_FALSE(says(part(small_at_512(), "e"), "half"));
  EXPECT_TRUE(says(part(small_at_512(slower(gemm_in_bf16, 0.1)), "e"), "half"));
}

TEST(Attention, WithoutATwinOfTheAnswerIn16BitsSpeaksOfTheContextThatHasOne) {
  const PartContent elsewhere = part(small_of_2026(slower(gemm_in_bf16, 0.1)), "e");
  EXPECT_EQ(value(elsewhere, "half", "setting"), "BF16 (small at context 512)");
  EXPECT_TRUE(says(elsewhere, "range"));
  const PartContent same = part(small_at_512(slower(gemm_in_bf16, 0.1)), "e");
  EXPECT_EQ(value(same, "half", "setting"), "BF16");
}

/// A run of the user's model, whose attention is a module without ranges.
Run of_a_users_model(const char* softmax, const char* product) {
  PlanInput input = plan_input(Preset::kFull, "2025");
  input.selection.only = {"nsys_profile"};
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.contexts = {256, 512};
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  return measured(input, [=](const CellSpec&, Launch& launch) {
    for (Table& table : launch.tables) {
      if (table.name != metric::kKernels) continue;
      for (Cells& row : table.rows) {
        if (!holds(row, kModuleColumn, "layers/attn/scaled dot")) continue;
        const char* op = holds(row, kModuleColumn, "computing softmax") ? softmax
                         : holds(row, kClassColumn, "gemm")             ? product
                                                                        : "aten::mul";
        row[kModuleColumn] = std::string("h/attention");
        row[kOperationColumn] = row[kOperatorColumn] = std::string(op);
      }
    }
  });
}

TEST(Attention, OfAUsersModelIsToldByOperatorsAndHasNoFlops) {
  const auto run = of_a_users_model("aten::_softmax", "aten::bmm");
  const PartContent attention = part(run, "e");
  EXPECT_TRUE(says(attention, "one"));
  EXPECT_FALSE(says(attention, "own"));
  EXPECT_FALSE(has_dataset(attention, "roofline"));
  const Dataset& ratios = dataset(attention, "ratios");
  for (const char* known : {"softmax", "time", "all_time"}) EXPECT_GT(numbers(ratios, known)[0], 0);
  for (const char* unknown : {"scores", "values", "flops", "all_flops", "rate"})
    EXPECT_EQ(column(ratios, unknown).front(), "–") << unknown;
}

TEST(Attention, OfAUsersModelMayBeFusedOrNotToldAtAll) {
  EXPECT_TRUE(
      says(part(of_a_users_model("aten::_flash_attention_forward", "aten::mul"), "e"), "fused"));
  const PartContent untold = part(of_a_users_model("aten::exp", "aten::bmm"), "e");
  EXPECT_TRUE(says(untold, "untold"));
  EXPECT_FALSE(says(untold, "one"));
  EXPECT_FALSE(says(part(small_at_512(), "e"), "untold"));
}

TEST(NonGemmKernels, OfAUsersModelAreGroupedByRole) {
  const PartContent others = part(of_a_users_model("aten::_softmax", "aten::bmm"), "c");
  EXPECT_THAT(column(dataset(others, "non-gemm-kernels"), "group"),
              testing::AllOf(Contains("attention: softmax"), Contains("feed-forward"),
                             Contains("norms"), Contains("embeddings")));
  EXPECT_THAT(column(dataset(others, "non-gemm-by-context"), "square"), testing::Each("–"));
  EXPECT_FALSE(says(others, "dashed"));
  EXPECT_TRUE(says(part(small_of_2026(), "c"), "dashed"));
}

TEST(Attention, HasNoRooflineWithoutLimits) {
  const auto run = small_at_512([](const CellSpec& spec, Launch& launch) {
    if (spec.kind == CellKind::kLimits) end_with(launch, Crashed{11, ""});
  });
  const PartContent attention = part(run, "e");
  EXPECT_EQ(std::ranges::find(attention.datasets, "roofline", &Dataset::name),
            attention.datasets.end());
  EXPECT_FALSE(says(attention, "apart"));
  EXPECT_TRUE(says(attention, "one"));
}

TEST(StepTimeline, DrawsTheTracedStepIn16Bits) {
  const PartContent classes = part(small_at_512(), "d");
  EXPECT_EQ(std::get<std::string>(classes.facts.entries().at("timeline")),
            "small at context 512 in BF16");
  EXPECT_THAT(column(dataset(classes, "step-times"), "phase"),
              ElementsAre("forward", "loss", "backward", "optimizer"));
  EXPECT_THAT(column(dataset(classes, "step-phases"), "text"),
              Contains(testing::StartsWith("backward ")));
}

TEST(StepTimeline, AddsTheSharesOfAStretchUpWithoutGapsToOneAtMost) {
  const Dataset bars = dataset(part(small_at_512(), "d"), "step-timeline");
  const auto starts = numbers(bars, "start"), ends = numbers(bars, "end");
  const auto lows = numbers(bars, "low"), highs = numbers(bars, "high");
  std::set<double> stretches;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const bool first = stretches.insert(starts[i]).second;
    EXPECT_EQ(lows[i], first ? 0 : highs[i - 1]);
    EXPECT_LE(highs[i], 1);
    if (!first || i == 0) continue;
    EXPECT_DOUBLE_EQ(starts[i], ends[i - 1]) << "stretches join";
  }
  EXPECT_GE(stretches.size(), 2u * 12) << "a block's forward and its backward";
}

TEST(StepTimeline, HandsThePageEveryKernelOfEveryTracedStep) {
  const labreport::Run run = small_at_512();
  const nlohmann::json live = dataset(part(run, "d"), "step-timeline").live;
  EXPECT_EQ(live["first"], 1);
  ASSERT_EQ(live["steps"].size(), 2u);
  const auto texts = live["texts"].get<std::vector<std::string>>();
  EXPECT_EQ(std::set(texts.begin(), texts.end()).size(), texts.size()) << "each text once";
  for (const nlohmann::json& step : live["steps"]) {
    const auto kernels = step["kernels"].get<std::vector<std::size_t>>();
    ASSERT_EQ(kernels.size() % 4, 0u);
    EXPECT_GT(kernels.size(), 4u * 500);
    for (std::size_t i = 0; i < kernels.size(); i += 4) {
      const nlohmann::json& row = step["rows"].at(kernels[i + 2]);
      EXPECT_LT(row.at(0), texts.size());
      EXPECT_LT(row.at(2), live["classes"]["domain"].size());
      EXPECT_LE(kernels[i + 3], 12u) << "a block, from 1; 0: none";
    }
  }
}

}  // namespace
}  // namespace labreport::nsys_profile
