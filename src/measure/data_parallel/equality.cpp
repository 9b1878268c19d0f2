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
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr ModelShape kSmall{.d_model = 64, .d_ff = 192, .layers = 2, .heads = 2, .vocab = 128};
constexpr std::int64_t kSmallContext = 16, kBatchOfRank = 2, kCheckedSteps = 3;
constexpr std::int64_t kSmallBucket = 100'000;  // bytes; some buckets get several gradients
constexpr double kLearningRate = 0.1;
// FP32 rounds each addition by up to 2⁻²⁴ of the sum, and ranks add in another order than one
// process. Three steps over Gloo on a CPU differed by 10⁻⁶ of the largest value.
constexpr double kTolerance = 2e-5;

void seed_with(std::int64_t seed) { at::manual_seed(static_cast<std::uint64_t>(seed)); }

/// Returns the largest difference over the tensors, divided by the largest magnitude in the tensor.
double largest_difference(const std::vector<at::Tensor>& found,
                          const std::vector<at::Tensor>& expected) {
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double largest = expected[i].abs().max().item<double>();
    const double difference = (found[i] - expected[i]).abs().max().item<double>();
    most = std::max(most, largest > 0 ? difference / largest : difference);
  }
  return most;
}

std::vector<at::Tensor> gradients(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> all;
  for (const at::Tensor& parameter : parameters) all.push_back(parameter.grad());
  return all;
}

void descend(const std::vector<at::Tensor>& parameters) {
  const c10::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters) {
    parameter.sub_(parameter.grad(), kLearningRate);
    parameter.mutable_grad().reset();
  }
}

class Comparison {
 public:
  Comparison(RankGroup& group, const CellSpec& spec, std::int64_t seed)
      : group_(group),
        seed_(seed),
        shared_(made_with(seed + group.rank())),
        alone_(made_with(seed)),
        shared_weights_(tensors_of(shared_->parameters())),
        alone_weights_(tensors_of(alone_->parameters())),
        averaging_(make_averaging(*spec.scheme, std::min(kSmallBucket, spec.bucket_bytes.value_or(0)),
                                  group, shared_weights_)) {
    broadcast_parameters(group, shared_weights_);
  }

  void step(std::int64_t number) {
    seed_with(seed_ + 1000 + number);
    const Batch whole =
        random_batch(kBatchOfRank * group_.size(), kSmallContext, kSmall.vocab, group_.device());
    alone_->loss(alone_->forward(whole.ids), whole.targets).backward();
    const std::int64_t begin = kBatchOfRank * group_.rank();
    averaging_->before_forward();
    const at::Tensor loss =
        shared_->loss(shared_->forward(whole.ids.narrow(0, begin, kBatchOfRank)),
                      whole.targets.narrow(0, begin, kBatchOfRank));
    averaging_->before_backward(loss);
    loss.backward();
    averaging_->after_backward();
    gradient_difference_ =
        std::max(gradient_difference_,
                 largest_difference(gradients(shared_weights_), gradients(alone_weights_)));
    descend(shared_weights_);
    descend(alone_weights_);
    weight_difference_ =
        std::max(weight_difference_, largest_difference(shared_weights_, alone_weights_));
  }

  /// Returns the largest difference on any rank.
  double gradient_difference() { return largest(gradient_difference_); }
  double weight_difference() { return largest(weight_difference_); }

 private:
  std::unique_ptr<Network> made_with(std::int64_t seed) const {
    seed_with(seed);
    return make_network({"", kSmall, kSmallContext}, group_.device());
  }

  /// Returns the maximum over ranks; doubles from 0 up have the order of their bits as integers.
  double largest(double value) {
    return std::bit_cast<double>(group_.largest(std::bit_cast<std::int64_t>(value)));
  }

  RankGroup& group_;
  std::int64_t seed_;
  std::unique_ptr<Network> shared_, alone_;
  std::vector<at::Tensor> shared_weights_, alone_weights_;
  std::unique_ptr<Averaging> averaging_;
  double gradient_difference_ = 0, weight_difference_ = 0;
};

void refuse_different(const char* what, double difference) {
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
  const auto all = group.gather(sums);
  return std::ranges::count_if(all, [&](const auto& of_rank) { return of_rank != all.front(); });
}

std::vector<Metric> check_equality(RankGroup& group, const CellSpec& spec, std::int64_t seed) {
  if (spec.scheme == Scheme::kNone) return {};
  set_tf32(Precision::kFp32);
  Comparison comparison(group, spec, seed);
  for (std::int64_t number = 0; number < kCheckedSteps; ++number) comparison.step(number);
  const double gradients = comparison.gradient_difference(),
               weights = comparison.weight_difference();
  refuse_different("averaged gradients", gradients);
  refuse_different("weights", weights);
  return {real_metric(metric::kEquality, metric::kGradients, "1", gradients),
          real_metric(metric::kEquality, metric::kWeights, "1", weights),
          real_metric(metric::kEquality, metric::kTolerance, "1", kTolerance),
          integer_metric(metric::kEquality, metric::kSteps, "1", kCheckedSteps)};
}

}  // namespace labreport
