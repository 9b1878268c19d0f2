// Tests the profiling problem: its tables of kernels, and the runs in which each sentence appears.
#include <gmock/gmock.h>

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

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using namespace testing_samples;

/// Returns a run with profiles of the small network at these contexts, in FP32 and BF16.
labreport::Run small_at(std::vector<std::int64_t> contexts, const Change& change = unchanged,
                        const char* edition = "2025") {
  PlanInput input = input_for("nsys_profile", Preset::kFull, edition);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.contexts = std::move(contexts);
  return fake_run(input, change);
}

labreport::Run small_at_512(const Change& change = unchanged) { return small_at({512}, change); }
labreport::Run small_of_2026(const Change& change = unchanged) {
  return small_at({512, 1024, 2048}, change, "2026");
}

Part part(const labreport::Run& run, const char* letter) {
  return part_of(run, std::string("nsys_profile.") + letter);
}

std::string answer(const labreport::Run& run, const char* letter) {
  return part(run, letter).answer;
}

Dataset dataset(const labreport::Run& run, const char* letter, std::string_view name) {
  const Presentation parts = present(RunView(run, find_edition(run.edition)));
  const auto& datasets = parts.at(letter).datasets;
  const auto found = std::ranges::find(datasets, name, &Dataset::name);
  return found == datasets.end() ? Dataset() : *found;
}

Value value(const Dataset& data, std::size_t row, std::string_view name) {
  const auto found = std::ranges::find(data.columns, name, &DataColumn::name);
  return data.rows.at(row).cells.at(static_cast<std::size_t>(found - data.columns.begin()));
}

std::vector<double> numbers(const Dataset& data, std::string_view name) {
  std::vector<double> all;
  for (std::size_t row = 0; row < data.rows.size(); ++row) {
    all.push_back(*value(data, row, name).number());
  }
  return all;
}

/// Multiplies by `factor` the time of the kernels for which `predicate` is true.
Change scale_kernels(std::function<bool(const NamedRow&)> predicate, double factor) {
  return each_row(metric::kKernels, [=](const NamedRow& row) {
    if (predicate(row)) row.scale(column::kTotalNs, factor);
  });
}

Change at_context(std::int64_t context, Change change) {
  return where([=](const CellSpec& spec) { return spec.context == context; }, std::move(change));
}

bool is_gemm_row(const NamedRow& row) { return row.has(column::kClass, "gemm"); }
bool is_backward_bmm(const NamedRow& row) {
  return row.has(column::kPhase, "backward") && row.has(column::kOperator, "aten::bmm");
}

const Change kFastBf16 =
    where([](const CellSpec& spec) { return spec.precision == Precision::kBf16; },
          scale_kernels(is_gemm_row, 0.1));

void without_step(const CellSpec& spec, Launch& launch) {
  if (spec.mode != Mode::kInference) end_with(launch, OutOfMemory{"forward", 1, 2, 3});
}

/// Runs a model of the user's, whose attention is one module without ranges. Its softmax and its
/// GEMMs run as the operators `softmax_op` and `gemm_op`; an empty `softmax_op` keeps the five
/// operators of softmax.
labreport::Run users_model_run(const std::string& softmax_op, const std::string& gemm_op) {
  PlanInput input = input_for("nsys_profile");
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.contexts = {256, 512};
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  return fake_run(
      input, each_row(metric::kKernels, [=](const NamedRow& row) {
        if (!row.has(column::kModule, "layers/attn/scaled dot")) return;
        const bool in_softmax = row.has(column::kModule, "computing softmax");
        const std::string op = in_softmax ? softmax_op : is_gemm_row(row) ? gemm_op : "aten::mul";
        row[column::kModule] = std::string("h/attention");
        if (in_softmax && softmax_op.empty()) return;
        row[column::kOperation] = row[column::kOperator] = op;
      }));
}

TEST(KernelSums, AddUpKernelsOfOneName) {
  const auto row = [](const char* kernel, double instances, double total_ms, double median_ms) {
    KernelRow row;
    row.kernel = kernel;
    row.instances = instances;
    row.total_ms = total_ms;
    row.min_ms = row.median_ms = row.max_ms = median_ms;
    return row;
  };
  const KernelRow a = row("mul", 2, 4, 2), b = row("gemm", 1, 10, 10), c = row("mul", 2, 8, 4);
  const auto sums = sums_by_kernel({&a, &b, &c});
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].name, "mul");
  EXPECT_EQ(sums[0].calls, 4);
  EXPECT_DOUBLE_EQ(sums[0].total_ms, 12);
  EXPECT_NEAR(sums[0].stddev_ms, 1.1547, 1e-4) << "of the sample 2, 2, 4, 4";
}

