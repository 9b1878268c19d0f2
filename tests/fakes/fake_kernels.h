// Calculates the fake worker's results for a profiled step.
#pragma once

#include <string>
#include <vector>

#include "fake_kernel_tables.h"
#include "plan/editions.h"
#include "results/metric_names.h"
#include "results/run.h"

namespace labreport {

namespace fake_kernel {

inline constexpr const char* kGemm = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_simt";
inline constexpr const char* kBatchedGemm =
    "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5>";
inline constexpr const char* kSplitK =
    "void cublasLt::splitKreduce_kernel<32, 16, int, float>(cublasLt::cublasSplitKParams<float>)";
inline constexpr const char* kMul =
    "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
    "float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int)";
inline constexpr const char* kDiv =
    "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
    "float, at::native::binary_internal::DivFunctor<float> >, std::array<char*, 3ul> >(int)";
inline constexpr const char* kExp =
    "void at::native::vectorized_elementwise_kernel<4, at::native::exp_kernel_cuda(at::"
    "TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul> >(int)";
inline constexpr const char* kWhere =
    "void at::native::elementwise_kernel<128, 2, at::native::(anonymous namespace)::"
    "where_kernel_impl(at::TensorIterator&)::{lambda(bool, float, float)#1}>(int)";
inline constexpr const char* kReduce =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
    "at::native::func_wrapper_t<float, at::native::sum_functor<float> > > >(int)";
inline constexpr const char* kGather =
    "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long)";

inline constexpr double kBytesPerNanosecond = 1000;

/// The times of one call in ns.
struct CallTimes {
  double linear;        ///< A square linear layer.
  double batched_gemm;  ///< QKᵀ or A·V.
  double per_scores;    ///< An elementwise kernel over the attention scores.
  double per_tokens;    ///< An elementwise kernel over tokens × d_model.
};

inline CallTimes call_times(const CellSpec& spec, double flops_per_second) {
  const auto d = static_cast<double>(spec.model->d_model);
  const auto context = static_cast<double>(*spec.context);
  const double tokens = static_cast<double>(*spec.batch) * context;
  const double ns_per_flop = 1e9 / flops_per_second;
  return {2 * tokens * d * d * ns_per_flop, 2 * tokens * context * d * ns_per_flop,
          8 * tokens * context * static_cast<double>(spec.model->heads) / kBytesPerNanosecond,
          8 * tokens * d / kBytesPerNanosecond};
}

inline std::vector<FakeKernel> forward_kernels(const CellSpec& spec, const CallTimes& ns) {
  const auto layers = static_cast<double>(spec.model->layers);
  const double ffn_ratio =
      static_cast<double>(spec.model->d_ff) / static_cast<double>(spec.model->d_model);
  const double head_ratio =
      static_cast<double>(spec.model->vocab) / static_cast<double>(spec.model->d_model);
  const char* scores = "layers/attn/scaled dot product attention/computing attention scores";
  const char* softmax = "layers/attn/scaled dot product attention/computing softmax";
  const char* values = "layers/attn/scaled dot product attention/final matmul";
  std::vector<FakeKernel> rows;
  for (const char* module : {"layers/attn/q_proj", "layers/attn/k_proj", "layers/attn/v_proj",
                             "layers/attn/output_proj"}) {
    rows.push_back({module, "Linear", "aten::mm", "gemm", kGemm, layers, ns.linear});
  }
  for (const char* module : {"layers/ffn/w1", "layers/ffn/w2", "layers/ffn/w3"}) {
    rows.push_back({module, "Linear", "aten::mm", "gemm", kGemm, layers, ns.linear * ffn_ratio});
  }
  const auto other_kernels = std::vector<FakeKernel>{
      {"token_embeddings", "aten::index", "aten::index", "gather", kGather, 1, ns.per_tokens},
      {"lm_head", "Linear", "aten::mm", "gemm", kGemm, 1, ns.linear * head_ratio},
      {"lm_head", "Linear", "aten::mm", "gemm helper", kSplitK, 1, ns.per_tokens},
      {"layers/ln1", "Scaled", "aten::mul", "elementwise", kMul, 2 * layers, ns.per_tokens},
      {"layers/ln1", "InverseRms", "aten::mean", "reduction", kReduce, layers, ns.per_tokens},
      {"layers/attn/rotary", "Rotary", "aten::mul", "elementwise", kMul, 8 * layers, ns.per_tokens},
      {scores, "MaskedScores", "aten::bmm", "gemm", kBatchedGemm, layers, ns.batched_gemm},
      {scores, "MaskedScores", "aten::div", "elementwise", kDiv, layers, ns.per_scores},
      {scores, "MaskedScores", "aten::where", "where", kWhere, layers, ns.per_scores},
      {softmax, "Softmax", "aten::max", "reduction", kReduce, layers, ns.per_scores},
      {softmax, "Softmax", "aten::sub", "elementwise", kMul, layers, ns.per_scores},
      {softmax, "Softmax", "aten::exp", "exponential", kExp, layers, ns.per_scores},
      {softmax, "Softmax", "aten::sum", "reduction", kReduce, layers, ns.per_scores / 2},
      {softmax, "Softmax", "aten::div", "elementwise", kDiv, layers, ns.per_scores},
      {values, "MixedValues", "aten::bmm", "gemm", kBatchedGemm, layers, ns.batched_gemm},
      {"layers/ffn", "Silu", "aten::mul", "elementwise", kMul, 2 * layers,
       ns.per_tokens * ffn_ratio}};
  rows.insert(rows.end(), other_kernels.begin(), other_kernels.end());
  return rows;
}

inline void add_time(Launch& body, std::string_view tag, std::string_view name, double ns) {
  body.metrics.push_back(integer_metric(tag, name, "ns", static_cast<std::int64_t>(ns)));
}

inline void add_clocks(Launch& body, const CellSpec& spec, const KernelTables& tables) {
  const bool is_first_step = spec.steps == 0;
  const double busy_ns = static_cast<double>(tables.total_ns());
  add_time(body, metric::kProfile, metric::kProfilerPrepare, 2e8);
  add_time(body, metric::kProfile, metric::kStep, busy_ns * (is_first_step ? 4 : 1.08));
  add_time(body, metric::kProfile, metric::kSpan, busy_ns * (is_first_step ? 3 : 1.05));
  add_time(body, metric::kProfile, metric::kBusy, busy_ns);
  add_time(body, metric::kProfile, metric::kUnattributed, 0);
  add_time(body, metric::kProfile, metric::kProfilerCollect, 3e8);
  if (is_first_step) {
    add_time(body, metric::kFirstLaunches, metric::kCodeLoading, busy_ns);
    add_time(body, metric::kFirstLaunches, metric::kCublasSetup, busy_ns * 0.8);
  }
  add_time(body, metric::kRuntime, metric::kAllocation, is_first_step ? busy_ns / 2 : 0);
  add_time(body, metric::kRuntime, metric::kLaunchCalls, busy_ns / 10);
  add_time(body, metric::kRuntime, metric::kOtherCalls, busy_ns / 100);
}

}  // namespace fake_kernel

/// The type of `steps` in fake_report.h: makes samples from (ns, count, is_warm).
using FakeSamples = std::vector<std::int64_t> (*)(double, std::int64_t, bool);

inline void measure_kernels(Launch& body, const LaunchRequest& request, double flops_per_second,
                            FakeSamples steps) {
  using namespace fake_kernel;
  const CellSpec& spec = request.spec;
  const std::int64_t layers = spec.model->layers;
  KernelTables tables(spec.device == DeviceKind::kCuda);
  const std::vector<FakeKernel> kernels = forward_kernels(spec, call_times(spec, flops_per_second));
  for (const FakeKernel& kernel : kernels) {
    tables.add(metric::kForward, kernel, 1, 1, layers);
  }
  if (spec.mode == Mode::kForwardBackward || spec.mode == Mode::kTrainStep) {
    tables.add(metric::kLoss, {"", "aten::exp", "aten::exp", "exponential", kExp, 1, 5e4}, 1, 1);
    for (const FakeKernel& kernel : kernels) {
      tables.add(metric::kBackward, kernel, 2, 1.1, layers);
    }
  }
  if (spec.mode == Mode::kTrainStep) {
    const double ns = 4.0 * static_cast<double>(parameter_count(*spec.model)) / kBytesPerNanosecond;
    tables.add(metric::kOptimizer, {"", "aten::mul", "aten::mul", "elementwise", kMul, 8, ns}, 1,
               1);
  }
  add_clocks(body, spec, tables);
  if (*spec.steps > 0) {
    const double step_ns = static_cast<double>(tables.total_ns()) * 1.04;
    const auto add = [&](std::string_view tag, std::string_view name, double ns) {
      body.metrics.push_back(sample_metric(tag, name, "ns", steps(ns, *spec.steps, true)));
    };
    add(metric::kStep, metric::kTotal, step_ns);
    add(metric::kStep, metric::kEnqueue, step_ns / 2);
    for (const auto& [phase, ns] : tables.phase_ns()) {
      add(metric::kEvent, phase, static_cast<double>(ns) * 1.02);
    }
  }
  tables.write(body, request.gpu_trace);
}

}  // namespace labreport
