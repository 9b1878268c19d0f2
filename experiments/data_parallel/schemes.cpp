#include "experiments/data_parallel/schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "base/statistics.h"
#include "document/dataset.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::data_parallel {
namespace {

namespace single_node = distributed_communication_single_node;

constexpr double kBytesPerMegabyte = 1e6;
// A traced step that is longer than the timed ones by more than this share is another step.
constexpr double kDisturbed = 1.05;

std::optional<double> single(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  const std::vector<double> numbers = metric == nullptr ? std::vector<double>() : metric->numbers();
  return numbers.empty() ? std::nullopt : std::optional(numbers.front());
}

std::vector<double> counted(const CellSpec& spec, const Launch& launch, std::string_view tag,
                            std::string_view name) {
  return window(milliseconds(launch, tag, name), static_cast<std::size_t>(spec.warmup.value_or(0)),
                static_cast<std::size_t>(spec.steps.value_or(0)));
}

std::optional<double> median_of(const std::vector<double>& samples) {
  return samples.empty() ? std::nullopt : std::optional(median(samples));
}

double deviation_of(const std::vector<double>& samples) {
  return samples.empty() ? 0 : sample_stddev(samples);
}

/// The longest rank's traced step over the timed ones.
double traced_ratio(const Trained& trained, const Launch& launch) {
  double longest = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kRankSteps)) {
    longest = std::max(longest, row.number(column::kTracedNs).value_or(0));
  }
  return longest / kNanosecondsPerMillisecond / trained.step_ms().value_or(1);
}

void add_traced(Trained& trained, const Launch& launch) {
  const double ratio = traced_ratio(trained, launch);
  if (ratio > kDisturbed) return void(trained.disturbed = ratio);
  for (const MeasuredRow& row : measured_rows(launch, metric::kRankSteps)) {
    const auto communication = row.number(column::kCommunicationNs);
    const auto both = row.number(column::kBothNs);
    if (!communication || !both) continue;
    const double exposed = (*communication - *both) / kNanosecondsPerMillisecond;
    if (trained.communication_ms && exposed <= *trained.exposed_ms()) continue;
    trained.communication_ms = *communication / kNanosecondsPerMillisecond;
    trained.both_ms = *both / kNanosecondsPerMillisecond;
  }
}

Trained trained_by(const Cell& cell) {
  Trained trained{&cell, reason_missing(cell)};
  const Launch* launch = ok_launch(cell);
  if (launch == nullptr) return trained;
  trained.steps_ms = counted(cell.spec, *launch, metric::kStep, metric::kTotal);
  trained.skew_ms = median_of(counted(cell.spec, *launch, metric::kSkew, metric::kStep));
  trained.backward_ms = median_of(counted(cell.spec, *launch, metric::kEvent, metric::kBackward));
  trained.backward_deviation_ms =
      deviation_of(counted(cell.spec, *launch, metric::kEvent, metric::kBackward));
  trained.exchange_ms = median_of(counted(cell.spec, *launch, metric::kEvent, metric::kExchange));
  trained.peak_bytes = single(*launch, metric::kMemory, metric::kPeakAllocated);
  trained.calls = single(*launch, metric::kAllReduces, metric::kCalls)
                      .value_or(static_cast<double>(all_reduce_count(cell.spec)));
  trained.off = single(*launch, metric::kEquality, metric::kGradients);
  const auto weights = single(*launch, metric::kEquality, metric::kWeights);
  trained.off =
      weights && trained.off ? std::optional(std::max(*trained.off, *weights)) : std::nullopt;
  trained.apart = single(*launch, metric::kEquality, metric::kApart);
  add_traced(trained, *launch);
  return trained;
}

bool same_run(const CellSpec& a, const CellSpec& b) {
  return same_setting(a, b) && a.ranks == b.ranks && a.device == b.device;
}

std::optional<single_node::Line> line_of(const RunView& view, const CellSpec& spec) {
  for (const single_node::Group& group : single_node::groups_of(view)) {
    const CellSpec& other = group.cell->spec;
    if (other.ranks == spec.ranks && other.device == spec.device) {
      return single_node::line_through(group.swept());
    }
  }
  return std::nullopt;
}

