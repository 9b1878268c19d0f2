// What the fake worker answers for a profiled step: rows by arithmetic, not measured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/editions.h"
#include "results/metric_names.h"
#include "results/run.h"

namespace labreport {

/// One kind of kernel of the forward pass: how often a layer launches it, and what one call costs.
struct FakeKernel {
  const char* module;
  const char* operation;
  const char* op;
  const char* kind;
  const char* name;
  double calls;  ///< In one forward pass.
  double ns;     ///< Of one call.
};

namespace fake_kernel {

inline constexpr const char* kGemm = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_simt";
inline constexpr const char* kBatched = "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5>";
inline constexpr const char* kSplit =
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

struct Costs {
  double linear, product, pairs, tokens;  ///< ns of one call.
};

inline Costs costs(const CellSpec& spec, double flops_per_second) {
  const auto d = static_cast<double>(spec.model->d_model);
  const auto context = static_cast<double>(*spec.context);
  const double tokens = static_cast<double>(*spec.batch) * context;
  const double nanoseconds = 1e9 / flops_per_second;
  return {2 * tokens * d * d * nanoseconds, 2 * tokens * context * d * nanoseconds,
          8 * tokens * context * static_cast<double>(spec.model->heads) / kBytesPerNanosecond,
          8 * tokens * d / kBytesPerNanosecond};
}

inline std::vector<FakeKernel> forward(const CellSpec& spec, const Costs& cost) {
  const auto layers = static_cast<double>(spec.model->layers);
  const double wide =
      static_cast<double>(spec.model->d_ff) / static_cast<double>(spec.model->d_model);
  const char* scores = "layers/attn/scaled dot product attention/computing attention scores";
  const char* softmax = "layers/attn/scaled dot product attention/computing softmax";
  const char* mixed = "layers/attn/scaled dot product attention/final matmul";
  std::vector<FakeKernel> rows;
  for (const char* module : {"layers/attn/q_proj", "layers/attn/k_proj", "layers/attn/v_proj",
                             "layers/attn/output_proj"}) {
    rows.push_back({module, "Linear", "aten::mm", "gemm", kGemm, layers, cost.linear});
  }
  for (const char* module : {"layers/ffn/w1", "layers/ffn/w2", "layers/ffn/w3"}) {
    rows.push_back({module, "Linear", "aten::mm", "gemm", kGemm, layers, cost.linear * wide});
  }
  const auto more = std::vector<FakeKernel>{
      {"token_embeddings", "aten::index", "aten::index", "gather", kGather, 1, cost.tokens},
      {"lm_head", "Linear", "aten::mm", "gemm", kGemm, 1, cost.linear * 3},
      {"lm_head", "Linear", "aten::mm", "gemm helper", kSplit, 1, cost.tokens},
      {"layers/ln1", "Scaled", "aten::mul", "elementwise", kMul, 2 * layers, cost.tokens},
      {"layers/ln1", "InverseRms", "aten::mean", "reduction", kReduce, layers, cost.tokens},
      {"layers/attn/rotary", "Rotary", "aten::mul", "elementwise", kMul, 8 * layers, cost.tokens},
      {scores, "MaskedScores", "aten::bmm", "gemm", kBatched, layers, cost.product},
      {scores, "MaskedScores", "aten::div", "elementwise", kDiv, layers, cost.pairs},
      {scores, "MaskedScores", "aten::where", "where", kWhere, layers, cost.pairs},
      {softmax, "Softmax", "aten::max", "reduction", kReduce, layers, cost.pairs},
      {softmax, "Softmax", "aten::sub", "elementwise", kMul, layers, cost.pairs},
      {softmax, "Softmax", "aten::exp", "exponential", kExp, layers, cost.pairs},
      {softmax, "Softmax", "aten::sum", "reduction", kReduce, layers, cost.pairs / 2},
      {softmax, "Softmax", "aten::div", "elementwise", kDiv, layers, cost.pairs},
      {mixed, "MixedValues", "aten::bmm", "gemm", kBatched, layers, cost.product},
      {"layers/ffn", "Silu", "aten::mul", "elementwise", kMul, 2 * layers, cost.tokens * wide}};
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

/// The rows as a worker writes them; on a processor a kernel is its operator.
class Tables {
 public:
  explicit Tables(bool gpu) : gpu_(gpu) {
    for (const char* column : {"phase", "module", "operation", "operator", "class", "kernel",
                               "instances", "total_ns", "min_ns", "median_ns", "max_ns"}) {
      kernels_.columns.push_back({column, ""});
    }
    kernels_.columns.push_back({"stddev_ns", "ns"});
    for (const char* column :
         {"start_ns", "duration_ns", "kernel", "module", "operation", "class"}) {
      layer_.columns.push_back({column, ""});
    }
  }

  void add(std::string_view phase, const FakeKernel& kernel, double calls_each, double slower) {
    const auto calls = static_cast<std::int64_t>(kernel.calls * calls_each);
    const auto each = static_cast<std::int64_t>(kernel.ns * slower) + 1000;
    kernels_.rows.push_back(
        {std::string(phase), std::string(kernel.module), std::string(kernel.operation),
         std::string(kernel.op), std::string(kernel.kind), id(kernel), calls, calls * each,
         each - each / 50, each, each + each / 50, static_cast<double>(each) / 100});
    sums_[std::string(phase)] += calls * each;
    count_ += calls;
  }

  void add_to_layer(const FakeKernel& kernel) {
    const auto each = static_cast<std::int64_t>(kernel.ns) + 1000;
    layer_.rows.push_back({end_, each, id(kernel), std::string(kernel.module),
                           std::string(kernel.operation), std::string(kernel.kind)});
    end_ += each + 500;
  }

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const auto& [phase, ns] : sums_) sum += ns;
    return sum;
  }