TEST(KernelsCsv, HasNsightsColumnsAndEscapesFormulas) {
  CellSpec spec;
  spec.mode = Mode::kInference;
  const KernelRow row{"forward", "lm_head", "aten::mm", "gemm", "void f<\"a\", 4>(int)", 2, 3,
                      1,         1.5,       2,          0.5};
  const KernelRow hostile{"=1+1", "lm_head", "aten::mm", "gemm", "@kernel", 2, 3, 1, 1.5, 2, 0};
  KernelProfile profile;
  profile.full_name = "=A1";
  profile.inference = ProfiledStep{&spec, nullptr, {row, hostile}};
  EXPECT_EQ(kernels_csv({profile, KernelProfile{}}),
            "Profile,Step,Phase,Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),"
            "Max (ns),StdDev (ns),Name\n"
            "'=A1,inference,forward,100.00,3000000,2,1500000.0,1500000.0,1000000,2000000,500000.0,"
            "\"void f<\"\"a\"\", 4>(int)\"\n"
            "'=A1,inference,'=1+1,100.00,3000000,2,1500000.0,1500000.0,1000000,2000000,0.0,"
            "'@kernel\n");
}

TEST(KernelName, HasTheFunctionAndItsFunctor) {
  // Profiles in public benchmark notes print this name of the Ada family.
  constexpr const char* kAda =
      "sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x128x64_stage4_warpsize2x2x1_"
      "tensor16x8x32_execute_kernel__5x_cublas";
  for (const char* whole : {kAda, "Memset (Device)"}) EXPECT_EQ(short_kernel_name(whole), whole);
  EXPECT_EQ(short_kernel_name(
                "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)"),
            "cutlass_80_simt_sgemm_128x64_8x5_nn_align1");
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::CatArrayBatchedCopy<int>"
                              "(int*)"),
            "CatArrayBatchedCopy");
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::"
                              "exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#1}, int>(int)"),
            "vectorized_elementwise_kernel (exp)");
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::"
                              "BinaryFunctor<float, float, float, at::native::binary_internal::"
                              "MulFunctor<float> >, std::array<char*, 3ul> >(int)"),
            "vectorized_elementwise_kernel (Mul)");
}

