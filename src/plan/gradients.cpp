#include "plan/gradients.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace labreport {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kFirstReducerBucket = 1 << 20;  // c10d::kDefaultFirstBucketBytes

/// Follows PyTorch's `compute_bucket_assignment_by_size`: a gradient is added first, and then the
/// bucket is closed if it has reached its limit. The order is that of backward, which PyTorch uses
/// after the first step.
std::vector<std::int64_t> reducer_buckets(const std::vector<std::int64_t>& bytes,
                                          std::int64_t cap) {
  std::vector<std::int64_t> closed;
  std::int64_t held = 0, limit = kFirstReducerBucket;
  for (auto size = bytes.rbegin(); size != bytes.rend(); ++size) {
    held += *size;
    if (held < limit) continue;
    closed.push_back(held);
    held = 0, limit = cap;
  }
  if (held > 0) closed.push_back(held);
  return closed;
}

bool overlaps(const CellSpec& spec) { return spec.scheme >= Scheme::kOverlapped; }

}  // namespace

std::vector<std::int64_t> gradient_bytes(const ModelShape& shape) {
  const std::int64_t d = shape.d_model, square = d * d, wide = d * shape.d_ff;
  std::vector<std::int64_t> elements{shape.vocab * d};
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    for (const std::int64_t count : {d, square, square, square, square, d, wide, wide, wide}) {
      elements.push_back(count);
    }
  }
  elements.push_back(d);
  elements.push_back(shape.vocab * d);
  for (std::int64_t& count : elements) count *= kFloatBytes;
  return elements;
}

std::vector<Bucket> fill_buckets(const std::vector<std::int64_t>& bytes, std::int64_t cap) {
  std::vector<Bucket> buckets;
  std::int64_t held = 0;
  for (std::size_t index = bytes.size(); index-- > 0;) {
    if (buckets.empty() || held + bytes[index] > cap) {
      buckets.emplace_back();
      held = 0;
    }
    buckets.back().push_back(index);
    held += bytes[index];
  }
  return buckets;
}

std::vector<std::int64_t> all_reduce_bytes(const CellSpec& spec) {
  if (!spec.scheme || !spec.model || spec.scheme == Scheme::kNone) return {};
  const std::vector<std::int64_t> bytes = gradient_bytes(*spec.model);
  const std::int64_t cap = spec.bucket_bytes.value_or(0);
  if (spec.scheme == Scheme::kFlat) {
    return {std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0})};
  }
  if (spec.scheme == Scheme::kReducer) return reducer_buckets(bytes, cap);
  std::vector<std::int64_t> sums;
  for (const Bucket& bucket : fill_buckets(bytes, spec.scheme == Scheme::kBucketed ? cap : 0)) {
    std::int64_t& sum = sums.emplace_back(0);
    for (const std::size_t gradient : bucket) sum += bytes[gradient];
  }
  return sums;
}

std::int64_t all_reduce_count(const CellSpec& spec) { return std::ssize(all_reduce_bytes(spec)); }

double exposed_seconds(const CellSpec& spec, double backward_seconds, double alpha, double beta) {
  const std::vector<std::int64_t> calls = all_reduce_bytes(spec);
  const auto total =
      static_cast<double>(std::accumulate(calls.begin(), calls.end(), std::int64_t{0}));
  double computed = 0, end = overlaps(spec) ? 0 : backward_seconds;
  for (const std::int64_t bytes : calls) {
    computed += static_cast<double>(bytes);
    const double ready = overlaps(spec) ? backward_seconds * computed / total : backward_seconds;
    end = std::max(end, ready) + alpha + static_cast<double>(bytes) / beta;
  }
  return std::max(0.0, end - backward_seconds);
}

double BucketModel::best_count() const { return std::sqrt(total / (beta * alpha)); }
double BucketModel::best_bytes() const { return std::sqrt(total * beta * alpha); }

}  // namespace labreport