  void write(Launch& body) {
    for (const auto& [phase, ns] : sums_) {
      body.metrics.push_back(integer_metric(std::string(metric::kBusy), phase, "ns", ns));
    }
    body.metrics.push_back(
        integer_metric(std::string(metric::kProfile), std::string(metric::kKernels), "1", count_));
    body.tables = {std::move(names_), std::move(kernels_), std::move(layer_)};
  }

  const std::map<std::string, std::int64_t>& sums() const { return sums_; }

 private:
  std::int64_t id(const FakeKernel& kernel) {
    const std::string name = gpu_ ? kernel.name : kernel.op;
    const auto [found, fresh] = ids_.emplace(name, static_cast<std::int64_t>(ids_.size()));
    if (fresh) names_.rows.push_back({found->second, name});
    return found->second;
  }

  bool gpu_;
  std::int64_t count_ = 0;
  std::int64_t end_ = 0;
  std::map<std::string, std::int64_t> ids_;
  std::map<std::string, std::int64_t> sums_;
  Table names_{std::string(metric::kKernelNames), {{"id", ""}, {"name", ""}}, {}};
  Table kernels_{std::string(metric::kKernels), {}, {}};
  Table layer_{std::string(metric::kLayer), {}, {}};
};

inline void add_time(Launch& body, std::string_view tag, std::string_view name, double ns) {
  body.metrics.push_back(
      integer_metric(std::string(tag), std::string(name), "ns", static_cast<std::int64_t>(ns)));
}

inline void add_clocks(Launch& body, const CellSpec& spec, const Tables& tables) {
  const bool cold = spec.steps == 0;
  const double busy = static_cast<double>(tables.total());
  add_time(body, metric::kProfile, metric::kPrepare, 2e8);
  add_time(body, metric::kProfile, metric::kStep, busy * (cold ? 4 : 1.08));
  add_time(body, metric::kProfile, metric::kSpan, busy * (cold ? 3 : 1.05));
  add_time(body, metric::kProfile, metric::kBusy, busy);
  add_time(body, metric::kProfile, metric::kUnattributed, 0);
  add_time(body, metric::kProfile, metric::kCollect, 3e8);
  add_time(body, metric::kRuntime, metric::kModuleLoading, cold ? busy : 0);
  add_time(body, metric::kRuntime, metric::kAllocation, cold ? busy / 2 : 0);
  add_time(body, metric::kRuntime, metric::kLaunchCalls, busy / 10);
  add_time(body, metric::kRuntime, metric::kOtherCalls, busy / 100);
}

}  // namespace fake_kernel

/// Samples of one phase or of the step: see `steps` beside this file's includer.
using FakeSamples = std::vector<std::int64_t> (*)(double, std::int64_t, bool);

inline void measure_kernels(Launch& body, const CellSpec& spec, double flops_per_second,
                            FakeSamples steps) {
  using namespace fake_kernel;
  Tables tables(spec.device == DeviceKind::kCuda);
  const std::vector<FakeKernel> kernels = forward(spec, costs(spec, flops_per_second));
  for (const FakeKernel& kernel : kernels) {
    tables.add(metric::kForward, kernel, 1, 1);
    const bool of_layer = std::string(kernel.module).starts_with("layers/attn");
    if (of_layer) tables.add_to_layer(kernel);
  }
  if (spec.mode == Mode::kForwardBackward || spec.mode == Mode::kTrainStep) {
    tables.add(metric::kLoss, {"", "aten::exp", "aten::exp", "exponential", kExp, 1, 5e4}, 1, 1);
    for (const FakeKernel& kernel : kernels) tables.add(metric::kBackward, kernel, 2, 1.1);
  }
  if (spec.mode == Mode::kTrainStep) {
    const double ns = 4.0 * static_cast<double>(parameter_count(*spec.model)) / kBytesPerNanosecond;
    tables.add(metric::kOptimizer, {"", "aten::mul", "aten::mul", "elementwise", kMul, 8, ns}, 1,
               1);
  }
  add_clocks(body, spec, tables);
  if (*spec.steps > 0) {
    const double whole = static_cast<double>(tables.total()) * 1.04;
    const auto add = [&](std::string_view tag, std::string_view name, double ns) {
      body.metrics.push_back(
          sample_metric(std::string(tag), std::string(name), "ns", steps(ns, *spec.steps, true)));
    };
    add(metric::kStep, metric::kTotal, whole);
    add(metric::kStep, metric::kEnqueue, whole / 2);
    for (const auto& [phase, ns] : tables.sums()) {
      add(metric::kEvent, phase, static_cast<double>(ns) * 1.02);
    }
  }
  tables.write(body);
}

}  // namespace labreport
