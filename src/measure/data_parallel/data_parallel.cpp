#include "measure/catalog.h"

#include <ATen/Context.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/statistics.h"
#include "engine/device.h"
#include "engine/gradient_hooks.h"
#include "engine/host_clock.h"
#include "engine/precision.h"
#include "engine/profiler.h"
#include "engine/range.h"
#include "measure/data_parallel/averaging.h"
#include "measure/data_parallel/equality.h"
#include "measure/data_parallel/overlap.h"
#include "measure/kernels/activity.h"
#include "measure/timing/step_series.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::array kStepPhases{metric::kForward, metric::kLoss, metric::kBackward,
                                 metric::kExchange, metric::kOptimizer};
constexpr std::size_t kMostIntervals = 1'500;  // limit for a lane, since a page draws them all

std::int64_t nanoseconds(double value) { return static_cast<std::int64_t>(std::llround(value)); }

std::int64_t median_of(const Numbers& numbers) {
  return nanoseconds(median(std::vector<double>(numbers.begin(), numbers.end())));
}

/// Returns this rank's sequences of a batch that all ranks draw identically.
Batch share_of(const TimingPlan& plan, const RankGroup& group) {
  const Batch all = random_batch(plan.batch * group.size(), plan.network.context,
                                 plan.network.shape.vocab, group.device());
  const std::int64_t begin = plan.batch * group.rank();
  return {all.ids.narrow(0, begin, plan.batch), all.targets.narrow(0, begin, plan.batch)};
}

/// Runs a training step that averages gradients by the scheme. The backward phase ends with the
/// last gradient; the exchange phase, mostly waiting for averages, lasts until the optimizer.
class RankStep : PhaseObserver {
 public:
  RankStep(TrainingStep& step, Averaging& averaging, const std::vector<at::Tensor>& parameters)
      : step_(step),
        averaging_(averaging),
        count_(parameters.size()),
        gradients_(parameters, [this](std::size_t) {
          if (++ready_ == count_) observer_->ended(Phase::kBackward);
        }) {}

  /// Reports the end of the five phases to `observer`. Backward is reported twice: at its own end
  /// and at the end of the exchange.
  void run(PhaseObserver& observer) {
    observer_ = &observer;
    ready_ = 0;
    averaging_.before_forward();
    step_.run(*this);
  }

 private:
  void ended(Phase phase) override {
    if (phase == Phase::kLoss) averaging_.before_backward(step_.loss());
    if (phase == Phase::kBackward) {
      const Range range(metric::kExchange);
      averaging_.after_backward();
    }
    observer_->ended(phase);
  }

  TrainingStep& step_;
  Averaging& averaging_;
  std::size_t count_, ready_ = 0;
  PhaseObserver* observer_ = nullptr;
  GradientHooks gradients_;
};

/// Records the host's time at the end of each phase.
class Instants : public PhaseObserver {
 public:
  void ended(Phase) override { all_.push_back(host_now_ns()); }
  const Numbers& all() const { return all_; }

 private:
  Numbers all_;
};

class DataParallelLaunch {
 public:
  DataParallelLaunch(const TimingPlan& plan, const CellSpec& spec, RankGroup& group)
      : plan_(plan),
        scheme_(*spec.scheme),
        group_(group),
        device_(group.device()),
        batch_(share_of(plan, group)),
        network_(make_network(plan.network, device_)),
        parameters_(tensors_of(network_->parameters())),
        step_(*network_, batch_, plan.step),
        averaging_(make_averaging(scheme_, spec.bucket_bytes.value_or(0), group, parameters_)),
        rank_step_(step_, *averaging_, parameters_),
        clock_(device_, PhaseClock::kEvents, kStepPhases.size()),
        memory_(device_, count_bytes(network_->parameters())) {
    broadcast_parameters(group, parameters_);
  }

  Launch measure() {
    Conditions conditions(plan_.step.device);
    conditions.open();
    run_counted_steps(plan_, conditions, memory_, [this] { run_one(); });
    differing_ranks_ = count_differing_ranks(group_, parameters_);
    lanes_ = device_.is_cpu() ? host_lanes() : device_lanes();
    step_.clear();
    Launch launch = result();
    launch.conditions = conditions.metrics();
    launch.conditions.push_back(memory_.device_allocations());
    return launch;
  }