TEST(KernelName, IsCutBetweenCharactersIfItIsLong) {
  constexpr std::size_t kLength = 100'000;
  EXPECT_LT(short_kernel_name("f<" + std::string(kLength, 'w') + "_kernel_cuda>").size(), 400u);
  std::string wrapped = "gemm";
  for (int i = 0; i < 20'000; ++i) wrapped = "Kernel<" + wrapped;
  EXPECT_EQ(short_kernel_name(wrapped), "gemm");
  for (const char* part : {"w", "w_", "sm8", "_xmma", "(anonymous", "<", "::", "Binary,", "→"}) {
    std::string name;
    while (name.size() < kLength) name += part;
    EXPECT_LT(short_kernel_name(name).size(), 400u) << part;
    for (const char* before : {"", "a", "ab"})
      EXPECT_TRUE(is_utf8(short_kernel_name(before + name)));
  }
}

TEST(ModelParts, GroupKernelsByPurpose) {
  const auto group = [](const char* module, const char* kind, bool own_network = true) {
    return kernel_group(place_of(module, "aten::to", "aten::copy_"), module, kind, own_network);
  };
  EXPECT_EQ(group("layers/ffn", "elementwise"), "SwiGLU");
  EXPECT_EQ(group("layers/ffn/w1", "copy"), "other copies");
  EXPECT_EQ(group("layers/ffn/w1", "memset"), kOtherKernels);
  EXPECT_EQ(group("layers/ffn/w1", "other"), kOtherKernels)
      << "what a linear layer does besides its GEMM belongs to no group";
  EXPECT_EQ(group("layers/attn/q_proj", "other"), kOtherKernels);
  EXPECT_EQ(group("layers/ln2", "reduction"), "RMSNorm");
  EXPECT_EQ(group("layers", "elementwise"), "residual");
  EXPECT_EQ(group("layers/attn/scaled dot product attention/computing softmax", "copy"), "softmax")
      << "casts inside softmax are its own";
  EXPECT_EQ(group("h/mlp", "elementwise", false), "feed-forward") << "a model of the user's";
  EXPECT_EQ(group("h/attention/softmax", "elementwise", false), "attention: softmax");
  EXPECT_EQ(group("h/attention", "elementwise", false), "attention: other");
  EXPECT_EQ(group("h/attention", "copy", false), "other copies");
}

TEST(TimerVsProfiler, GivesTheReasonThatTheRunShows) {
  const auto span_of = [](double factor) {
    return scaled(metric::kProfile, metric::kSpan, factor / 1.05);
  };
  const auto scattered =
      each_sample(metric::kStep, metric::kTotal,
                  [](double ns, std::size_t step) { return step == 0 ? 0.99 * ns : 1.005 * ns; });
  const auto answer_if = [](const Change& change) { return answer(small_at_512(change), "a"); };
  EXPECT_THAT(answer_if(unchanged), HasSubstr("The rest is the GPU's idle time"))
      << "gaps of 5 %, a timer 4 % above the kernels";
  EXPECT_THAT(answer_if(combined(span_of(1.03), scattered)), HasSubstr("The profiled pass has"))
      << "gaps of 3 %";
  EXPECT_THAT(answer_if(scaled(metric::kStep, metric::kTotal, 2)),
              HasSubstr("The CPU sets the timer's time"));
  EXPECT_THAT(answer_if(span_of(1.01)), HasSubstr("The profiled pass has"));
  EXPECT_THAT(answer_if(scaled(metric::kProfile, metric::kBusy, 1.2)),
              EndsWith("by the timer, 13.2 % less."))
      << "kernels cannot take longer than from the first to the last";
}

TEST(TimerVsProfiler, ShowsForwardPassesAndInTheDetailsEveryStepWithItsReason) {
  const Part shown = part(small_at_512(without_step), "a");
  EXPECT_EQ(table_of(shown, "steps").rows.size(), 2u);
  EXPECT_THAT(texts_in(table_of(shown, "every-step"), "Step"),
              ElementsAre("inference", StartsWith("training stepout of memory in forward"),
                          "inference", StartsWith("training step")));
}

TEST(TimerVsProfiler, MarksPerturbedPasses) {
  const auto perturb = at_context(512, scaled(metric::kProfile, metric::kSpan, 1.5));
  EXPECT_THAT(table_of(part(small_of_2026(perturb), "a"), "steps").rows.front().flags,
              ElementsAre("perturbed by the profiler"));
}

TEST(ForwardPasses, AreNotMeasuredIfOnlyTheTrainingStepWasTried) {
  PlanInput input = input_for("nsys_profile");
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.contexts = {512};
  const auto out_of_memory = [](const CellSpec&, Launch& launch) {
    end_with(launch, OutOfMemory{"forward", 1, 2, 3});
  };
  const auto reason = [&](Mode mode) {
    input.selection.modes = {mode};
    return value(dataset(fake_run(input, out_of_memory), "d", "gemm-shares"), 0, "forward").reason;
  };
  EXPECT_THAT(reason(Mode::kTrainStep),
              StartsWith("not measured (training step: out of memory in forward"));
  EXPECT_THAT(reason(Mode::kInference), StartsWith("inference: out of memory"));
}

TEST(Profiles, HaveNoKernelsIfOneHasNoTime) {
  EXPECT_THAT(answer(small_at_512(without_a_kernel_time), "c"),
              StartsWith("No forward pass was profiled"));
}

TEST(TopKernels, AreNamedWithTheirCalls) {
  EXPECT_THAT(answer(small_at_512(), "b"),
              AllOf(HasSubstr("Of forward in small at context 512 in FP32, `"),
                    HasSubstr("in **85 launches** (3 FFN projections and 4 attention projections "
                              "in each of 12 layers, and the LM head)"),
                    HasSubstr("It stays on top when the backward pass is added.")));
}

TEST(TopKernels, MayChangeWithTheBackwardPass) {
  EXPECT_THAT(answer(small_at_512(scale_kernels(is_backward_bmm, 1000)), "b"),
              HasSubstr("With the backward pass it is another: `"));
}

TEST(NonGemmKernels, AreGroupedByPurpose) {
  const Part others = part(small_at_512(), "c");
  EXPECT_THAT(lines_of(table_of(others, "non-gemm-kernels")), Contains(StartsWith("softmax | ")));
}

TEST(NonGemmKernels, HaveTheUsersNamesOfModulesAndKnowNormsByTheirOperator) {
  const auto answer_with = [](const char* operation) {
    PlanInput input = input_for("nsys_profile");
    input.selection.sizes = {input.edition.sizes[0]};
    input.selection.model.emplace().implementation = "Net-0a1b2c3d";
    const auto rename = each_row(metric::kKernels, [=](const NamedRow& row) {
      if (!row.has(column::kModule, "layers/ln1")) return;
      row[column::kModule] = std::string("layers/n1");
      row[column::kOperation] = std::string(operation);
      row.scale(column::kTotalNs, 1e4);
    });
    return part(fake_run(input, rename), "c").answer;
  };
  EXPECT_THAT(answer_with("aten::mul"), StartsWith("Module layers/n1 (mul and mean) takes **"));
  EXPECT_THAT(answer_with("aten::layer_norm"), StartsWith("Norms (mul and mean) take **"));
}

/// Returns the sum over softmax's operators of time × share of the copy bandwidth, in ms.
double softmax_ms_at_copy_bandwidth(const labreport::Run& run) {
  const Dataset operators = dataset(run, "c", "non-gemm-kernels");
  double sum_ms = 0;
  for (std::size_t row = 0; row < operators.rows.size(); ++row) {
    const Value share = value(operators, row, "bandwidth");
    if (share.number() != nullptr)
      sum_ms += *share.number() * *value(operators, row, "ms").number();
  }
  return sum_ms;
}

TEST(NonGemmKernels, OfSoftmaxMoveTheBytesOfItsFormula) {
  const labreport::Run run = small_at_512();
  const double scores = 12 * 4 * 12 * 512.0 * 512, bytes = 32 * scores;  // Layers, batch, heads.
  const double copy_bandwidth = *measured_limits(run).copy_bandwidth;
  EXPECT_NEAR(softmax_ms_at_copy_bandwidth(run), 1e3 * bytes / copy_bandwidth, 1e-6);
  EXPECT_EQ(softmax_ms_at_copy_bandwidth(users_model_run("aten::exp", "aten::bmm")), 0);
}

/// Makes the backward pass's elementwise kernels longer.
const Change kSlowBackward = scale_kernels(
    [](const NamedRow& row) {
      return row.has(column::kPhase, "backward") && row.has(column::kClass, "elementwise");
    },
    100);

TEST(KernelClasses, CompareAdamWWithTheCopyBandwidthThatItNearlyReaches) {
  const Dataset parts = dataset(small_at_512(), "e", "roofline");
  double adamw_bandwidth = 0;
  for (std::size_t row = 0; row < parts.rows.size(); ++row) {
    if (format_value(value(parts, row, "part")) != "AdamW") continue;
    adamw_bandwidth = *value(parts, row, "bytes").number() * kBytesPerGibibyte /
                      (*value(parts, row, "ms").number() / 1e3);
    break;
  }
  const auto answer_at = [&](double share, const Change& change = unchanged) {
    const auto copies = [&](const CellSpec& spec, Launch& launch) {
      if (spec.kind != CellKind::kLimits) return;
      for (Metric& metric : launch.metrics) {
        if (metric.tag == metric::kCopy) metric.data = Scalar(adamw_bandwidth / share);
      }
    };
    return answer(small_at_512(combined(change, copies)), "d");
  };
  EXPECT_THAT(answer_at(0.97), HasSubstr("move 132 B a parameter, at 97.0 % of copy bandwidth"));
  EXPECT_THAT(answer_at(1.3),
              ContainsRegex("The optimizer's [0-9.]+ ms hold no GEMM; without them"))
      << "caches held its tensors";
  const auto gemm_in_optimizer = [](const CellSpec& spec, Launch& launch) {
    for (Table& table : launch.tables) {
      if (table.name != metric::kKernels || spec.mode != Mode::kTrainStep) continue;
      auto gemm = table.rows.front();
      NamedRow(table, gemm)[column::kPhase] = std::string("optimizer");
      table.rows.push_back(gemm);
    }
  };
  EXPECT_THAT(answer_at(0.97, gemm_in_optimizer), Not(HasSubstr("no GEMM")));
}

TEST(KernelClasses, NameTheClassWhoseShareChangesMost) {
  EXPECT_THAT(answer(small_at_512(kSlowBackward), "d"),
              HasSubstr("; elementwise kernels rise from 3.2 to 62.7 %."));
  EXPECT_EQ(drawn_class("other", "aten::_foreach_mul_"), "elementwise");
}

TEST(Roofline, IsAboveEveryGemmOfTheRun) {
  const auto slow_probe = [](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kLimits) return;
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kMatrixRate) metric.data = Scalar(*metric.number() / 10);
    }
  };
  const auto run = small_at_512(slow_probe);
  const Dataset roof = dataset(run, "e", "roof"), points = dataset(run, "e", "roofline");
  std::map<std::string, double> highest;
  for (std::size_t row = 0; row < roof.rows.size(); ++row) {
    double& rate = highest[format_value(value(roof, row, "precision"))];
    rate = std::max(rate, *value(roof, row, "rate").number());
  }
  int gemms = 0;
  for (std::size_t row = 0; row < points.rows.size(); ++row) {
    const std::string part = format_value(value(points, row, "part"));
    if (part == "softmax" || part == "RMSNorm" || part == "AdamW") continue;
    ++gemms;
    EXPECT_LE(*value(points, row, "rate").number(),
              1.0001 * highest.at(format_value(value(points, row, "precision"))))
        << part;
  }
  EXPECT_EQ(gemms, 2 * 4) << "QKᵀ, A·V, projections and FFN in two precisions";
}

