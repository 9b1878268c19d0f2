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
constexpr std::int64_t kPositions = 16, kShare = 2, kCheckedSteps = 3;
// Bytes; this makes several buckets, some with several gradients.
constexpr std::int64_t kSmallBucket = 100'000;
constexpr double kRate = 0.1;
// FP32 rounds each addition by up to 2⁻²⁴, and the sums of shares and of the whole batch differ in
// order. Three steps over Gloo on a CPU differed by 1 · 10⁻⁶.
constexpr double kMost = 2e-5;

std::vector<at::Tensor> tensors(const Network& network) {
  std::vector<at::Tensor> all;
  for (const Parameter& parameter : network.parameters()) all.push_back(parameter.tensor);
  return all;
}

std::unique_ptr<Network> small_network(c10::Device device) {
  return make_network({"", kSmall, kPositions}, device);
}

void seed_with(std::int64_t seed) { at::manual_seed(static_cast<std::uint64_t>(seed)); }

double farthest(const std::vector<at::Tensor>& found, const std::vector<at::Tensor>& expected) {
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double largest = expected[i].abs().max().item<double>();
    const double off = (found[i] - expected[i]).abs().max().item<double>();
    most = std::max(most, largest > 0 ? off / largest : off);
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
    parameter.sub_(parameter.grad(), kRate);
    parameter.mutable_grad().reset();
  }
}

class Check {
 public:
  Check(RankGroup& group, const CellSpec& spec, std::int64_t seed)
      : group_(group),
        seed_(seed),
        shared_(made_with(seed + group.rank())),
        alone_(made_with(seed)),
        shared_weights_(tensors(*shared_)),
        alone_weights_(tensors(*alone_)),
        averaging_(make_averaging(*spec.scheme, std::min(kSmallBucket, spec.bucket.value_or(0)),
                                  group, shared_weights_)) {
    broadcast_parameters(group, shared_weights_);
  }

  void step(std::int64_t number) {
    seed_with(seed_ + 1000 + number);
    const Batch whole =
        random_batch(kShare * group_.size(), kPositions, kSmall.vocab, group_.device());
    alone_->loss(alone_->forward(whole.ids), whole.targets).backward();
    const std::int64_t begin = kShare * group_.rank();
    averaging_->before_forward();
    const at::Tensor loss = shared_->loss(shared_->forward(whole.ids.narrow(0, begin, kShare)),
                                          whole.targets.narrow(0, begin, kShare));
    averaging_->before_backward(loss);
    loss.backward();
    averaging_->after_backward();
    gradients_ =
        std::max(gradients_, farthest(gradients(shared_weights_), gradients(alone_weights_)));
    descend(shared_weights_);
    descend(alone_weights_);
    weights_ = std::max(weights_, farthest(shared_weights_, alone_weights_));
  }

  /// Returns the largest difference on any rank.
  double gradients_off() { return largest(gradients_); }
  double weights_off() { return largest(weights_); }

 private:
  std::unique_ptr<Network> made_with(std::int64_t seed) const {
    seed_with(seed);
    return small_network(group_.device());
  }

  /// Compares bits as integers, which gives the order of the values if none is negative.
  double largest(double value) {
    return std::bit_cast<double>(group_.largest(std::bit_cast<std::int64_t>(value)));
  }

  RankGroup& group_;
  std::int64_t seed_;
  std::unique_ptr<Network> shared_, alone_;
  std::vector<at::Tensor> shared_weights_, alone_weights_;
  std::unique_ptr<Averaging> averaging_;
  double gradients_ = 0, weights_ = 0;
};

void refuse(const char* what, double off) {
  if (off <= kMost) return;
  throw Error(
      fmt::format("{} differ from those of a single process on the whole batch by {:.2g} "
                  "of the largest, more than {:.0e}",
                  what, off, kMost));
}

}  // namespace

void broadcast_parameters(RankGroup& group, const std::vector<at::Tensor>& parameters) {
  const c10::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters) group.broadcast(parameter, 0).finish();
}

std::int64_t ranks_apart(RankGroup& group, const std::vector<at::Tensor>& parameters) {
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
  Check check(group, spec, seed);
  for (std::int64_t number = 0; number < kCheckedSteps; ++number) check.step(number);
  const double gradients = check.gradients_off(), weights = check.weights_off();
  refuse("averaged gradients", gradients);
  refuse("weights", weights);
  return {real_metric(metric::kEquality, metric::kGradients, "1", gradients),
          real_metric(metric::kEquality, metric::kWeights, "1", weights),
          real_metric(metric::kEquality, metric::kTolerance, "1", kMost),
          integer_metric(metric::kEquality, metric::kSteps, "1", kCheckedSteps)};
}

}  // namespace labreport