std::string words_of(const CellSpec& spec) {
  return fmt::format("{} at context {} in {}", spec.size, format_count(spec.context.value_or(0)),
                     describe(spec.precision.value_or(Precision::kFp32)));
}

}  // namespace

std::string cap_words(double bytes) {
  return format_value(bytes / kBytesPerMegabyte, {Notation::kShortest});
}

std::string megabytes(double bytes) {
  const double gigabytes = bytes / 1e3 / kBytesPerMegabyte;
  if (gigabytes >= 1) return format_significant(gigabytes, 3) + " GB";
  return format_significant(bytes / kBytesPerMegabyte, 3) + " MB";
}

std::string Trained::words() const {
  if (scheme() != Scheme::kBucketed) return std::string(describe(scheme()));
  return "buckets of " + cap_words(static_cast<double>(cell->spec.bucket.value_or(0))) + " MB";
}

std::string Trained::untraced() const {
  if (!disturbed) return reason;
  return "the traced step took " + format_ratio(*disturbed) + "× as long as the timed ones";
}

bool Trained::overlaps() const {
  return scheme() == Scheme::kOverlapped || scheme() == Scheme::kBucketed ||
         scheme() == Scheme::kReducer;
}

std::optional<double> Trained::step_ms() const {
  return steps_ms.empty() ? std::nullopt : std::optional(mean(steps_ms));
}

std::optional<double> Trained::exposed_ms() const {
  if (!communication_ms || !both_ms) return std::nullopt;
  return *communication_ms - *both_ms;
}

std::optional<double> Trained::hidden_share() const {
  if (!communication_ms || !both_ms || *communication_ms <= 0) return std::nullopt;
  return *both_ms / *communication_ms;
}

const Trained* Network::find(Scheme scheme) const {
  const auto found = std::ranges::find(schemes, scheme, &Trained::scheme);
  return found == schemes.end() ? nullptr : &*found;
}

const Trained* Network::ran(Scheme scheme) const {
  const Trained* trained = find(scheme);
  return trained != nullptr && trained->step_ms() ? trained : nullptr;
}

std::vector<const Trained*> Network::bucketed() const {
  std::vector<const Trained*> found;
  for (const Trained& trained : schemes) {
    if (trained.scheme() == Scheme::kBucketed) found.push_back(&trained);
  }
  return found;
}

double Network::total_bytes() const {
  const std::vector<std::int64_t> bytes = gradients();
  return static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}));
}

std::optional<double> Network::added_ms(const Trained& trained) const {
  const Trained* none = ran(Scheme::kNone);
  const auto step = trained.step_ms();
  if (none == nullptr || &trained == none || !step) return std::nullopt;
  return *step - *none->step_ms();
}

std::optional<double> Network::stretch(const Trained& trained) const {
  const Trained* none = ran(Scheme::kNone);
  if (none == nullptr || !trained.overlaps() || !trained.backward_ms) return std::nullopt;
  if (!none->backward_ms || *none->backward_ms <= 0) return std::nullopt;
  return *trained.backward_ms / *none->backward_ms - 1;
}

std::optional<BucketModel> Network::model() const {
  if (!line) return std::nullopt;
  return BucketModel{line->latency_ns / 1e9, line->bytes_per_second, total_bytes()};
}

std::vector<Network> networks_of(const RunView& view) {
  std::vector<Network> networks;
  for (const Cell* cell : view.cells(CellKind::kDataParallel)) {
    auto found = std::ranges::find_if(
        networks, [&](const Network& network) { return same_run(network.spec, cell->spec); });
    if (found == networks.end()) {
      CellSpec spec = cell->spec;
      spec.scheme.reset();
      spec.bucket.reset();
      networks.push_back({spec, words_of(spec), {}, line_of(view, spec)});
      found = networks.end() - 1;
    }
    found->schemes.push_back(trained_by(*cell));
  }
  return networks;
}

}  // namespace labreport::data_parallel