 private:
  /// Times one step. A barrier lets all ranks start as nearly together as possible.
  void run_one() {
    group_.barrier();
    starts_.push_back(host_now_ns());
    const StepTimes times =
        clock_.time([this](PhaseObserver& observer) { rank_step_.run(observer); });
    totals_.push_back(times.total_ns);
    enqueues_.push_back(times.enqueue_ns);
    for (std::size_t i = 0; i < kStepPhases.size(); ++i) {
      phases_[i].push_back(times.phases_ns.at(i));
    }
    losses_.push_back(std::bit_cast<std::int64_t>(step_.loss().item<double>()));
    step_.clear();
    group_.take_collectives();
  }

  /// Traces one step on a CPU, where collectives run on other threads and overlap with its phases.
  Lanes host_lanes() {
    group_.barrier();
    Instants instants;
    const std::int64_t start = host_now_ns();
    rank_step_.run(instants);
    Lanes lanes;
    lanes.step_ns = host_now_ns() - start;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < kStepPhases.size(); ++i) {
      const std::int64_t end = instants.all().at(i) - start;
      const bool computes = kStepPhases[i] != metric::kExchange;
      if (computes) lanes.compute.push_back({std::string(kStepPhases[i]), before, end});
      before = end;
    }
    for (const TimedCollective& collective : group_.take_collectives()) {
      lanes.communication.push_back({"", collective.start_ns - start, collective.end_ns - start});
    }
    return lanes;
  }

  Lanes device_lanes() {
    const DeviceKind kind = plan_.step.device;
    profile(kind, [] {});
    // The barrier is inside the profile, because starting a profile takes each rank a different
    // time.
    const Profile found = profile(kind, [this] {
      group_.barrier();
      Unobserved observer;
      rank_step_.run(observer);
      synchronize(device_);
    });
    no_trace_ = reason_without_kernels(kind, found.trace);
    return lanes_of(found.trace);
  }

  Launch result() {
    Launch launch;
    const auto totals = group_.gather(totals_), starts = group_.gather(starts_);
    std::array<std::vector<Numbers>, kStepPhases.size()> phases;
    for (std::size_t i = 0; i < phases.size(); ++i) phases[i] = group_.gather(phases_[i]);
    const auto losses = group_.gather(losses_);
    const Overlap overlapped = overlap(lanes_);
    const auto traced =
        group_.gather({lanes_.step_ns, overlapped.communication_ns, overlapped.both_ns});
    if (group_.rank() != 0) return launch;
    add_steps(launch, totals, phases);
    add_losses(launch, losses);
    add_all_reduces(launch);
    append(launch.metrics, memory_.metrics());
    if (scheme_ != Scheme::kNone) {
      launch.metrics.push_back(
          integer_metric(metric::kEquality, metric::kDivergedRanks, "1", differing_ranks_));
    }
    launch.tables = {rank_table(totals, starts, phases, traced), lane_table()};
    if (!no_trace_.empty()) launch.warnings.push_back(no_trace_);
    return launch;
  }

  /// Returns the slowest rank's time for each step: a step ends when all ranks have finished it.
  static Numbers slowest(const std::vector<Numbers>& ranks) {
    Numbers most = ranks.front();
    for (const Numbers& rank : ranks) {
      for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], rank[i]);
    }
    return most;
  }

  template <typename Phases>
  void add_steps(Launch& launch, const std::vector<Numbers>& totals, const Phases& phases) const {
    const Numbers slowest_totals = slowest(totals);
    Numbers skews = slowest_totals;  // the slowest rank's time minus the fastest one's
    for (std::size_t i = 0; i < skews.size(); ++i) {
      skews[i] -= std::ranges::min(totals, {}, [i](const Numbers& rank) { return rank[i]; })[i];
    }
    append(launch.metrics, {sample_metric(metric::kStep, metric::kTotal, "ns", slowest_totals),
                            sample_metric(metric::kStep, metric::kEnqueue, "ns", enqueues_),
                            sample_metric(metric::kSkew, metric::kStep, "ns", skews)});
    for (std::size_t i = 0; i < kStepPhases.size(); ++i) {
      launch.metrics.push_back(
          sample_metric(metric::kEvent, kStepPhases[i], "ns", slowest(phases[i])));
    }
  }

  static void add_losses(Launch& launch, const std::vector<Numbers>& ranks) {
    std::vector<double> means(ranks.front().size(), 0);
    for (const Numbers& rank : ranks) {
      for (std::size_t i = 0; i < means.size(); ++i) {
        means[i] += std::bit_cast<double>(rank[i]) / static_cast<double>(ranks.size());
      }
    }
    launch.metrics.push_back(loss_metric(std::move(means)));
  }

  void add_all_reduces(Launch& launch) const {
    const auto known = averaging_->all_reduces();
    const auto add = [&](std::string_view name, const char* unit, std::int64_t value) {
      launch.metrics.push_back(integer_metric(metric::kAllReduces, name, unit, value));
    };
    const auto seen = static_cast<std::int64_t>(lanes_.communication.size());
    add(metric::kCalls, "1", known ? std::ssize(*known) : seen);
    if (!known) return;
    add(metric::kTotal, "B", std::accumulate(known->begin(), known->end(), std::int64_t{0}));
    if (known->empty()) return;
    add(metric::kLargest, "B", *std::ranges::max_element(*known));
  }

  template <typename Phases>
  Table rank_table(const std::vector<Numbers>& totals, const std::vector<Numbers>& starts,
                   const Phases& phases, const std::vector<Numbers>& traced) const {
    Table table = shape::rank_steps();
    for (std::size_t rank = 0; rank < totals.size(); ++rank) {
      const Summary summary = summarize([&] {
        const Numbers counted = this->counted(totals[rank]);
        return std::vector<double>(counted.begin(), counted.end());
      }());
      std::vector<Scalar> row{static_cast<std::int64_t>(rank),
                              static_cast<std::int64_t>(summary.count)};
      for (const double value :
           {summary.mean, summary.stddev, summary.min, summary.median, summary.max}) {
        row.emplace_back(nanoseconds(value));
      }
      row.emplace_back(median_lag(starts, rank));
      for (const auto& phase : phases) row.emplace_back(median_of(counted(phase[rank])));
      for (const std::int64_t value : traced[rank]) {
        row.push_back(no_trace_.empty() ? Scalar(value) : Scalar());
      }
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  Numbers counted(const Numbers& steps) const {
    return {steps.begin() + plan_.warmup, steps.end()};
  }

  /// Returns the median nanoseconds by which the rank starts its counted steps after the first
  /// rank. All ranks share the host's clock.
  std::int64_t median_lag(const std::vector<Numbers>& starts, std::size_t rank) const {
    Numbers lags;
    for (auto step = static_cast<std::size_t>(plan_.warmup); step < starts.front().size(); ++step) {
      std::int64_t first = starts.front()[step];
      for (const Numbers& of_rank : starts) first = std::min(first, of_rank[step]);
      lags.push_back(starts[rank][step] - first);
    }
    return median_of(lags);
  }

  Table lane_table() const {
    Table table = shape::lanes();
    const auto add = [&](std::string_view lane, const std::vector<Interval>& intervals) {
      for (const Interval& interval : at_most(intervals, kMostIntervals)) {
        table.rows.push_back({std::string(lane), interval.phase, interval.start_ns,
                              interval.end_ns - interval.start_ns});
      }
    };
    add(metric::kCompute, lanes_.compute);
    add(metric::kCommunication, lanes_.communication);
    return table;
  }

  TimingPlan plan_;
  Scheme scheme_;
  RankGroup& group_;
  c10::Device device_;
  Batch batch_;
  std::unique_ptr<Network> network_;
  std::vector<at::Tensor> parameters_;
  TrainingStep step_;
  std::unique_ptr<Averaging> averaging_;
  RankStep rank_step_;
  StepClock clock_;
  MemoryCounts memory_;
  Numbers starts_, totals_, enqueues_, losses_;
  std::array<Numbers, kStepPhases.size()> phases_;
  std::int64_t differing_ranks_ = 0;
  Lanes lanes_;
  std::string no_trace_;
};

}  // namespace

Launch measure_data_parallel(const LaunchRequest& request) {
  const CellSpec& spec = request.spec;
  const TimingPlan plan = timing_plan(spec);
  if (!spec.scheme) throw InputError("a data_parallel cell needs 'scheme'");
  if (plan.step.mode != Mode::kTrainStep) {
    throw InputError("a data_parallel cell measures training steps, not '" +
                     std::string(name(plan.step.mode)) + "'");
  }
  RankGroup& group = RankGroup::join(request);
  const std::vector<Metric> equality = check_equality(group, spec, request.seed);
  set_tf32(plan.step.precision);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  group.take_collectives();
  Launch launch = DataParallelLaunch(plan, spec, group).measure();
  if (group.rank() == 0) append(launch.metrics, equality);
  launch.conditions.push_back(text_metric(metric::kCollectives, metric::kLibrary, group.library()));
  group.leave();
  return launch;
}

}  // namespace labreport
