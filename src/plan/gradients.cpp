#include "plan/gradients.h"

#include <cmath>

namespace labreport {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kFirstReducerBucket = 1 << 20;  // c10d::kDefaultFirstBucketBytes

/// `compute_bucket_assignment_by_size`: a gradient is added first, and then the bucket is closed if
/// it has reached its limit. So it is after the first step, when the order is that of backward.
std::int64_t reducer_buckets(const std::vector<std::int64_t>& bytes, std::int64_t cap) {
  std::int64_t closed = 0, held = 0, limit = kFirstReducerBucket;
  for (auto size = bytes.rbegin(); size != bytes.rend(); ++size) {
    held += *size;
    if (held < limit) continue;
    ++closed, held = 0, limit = cap;
  }
  return closed + (held > 0 ? 1 : 0);
}

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

std::int64_t all_reduce_count(const CellSpec& spec) {
  if (!spec.scheme || !spec.model || spec.scheme == Scheme::kNone) return 0;
  if (spec.scheme == Scheme::kFlat) return 1;
  const std::vector<std::int64_t> bytes = gradient_bytes(*spec.model);
  if (spec.scheme == Scheme::kBucketed)
    return std::ssize(fill_buckets(bytes, spec.bucket.value_or(0)));
  if (spec.scheme == Scheme::kReducer) return reducer_buckets(bytes, spec.bucket.value_or(0));
  return std::ssize(bytes);
}

double BucketModel::best_count() const { return std::sqrt(total / (beta * alpha)); }
double BucketModel::best_bytes() const { return std::sqrt(total * beta * alpha); }

}  // namespace labreport
