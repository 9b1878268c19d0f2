#include "analysis/prediction.h"

#include <algorithm>

namespace labreport {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr double kNoticedDeparture = 1.1;

std::optional<double> rate_of(const Limits& limits, const CellSpec& spec) {
  const auto found = limits.rates.find(spec.precision.value_or(Precision::kFp32));
  return found == limits.rates.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a / *b) : std::nullopt;
}

/// Nothing where the ratio lies between the two, or near one of them.
std::optional<double> departure_of(double ratio, std::optional<double> by_peak,
                                   std::optional<double> by_bandwidth) {
  if (!by_peak && !by_bandwidth) return std::nullopt;
  const double one = by_peak ? *by_peak : *by_bandwidth;
  const double other = by_bandwidth ? *by_bandwidth : *by_peak;
  const double departure = ratio / std::clamp(ratio, std::min(one, other), std::max(one, other));
  return departure > kNoticedDeparture || departure < 1 / kNoticedDeparture
             ? std::optional(departure)
             : std::nullopt;
}

}  // namespace

void add_shares(const CellSpec& spec, Measure measure, const Limits& limits, RowSide& side) {
  const Work work = work_of(spec, measure);
  const double seconds = *side.value / kNanoseconds;
  const auto rate = rate_of(limits, spec);
  if (work.flops > 0 && rate) side.peak_share = work.flops / seconds / *rate;
  if (work.bytes > 0 && limits.bandwidth) {
    side.bandwidth_share = work.bytes / seconds / *limits.bandwidth;
  }
}

Prediction predict(const ComparedRow& row, const Limits& a, const Limits& b) {
  const Work work = work_of(row.spec, row.measure);
  if (!row.ratio || (work.flops <= 0 && work.bytes <= 0)) return {};
  Prediction prediction;
  if (work.flops > 0) {
    prediction.by_peak = quotient(rate_of(a, row.spec), rate_of(b, row.spec));
  }
  prediction.by_bandwidth = quotient(a.bandwidth, b.bandwidth);
  prediction.departure = departure_of(*row.ratio, prediction.by_peak, prediction.by_bandwidth);
  return prediction;
}

}  // namespace labreport
