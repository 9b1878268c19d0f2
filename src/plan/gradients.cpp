#include "plan/gradients.h"

#include <cmath>
#include <numeric>

namespace labreport {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kFirstReducerBucket = 1 << 20;  // bytes; c10d::kDefaultFirstBucketBytes

/// Returns the bytes of each bucket as PyTorch's `compute_bucket_assignment_by_size` fills it: it
/// adds a gradient and then closes the bucket if the bucket has reached its limit. Gradients are
/// taken in the order of backward, as PyTorch does after the first step.
std::vector<std::int64_t> reducer_bucket_bytes(const std::vector<std::int64_t>& bytes,
                                               std::int64_t limit_bytes) {
  std::vector<std::int64_t> buckets;
  std::int64_t bucket_bytes = 0, limit = kFirstReducerBucket;
  for (auto gradient = bytes.rbegin(); gradient != bytes.rend(); ++gradient) {
    bucket_bytes += *gradient;
    if (bucket_bytes < limit) continue;
    buckets.push_back(bucket_bytes);
    bucket_bytes = 0, limit = limit_bytes;
  }
  if (bucket_bytes > 0) buckets.push_back(bucket_bytes);
  return buckets;
}

}  // namespace

std::vector<std::int64_t> gradient_bytes(const ModelShape& shape) {
  const std::int64_t d = shape.d_model, square = d * d, wide = d * shape.d_ff;
  std::vector<std::int64_t> bytes{kFloatBytes * shape.vocab * d};
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    for (const std::int64_t count : {d, square, square, square, square, d, wide, wide, wide}) {
      bytes.push_back(kFloatBytes * count);
    }
  }
  bytes.push_back(kFloatBytes * d);
  bytes.push_back(kFloatBytes * shape.vocab * d);
  return bytes;
}

std::vector<Bucket> fill_buckets(const std::vector<std::int64_t>& bytes, std::int64_t max_bytes) {
  std::vector<Bucket> buckets;
  std::int64_t bucket_bytes = 0;
  for (std::size_t index = bytes.size(); index-- > 0;) {
    if (buckets.empty() || bucket_bytes + bytes[index] > max_bytes) {
      buckets.emplace_back();
      bucket_bytes = 0;
    }
    buckets.back().push_back(index);
    bucket_bytes += bytes[index];
  }
  return buckets;
}

std::vector<std::int64_t> all_reduce_bytes(const CellSpec& spec) {
  if (!spec.scheme || !spec.model || spec.scheme == Scheme::kNone) return {};
  const std::vector<std::int64_t> bytes = gradient_bytes(*spec.model);
  const std::int64_t limit = spec.bucket_bytes.value_or(0);
  if (spec.scheme == Scheme::kFlat) {
    return {std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0})};
  }
  if (spec.scheme == Scheme::kReducer) return reducer_bucket_bytes(bytes, limit);
  std::vector<std::int64_t> sums;
  for (const Bucket& bucket : fill_buckets(bytes, spec.scheme == Scheme::kBucketed ? limit : 0)) {
    std::int64_t& sum = sums.emplace_back(0);
    for (const std::size_t gradient : bucket) sum += bytes[gradient];
  }
  return sums;
}

std::int64_t all_reduce_count(const CellSpec& spec) { return std::ssize(all_reduce_bytes(spec)); }

double BucketFormula::optimal_bucket_bytes() const {
  return std::sqrt(total_bytes * bytes_per_second * latency_seconds);
}

}  // namespace labreport
