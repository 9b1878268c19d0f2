#include "measure/data_parallel/averaging.h"

#include <ATen/ops/cat.h>

#include <numeric>
#include <utility>

#include "engine/gradient_hooks.h"
#include "engine/gradient_reducer.h"
#include "plan/gradients.h"

namespace labreport {
namespace {

using Tensors = std::vector<at::Tensor>;

std::vector<std::int64_t> bytes_of(const Tensors& tensors) {
  std::vector<std::int64_t> bytes;
  for (const at::Tensor& tensor : tensors) {
    bytes.push_back(static_cast<std::int64_t>(tensor.nbytes()));
  }
  return bytes;
}

/// Copies the gradients of `bucket` into one tensor and replaces each gradient by a view of that
/// tensor, so nothing has to be copied back.
at::Tensor flatten(const Tensors& parameters, const Bucket& bucket) {
  Tensors parts;
  for (const std::size_t index : bucket) parts.push_back(parameters[index].grad().reshape({-1}));
  at::Tensor flat = at::cat(parts);
  std::int64_t begin = 0;
  for (const std::size_t index : bucket) {
    const at::Tensor& gradient = parameters[index].grad();
    const std::int64_t end = begin + gradient.numel();
    at::Tensor view = flat.slice(0, begin, end).view(gradient.sizes());
    parameters[index].mutable_grad() = std::move(view);
    begin = end;
  }
  return flat;
}

class NoAverager : public GradientAverager {
 public:
  std::optional<std::vector<std::int64_t>> all_reduce_bytes() const override {
    return std::vector<std::int64_t>();
  }
};

class PerParameterAverager : public GradientAverager {
 public:
  PerParameterAverager(RankGroup& group, const Tensors& parameters)
      : group_(group), parameters_(parameters) {}

  void after_backward() override {
    for (const at::Tensor& parameter : parameters_)
      group_.all_reduce_mean(parameter.grad()).finish();
  }
  std::optional<std::vector<std::int64_t>> all_reduce_bytes() const override {
    return bytes_of(parameters_);
  }

 private:
  RankGroup& group_;
  const Tensors& parameters_;
};

class FlatAverager : public GradientAverager {
 public:
  FlatAverager(RankGroup& group, const Tensors& parameters)
      : group_(group), parameters_(parameters), bucket_(parameters.size()) {
    std::iota(bucket_.begin(), bucket_.end(), std::size_t{0});
  }

  void after_backward() override { group_.all_reduce_mean(flatten(parameters_, bucket_)).finish(); }

  std::optional<std::vector<std::int64_t>> all_reduce_bytes() const override {
    const std::vector<std::int64_t> bytes = bytes_of(parameters_);
    return std::vector{std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0})};
  }

 private:
  RankGroup& group_;
  const Tensors& parameters_;
  Bucket bucket_;  ///< All parameters.
};

/// Starts a bucket's all-reduce as soon as the bucket's last gradient is ready. All ranks must
/// start all-reduces in the order of the buckets, so a bucket that is ready early waits its turn.
class BucketAverager : public GradientAverager {
 public:
  BucketAverager(RankGroup& group, const Tensors& parameters, std::vector<Bucket> buckets)
      : group_(group),
        parameters_(parameters),
        buckets_(std::move(buckets)),
        bucket_of_(parameters.size()),
        hooks_(parameters, [this](std::size_t index) { on_gradient_ready(index); }) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      for (const std::size_t index : buckets_[bucket]) bucket_of_[index] = bucket;
    }
  }

  void before_forward() override {
    next_bucket_ = 0;
    missing_gradients_.clear();
    for (const Bucket& bucket : buckets_) missing_gradients_.push_back(bucket.size());
  }

  void after_backward() override {
    for (Collective& collective : all_reduces_) collective.finish();
    all_reduces_.clear();
  }

  std::optional<std::vector<std::int64_t>> all_reduce_bytes() const override {
    const std::vector<std::int64_t> bytes = bytes_of(parameters_);
    std::vector<std::int64_t> bucket_bytes;
    for (const Bucket& bucket : buckets_) {
      std::int64_t& sum = bucket_bytes.emplace_back(0);
      for (const std::size_t index : bucket) sum += bytes[index];
    }
    return bucket_bytes;
  }

 private:
  void on_gradient_ready(std::size_t index) {
    --missing_gradients_[bucket_of_[index]];
    for (; next_bucket_ < buckets_.size() && missing_gradients_[next_bucket_] == 0; ++next_bucket_)
      start_all_reduce(buckets_[next_bucket_]);
  }

  void start_all_reduce(const Bucket& bucket) {
    const bool is_single = bucket.size() == 1;
    all_reduces_.push_back(group_.all_reduce_mean(is_single ? parameters_[bucket.front()].grad()
                                                            : flatten(parameters_, bucket)));
  }

  RankGroup& group_;
  const Tensors& parameters_;
  std::vector<Bucket> buckets_;
  std::vector<std::size_t> bucket_of_;          ///< Index of each parameter's bucket.
  std::vector<std::size_t> missing_gradients_;  ///< By bucket.
  std::size_t next_bucket_ = 0;
  std::vector<Collective> all_reduces_;
  GradientHooks hooks_;
};

class ReducerAverager : public GradientAverager {
 public:
  ReducerAverager(RankGroup& group, const Tensors& parameters, std::int64_t bucket_bytes)
      : reducer_(group, parameters, bucket_bytes) {}

  void before_forward() override { reducer_.before_forward(); }
  void before_backward(const at::Tensor& loss) override { reducer_.before_backward(loss); }
  std::optional<std::vector<std::int64_t>> all_reduce_bytes() const override {
    return std::nullopt;
  }

 private:
  GradientReducer reducer_;
};

}  // namespace

std::unique_ptr<GradientAverager> make_averager(Scheme scheme, std::int64_t bucket_bytes,
                                                RankGroup& group,
                                                const std::vector<at::Tensor>& parameters) {
  switch (scheme) {
    case Scheme::kNone:
    case Scheme::kOwnStep:
      break;
    case Scheme::kPerParameter:
      return std::make_unique<PerParameterAverager>(group, parameters);
    case Scheme::kFlat:
      return std::make_unique<FlatAverager>(group, parameters);
    case Scheme::kOverlapped:
      return std::make_unique<BucketAverager>(group, parameters,
                                              fill_buckets(bytes_of(parameters), /*max_bytes=*/0));
    case Scheme::kBucketed:
      return std::make_unique<BucketAverager>(group, parameters,
                                              fill_buckets(bytes_of(parameters), bucket_bytes));
    case Scheme::kReducer:
      return std::make_unique<ReducerAverager>(group, parameters, bucket_bytes);
  }
  return std::make_unique<NoAverager>();
}

}  // namespace labreport