TEST(Attention, HasFlopsInAUsersModelInFp32Only) {
  const Part shown = part(users_model_run("aten::_softmax", "aten::bmm"), "e");
  EXPECT_THAT(shown.answer, HasSubstr("with 51 times the FLOPs"));
  EXPECT_THAT(texts_in(table_of(shown, "ratios"), "FLOPs ratio"), ElementsAre("2.0", "–"));
}

TEST(Attention, FindsASoftmaxThatAUsersModelWritesOut) {
  const labreport::Run run = users_model_run("", "aten::bmm");
  EXPECT_THAT(part(run, "e").answer, HasSubstr(" times the FLOPs"));
  EXPECT_THAT(lines_of(table_of(part(run, "c"), "non-gemm-kernels")),
              Contains(HasSubstr("attention: softmax")));
}

TEST(Attention, SaysWhySoftmaxHasNoTimeOfItsOwn) {
  const auto softmax_times = [](const char* softmax_op, const char* gemm_op) {
    return texts_in(table_of(part(users_model_run(softmax_op, gemm_op), "e"), "ratios"), "Softmax");
  };
  EXPECT_THAT(softmax_times("aten::_flash_attention_forward", "aten::mul"),
              AllOf(SizeIs(2), Each(HasSubstr("one fused operator computes attention"))));
  EXPECT_THAT(softmax_times("aten::exp", "aten::bmm"),
              AllOf(SizeIs(2), Each(HasSubstr("no module or operator tells softmax"))));
}

