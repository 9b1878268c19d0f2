#include "measure/data_parallel/equality.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "engine/precision.h"
#include "measure/data_parallel/averaging.h"
#include "model/training_step.h"
#include "model/transformer.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr ModelShape kSmallShape{.d_model = 64, .d_ff = 192, .layers = 2, .heads = 2, .vocab = 128};
constexpr std::int64_t kSmallContext = 16, kRowsPerRank = 2, kCheckedSteps = 3;
constexpr std::int64_t kMaxBucketBytes = 100'000;  // several buckets, some of several gradients
constexpr double kLearningRate = 0.1;
// FP32 rounds each addition by up to 2⁻²⁴ of the sum, and ranks add in another order than one
// process. Three steps over Gloo on a CPU differed by 10⁻⁶ of the largest value.
constexpr double kTolerance = 2e-5;

void seed_with(std::int64_t seed) { at::manual_seed(static_cast<std::uint64_t>(seed)); }

/// Divides each tensor's largest difference by its largest magnitude; returns the largest quotient.
double max_relative_difference(const std::vector<at::Tensor>& found,
                               const std::vector<at::Tensor>& expected) {
  double largest_ratio = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double largest = expected[i].abs().max().item<double>();
    const double difference = (found[i] - expected[i]).abs().max().item<double>();
    largest_ratio = std::max(largest_ratio, largest > 0 ? difference / largest : difference);
  }
  return largest_ratio;
}

std::vector<at::Tensor> gradients(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> all;
  for (const at::Tensor& parameter : parameters) all.push_back(parameter.grad());
  return all;
}

void take_sgd_step(const std::vector<at::Tensor>& parameters) {
  const c10::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters) {
    parameter.sub_(parameter.grad(), kLearningRate);
    parameter.mutable_grad().reset();
  }
}

class TrainingComparison {
 public:
  TrainingComparison(RankGroup& group, const CellSpec& spec, std::int64_t seed)
      : group_(group),
        seed_(seed),
        parallel_(make_seeded_network(seed + group.rank())),
        single_(make_seeded_network(seed)),
        parallel_weights_(tensors_of(parallel_->parameters())),
        single_weights_(tensors_of(single_->parameters())),
        averager_(make_averager(*spec.scheme,
                                std::min(kMaxBucketBytes, spec.bucket_bytes.value_or(0)), group,
                                parallel_weights_)) {
    broadcast_parameters(group, parallel_weights_);
  }

  void run_step(std::int64_t number) {
    seed_with(seed_ + 1000 + number);  // no network has this seed
    const Batch whole = random_batch(kRowsPerRank * group_.size(), kSmallContext, kSmallShape.vocab,
                                     group_.device());
    single_->loss(single_->forward(whole.ids), whole.targets).backward();
    const std::int64_t begin = kRowsPerRank * group_.rank();
    averager_->before_forward();
    const at::Tensor loss =
        parallel_->loss(parallel_->forward(whole.ids.narrow(0, begin, kRowsPerRank)),
                        whole.targets.narrow(0, begin, kRowsPerRank));
    averager_->before_backward(loss);
    loss.backward();
    averager_->after_backward();
    gradient_difference_ =
        std::max(gradient_difference_,
                 max_relative_difference(gradients(parallel_weights_), gradients(single_weights_)));
    take_sgd_step(parallel_weights_);
    take_sgd_step(single_weights_);
    weight_difference_ =
        std::max(weight_difference_, max_relative_difference(parallel_weights_, single_weights_));
  }

  double gradient_difference() { return max_over_ranks(gradient_difference_); }
  double weight_difference() { return max_over_ranks(weight_difference_); }

 private:
  std::unique_ptr<Network> make_seeded_network(std::int64_t seed) const {
    seed_with(seed);
    return std::make_unique<Transformer>(kSmallShape, kSmallContext, group_.device(),
                                         Variant::kMatmul, std::nullopt);
  }

  /// Compares the bits of doubles, which have the same order as the values from 0 up.
  double max_over_ranks(double value) {
    return std::bit_cast<double>(group_.max_over_ranks(std::bit_cast<std::int64_t>(value)));
  }

  RankGroup& group_;
  std::int64_t seed_;
  std::unique_ptr<Network> parallel_, single_;
  std::vector<at::Tensor> parallel_weights_, single_weights_;
  std::unique_ptr<GradientAverager> averager_;
  double gradient_difference_ = 0, weight_difference_ = 0;  ///< The largest on this rank so far.
};

void require_equal(const char* what, double difference) {
  if (difference <= kTolerance) return;
  throw Error(
      fmt::format("{} differ from those of a single process on the whole batch by {:.2g} "
                  "of the largest, more than {:.0e}",
                  what, difference, kTolerance));
}

}  // namespace

void broadcast_parameters(RankGroup& group, const std::vector<at::Tensor>& parameters) {
  const c10::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters) group.broadcast(parameter, 0).finish();
}

std::int64_t count_differing_ranks(RankGroup& group, const std::vector<at::Tensor>& parameters) {
  std::vector<std::int64_t> sums;
  for (const at::Tensor& parameter : parameters) {
    sums.push_back(parameter.detach().view(at::kInt).sum(at::kLong).item<std::int64_t>());
  }
  const auto all = group.all_gather(sums);
  return std::ranges::count_if(all, [&](const auto& gathered) { return gathered != all.front(); });
}

std::vector<Metric> check_equality(RankGroup& group, const CellSpec& spec, std::int64_t seed) {
  if (spec.scheme == Scheme::kNone) return {};
  set_tf32(Precision::kFp32);
  TrainingComparison comparison(group, spec, seed);
  for (std::int64_t number = 0; number < kCheckedSteps; ++number) comparison.run_step(number);
  const double gradient_difference = comparison.gradient_difference();
  const double weight_difference = comparison.weight_difference();
  require_equal("averaged gradients", gradient_difference);
  require_equal("weights", weight_difference);
  return {real_metric(metric::kEquality, metric::kGradients, "1", gradient_difference),
          real_metric(metric::kEquality, metric::kWeights, "1", weight_difference),
          real_metric(metric::kEquality, metric::kTolerance, "1", kTolerance),
          integer_metric(metric::kEquality, metric::kEqualitySteps, "1", kCheckedSteps)};
}

}  // namespace labreport
