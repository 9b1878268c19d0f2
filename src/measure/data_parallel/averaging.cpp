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
at::Tensor flattened(const Tensors& parameters, const Bucket& bucket) {
  Tensors flat;
  for (const std::size_t index : bucket) flat.push_back(parameters[index].grad().reshape({-1}));
  at::Tensor together = at::cat(flat);
  std::int64_t begin = 0;
  for (const std::size_t index : bucket) {
    const at::Tensor& gradient = parameters[index].grad();
    const std::int64_t end = begin + gradient.numel();
    at::Tensor view = together.slice(0, begin, end).view(gradient.sizes());
    parameters[index].mutable_grad() = std::move(view);
    begin = end;
  }
  return together;
}

class NoAveraging : public Averaging {
 public:
  std::optional<std::vector<std::int64_t>> all_reduces() const override {
    return std::vector<std::int64_t>();
  }
};

class PerParameter : public Averaging {
 public:
  PerParameter(RankGroup& group, const Tensors& parameters)
      : group_(group), parameters_(parameters) {}

  void after_backward() override {
    for (const at::Tensor& parameter : parameters_) group_.mean(parameter.grad()).finish();
  }
  std::optional<std::vector<std::int64_t>> all_reduces() const override {
    return bytes_of(parameters_);
  }

 private:
  RankGroup& group_;
  const Tensors& parameters_;
};

class Flat : public Averaging {
 public:
  Flat(RankGroup& group, const Tensors& parameters)
      : group_(group), parameters_(parameters), all_(parameters.size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
  }

  void after_backward() override { group_.mean(flattened(parameters_, all_)).finish(); }

  std::optional<std::vector<std::int64_t>> all_reduces() const override {
    const std::vector<std::int64_t> bytes = bytes_of(parameters_);
    return std::vector{std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0})};
  }

 private:
  RankGroup& group_;
  const Tensors& parameters_;
  Bucket all_;
};

/// Starts a bucket's all-reduce as soon as the bucket's last gradient is ready. All ranks must
/// start all-reduces in the order of the buckets, so a bucket that is ready early waits its turn.
class Overlapped : public Averaging {
 public:
  Overlapped(RankGroup& group, const Tensors& parameters, std::vector<Bucket> buckets)
      : group_(group),
        parameters_(parameters),
        buckets_(std::move(buckets)),
        bucket_of_(parameters.size()),
        hooks_(parameters, [this](std::size_t index) { ready(index); }) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      for (const std::size_t index : buckets_[bucket]) bucket_of_[index] = bucket;
    }
  }

  void before_forward() override {
    next_ = 0;
    missing_.clear();
    for (const Bucket& bucket : buckets_) missing_.push_back(bucket.size());
  }

  void after_backward() override {
    for (Collective& collective : running_) collective.finish();
    running_.clear();
  }

  std::optional<std::vector<std::int64_t>> all_reduces() const override {
    const std::vector<std::int64_t> bytes = bytes_of(parameters_);
    std::vector<std::int64_t> sums;
    for (const Bucket& bucket : buckets_) {
      std::int64_t& sum = sums.emplace_back(0);
      for (const std::size_t index : bucket) sum += bytes[index];
    }
    return sums;
  }

 private:
  void ready(std::size_t index) {
    --missing_[bucket_of_[index]];
    for (; next_ < buckets_.size() && missing_[next_] == 0; ++next_) begin(buckets_[next_]);
  }

  void begin(const Bucket& bucket) {
    const bool alone = bucket.size() == 1;
    running_.push_back(
        group_.mean(alone ? parameters_[bucket.front()].grad() : flattened(parameters_, bucket)));
  }

  RankGroup& group_;
  const Tensors& parameters_;
  std::vector<Bucket> buckets_;
  std::vector<std::size_t> bucket_of_, missing_;
  std::size_t next_ = 0;
  std::vector<Collective> running_;
  GradientHooks hooks_;
};

class Reduced : public Averaging {
 public:
  Reduced(RankGroup& group, const Tensors& parameters, std::int64_t bucket)
      : reducer_(group, parameters, bucket) {}

  void before_forward() override { reducer_.before_forward(); }
  void before_backward(const at::Tensor& loss) override { reducer_.before_backward(loss); }
  std::optional<std::vector<std::int64_t>> all_reduces() const override { return std::nullopt; }

 private:
  GradientReducer reducer_;
};

}  // namespace

std::unique_ptr<Averaging> make_averaging(Scheme scheme, std::int64_t bucket, RankGroup& group,
                                          const std::vector<at::Tensor>& parameters) {
  switch (scheme) {
    case Scheme::kNone:
      break;
    case Scheme::kPerParameter:
      return std::make_unique<PerParameter>(group, parameters);
    case Scheme::kFlat:
      return std::make_unique<Flat>(group, parameters);
    case Scheme::kOverlapped:
      return std::make_unique<Overlapped>(group, parameters, fill_buckets(bytes_of(parameters), 0));
    case Scheme::kBucketed:
      return std::make_unique<Overlapped>(group, parameters,
                                          fill_buckets(bytes_of(parameters), bucket));
    case Scheme::kReducer:
      return std::make_unique<Reduced>(group, parameters, bucket);
  }
  return std::make_unique<NoAveraging>();
}

}  // namespace labreport