TEST(NonGemmKernels, AreGroupedByRoleInAUsersModel) {
  const auto lines = lines_of(
      table_of(part(users_model_run("aten::_softmax", "aten::bmm"), "c"), "non-gemm-kernels"));
  for (const char* role : {"attention: softmax", "feed-forward", "norms", "embeddings"}) {
    EXPECT_THAT(lines, Contains(HasSubstr(role)));
  }
}

TEST(StepTimeline, StacksSharesWithoutGapsUpToOne) {
  const Dataset bars = dataset(small_at_512(), "d", "step-timeline");
  const auto starts = numbers(bars, "start"), ends = numbers(bars, "end");
  const auto lows = numbers(bars, "low"), highs = numbers(bars, "high");
  std::set<double> stretches;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const bool is_lowest = stretches.insert(starts[i]).second;
    EXPECT_EQ(lows[i], is_lowest ? 0 : highs[i - 1]);
    EXPECT_LE(highs[i], 1);
    if (!is_lowest || i == 0) continue;
    EXPECT_DOUBLE_EQ(starts[i], ends[i - 1]) << "stretches join";
  }
  EXPECT_GE(stretches.size(), 2u * 12) << "a block's forward and its backward";
}

TEST(StepTimeline, HandsThePageEveryKernelOfEveryTracedStep) {
  const nlohmann::json live = dataset(small_at_512(), "d", "step-timeline").script_data;
  EXPECT_EQ(live["first"], 1) << "the one in 16 bits";
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
