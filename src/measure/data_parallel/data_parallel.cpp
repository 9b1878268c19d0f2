#include "measure/catalog.h"

#include <ATen/Context.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/statistics.h"
#include "engine/device.h"
#include "engine/gradient_hooks.h"
#include "engine/host_clock.h"
#include "engine/precision.h"
#include "engine/profiler.h"
#include "engine/range.h"
#include "measure/attention/clocks.h"
#include "measure/data_parallel/averaging.h"
#include "measure/data_parallel/contention.h"
#include "measure/data_parallel/equality.h"
#include "measure/data_parallel/lane_table.h"
#include "measure/data_parallel/overlap.h"
#include "measure/data_parallel/step_classes.h"
#include "measure/kernels/activity.h"
#include "measure/timing/step_series.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

using Numbers = std::vector<std::int64_t>;

using Phases = std::array<std::string_view, 5>;

constexpr Phases kSchemePhases{metric::kForward, metric::kLoss, metric::kBackward,
                               metric::kExchange, metric::kOptimizer};
constexpr Phases kOwnPhases{metric::kForward, metric::kLoss, metric::kBackward, metric::kOther,
                            metric::kOptimizer};
using PhasesByRank = std::array<std::vector<Numbers>, kSchemePhases.size()>;
constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();

std::int64_t rounded_ns(double value) { return static_cast<std::int64_t>(std::llround(value)); }

std::int64_t median_of(const Numbers& numbers) {
  return rounded_ns(median(std::vector<double>(numbers.begin(), numbers.end())));
}

/// Returns this rank's sequences of a batch that all ranks draw identically.
Batch draw_rank_batch(const TimingPlan& plan, const RankGroup& group) {
  const Batch whole = random_batch(plan.batch * group.size(), plan.network.context,
                                   plan.network.shape.vocab, group.device());
  const std::int64_t begin = plan.batch * group.rank();
  return {whole.ids.narrow(0, begin, plan.batch), whole.targets.narrow(0, begin, plan.batch)};
}

/// Returns the parameters whose gradients a scheme averages.
std::vector<at::Tensor> trained_tensors(const Network& network) {
  std::vector<at::Tensor> tensors = tensors_of(network.parameters());
  std::erase_if(tensors, [](const at::Tensor& tensor) { return !tensor.requires_grad(); });
  return tensors;
}

/// Runs a training step that averages gradients by the scheme. The backward phase ends with the
/// last gradient; the exchange phase, mostly waiting for averages, lasts until the optimizer.
class RankStep : PhaseObserver {
 public:
  RankStep(TrainingStep& step, GradientAverager& averager,
           const std::vector<at::Tensor>& parameters)
      : step_(step),
        averager_(averager),
        parameter_count_(parameters.size()),
        gradient_hooks_(parameters, [this](std::size_t) {
          if (++ready_gradients_ == parameter_count_) observer_->on_phase_end(Phase::kBackward);
        }) {}

  /// Reports the end of the five phases to `observer`. Backward is reported twice: at its own end
  /// and at the end of the exchange.
  void run(PhaseObserver& observer) {
    observer_ = &observer;
    ready_gradients_ = 0;
    averager_.before_forward();
    step_.run(*this);
  }

 private:
  void on_phase_end(Phase phase) override {
    if (phase == Phase::kLoss) averager_.before_backward(step_.loss());
    if (phase == Phase::kBackward) {
      const Range range(metric::kExchange);
      averager_.after_backward();
    }
    observer_->on_phase_end(phase);
  }

  TrainingStep& step_;
  GradientAverager& averager_;
  std::size_t parameter_count_, ready_gradients_ = 0;
  PhaseObserver* observer_ = nullptr;
  GradientHooks gradient_hooks_;
};

/// Records the host's time at the end of each phase.
class PhaseEnds : public PhaseObserver {
 public:
  void on_phase_end(Phase) override { ends_ns_.push_back(host_now_ns()); }
  const Numbers& ends_ns() const { return ends_ns_; }

 private:
  Numbers ends_ns_;
};

class DataParallelLaunch {
 public:
  DataParallelLaunch(const TimingPlan& plan, const CellSpec& spec, RankGroup& group)
      : plan_(plan),
        scheme_(spec.scheme.value_or(Scheme::kOwnStep)),
        repeats_(spec.repeats.value_or(0)),
        group_(group),
        device_(group.device()),
        batch_(draw_rank_batch(plan, group)),
        network_(make_network(plan.network, device_)),
        parameters_(trained_tensors(*network_)),
        step_(*network_, batch_, plan.step),
        clock_(device_, PhaseClock::kEvents, phases_.size()),
        memory_(device_, count_bytes(network_->parameters())) {
    if (is_own_step()) return;
    averager_ = make_averager(scheme_, spec.bucket_bytes.value_or(0), group, parameters_);
    rank_step_.emplace(step_, *averager_, parameters_);
    broadcast_parameters(group, parameters_);
  }

  Launch measure() {
    Conditions conditions(plan_.step.device);
    conditions.open();
    run_counted_steps(plan_, conditions, memory_, [this] { time_step(); });
    differing_ranks_ = count_differing_ranks(group_, tensors_of(network_->replicated_parameters()));
    if (repeats_ > 0) benched_ns_ = time_repeats();
    if (is_own_step()) occurrences_ = occurrence_metrics(*network_, batch_);
    lanes_ = device_.is_cpu() && !is_own_step() ? host_lanes() : profiled_lanes();
    step_.clear();
    Launch launch = result();
    launch.conditions = conditions.metrics();
    launch.conditions.push_back(memory_.device_allocations());
    return launch;
  }

 private:
  bool is_own_step() const { return scheme_ == Scheme::kOwnStep; }

  void run_step(PhaseObserver& observer) {
    if (!rank_step_) return step_.run(observer);
    rank_step_->run(observer);
  }

  /// Times one step. A barrier lets all ranks start as nearly together as possible.
  void time_step() {
    group_.barrier();
    starts_ns_.push_back(host_now_ns());
    const StepTimes times = clock_.time([this](PhaseObserver& observer) { run_step(observer); });
    totals_ns_.push_back(times.total_ns);
    enqueues_ns_.push_back(times.enqueue_ns);
    if (rank_step_ && times.phases_ns.size() < phases_.size()) {
      throw InputError("a parameter of the network gets no gradient",
                       "labreport's schemes average those of all that require one");
    }
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      // RankStep reports backward twice, and the second time stands for the exchange.
      phases_ns_[i].push_back(is_own_step() ? times.sum(parse_name<Phase>(std::string(phases_[i])),
                                                        &StepTimes::phases_ns)
                                            : times.phases_ns.at(i));
    }
    const double loss = step_.loss().defined() ? step_.loss().item<double>() : kNoLoss;
    loss_bits_.push_back(std::bit_cast<std::int64_t>(loss));
    if (step_.loss().defined() && !std::isfinite(loss) && !first_lost_step_)
      first_lost_step_ = std::ssize(totals_ns_);
    step_.clear();
    group_.take_collectives();  // drops them: only the traced step's are drawn
  }

  /// Times steps as do_bench does, whose number the cell fixes: with a number of its own a rank
  /// would wait in a collective that no other joins.
  Numbers time_repeats() {
    NullPhaseObserver observer;
    return repeats_ns(device_, repeats_,
                      {[] {},
                       [&] {
                         run_step(observer);
                         step_.clear();
                       }});
  }

  /// Traces one step on a CPU, where collectives run on other threads and overlap with its phases.
  Lanes host_lanes() {
    group_.barrier();
    PhaseEnds phase_ends;
    const std::int64_t start_ns = host_now_ns();
    run_step(phase_ends);
    Lanes lanes;
    lanes.step_ns = host_now_ns() - start_ns;
    std::int64_t phase_start_ns = 0;
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      const std::int64_t end_ns = phase_ends.ends_ns().at(i) - start_ns;
      const bool computes = phases_[i] != metric::kExchange;
      if (computes) lanes.compute.push_back({std::string(phases_[i]), phase_start_ns, end_ns});
      phase_start_ns = end_ns;
    }
    for (const TimedCollective& collective : group_.take_collectives()) {
      lanes.communication.push_back(
          {"", collective.start_ns - start_ns, collective.end_ns - start_ns});
    }
    return lanes;
  }

  Lanes profiled_lanes() {
    const DeviceKind kind = plan_.step.device;
    profile(kind, [] {});  // The first profile of a process initializes the profiler.
    // The barrier is inside the profile, because ranks take different times to start a profile.
    const Profile step_profile = profile(kind, [this] {
      group_.barrier();
      std::optional<Range> own_step;  // Around the exchange it would hide that phase.
      traced_start_ns_ = host_now_ns();
      if (is_own_step()) own_step.emplace(kOwnStepRange);
      NullPhaseObserver observer;
      run_step(observer);
      synchronize(device_);
    });
    no_trace_reason_ = reason_without_kernels(kind, step_profile.trace);
    contention_ = contention_table(step_profile.trace);
    if (is_own_step()) classes_ = step_classes(group_, step_profile.trace, kOwnStepRange);
    return is_own_step() ? lanes_of_own_step(step_profile.trace) : lanes_of(step_profile.trace);
  }

  Launch result() {
    Launch launch;
    const auto totals = group_.all_gather(totals_ns_), starts_ns = group_.all_gather(starts_ns_);
    PhasesByRank phases;
    for (std::size_t i = 0; i < phases.size(); ++i) phases[i] = group_.all_gather(phases_ns_[i]);
    const auto loss_bits = group_.all_gather(loss_bits_);  // Ranks can gather only integers.
    const Overlap overlap_times = overlap_of(lanes_);
    const auto traced_ns = group_.all_gather(
        {lanes_.step_ns, overlap_times.communication_ns, overlap_times.overlap_ns});
    Table lanes = lane_table();
    const std::vector<Metric> memory = memory_.metrics();
    const auto peak = std::ranges::find(memory, metric::kPeakAllocated, &Metric::name);
    const bool has_peak = peak != memory.end() && peak->number();
    const auto peaks =
        group_.all_gather({has_peak ? static_cast<std::int64_t>(*peak->number()) : 0});
    if (group_.rank() != 0) return launch;
    add_steps(launch, totals, phases);
    add_losses(launch, loss_bits);
    add_all_reduces(launch);
    append(launch.metrics, memory);
    append(launch.metrics, occurrences_);
    if (scheme_ != Scheme::kNone) {
      launch.metrics.push_back(
          integer_metric(metric::kEquality, metric::kDivergedRanks, "1", differing_ranks_));
    }
    Table ranks = rank_table(totals, starts_ns, phases, traced_ns, has_peak);
    for (std::size_t rank = 0; has_peak && rank < ranks.rows.size(); ++rank)
      ranks.rows[rank].emplace_back(peaks[rank].front());
    launch.tables = {std::move(ranks), std::move(lanes)};
    for (Table* table : {&classes_, &contention_}) {
      if (!table->rows.empty()) launch.tables.push_back(std::move(*table));
    }
    if (repeats_ > 0)
      launch.metrics.push_back(sample_metric(metric::kDoBench, metric::kTotal, "ns", benched_ns_));
    if (!no_trace_reason_.empty()) launch.warnings.push_back(no_trace_reason_);
    if (first_lost_step_) {
      launch.warnings.push_back("the loss is not finite at step " +
                                std::to_string(*first_lost_step_));
    }
    if (is_own_step() && differing_ranks_ > 0) {
      launch.warnings.emplace_back(
          "after the last step the ranks hold different weights: they do not train one network");
    }
    return launch;
  }

  /// Returns the slowest rank's time for each step: a step ends when all ranks have finished it.
  static Numbers slowest_rank_times(const std::vector<Numbers>& ranks) {
    Numbers slowest = ranks.front();
    for (const Numbers& rank : ranks) {
      for (std::size_t i = 0; i < slowest.size(); ++i) slowest[i] = std::max(slowest[i], rank[i]);
    }
    return slowest;
  }

  /// True for a phase of a user's step that no rank's hooks saw, as in compiled code.
  static bool never_occurred(const std::vector<Numbers>& phase_by_rank) {
    return std::ranges::all_of(phase_by_rank, [](const Numbers& times_ns) {
      return std::ranges::all_of(times_ns, [](std::int64_t time_ns) { return time_ns == 0; });
    });
  }

  void add_steps(Launch& launch, const std::vector<Numbers>& totals,
                 const PhasesByRank& phases) const {
    const Numbers slowest_totals = slowest_rank_times(totals);
    Numbers skews = slowest_totals;  // the slowest rank's time minus the fastest one's
    for (std::size_t i = 0; i < skews.size(); ++i) {
      skews[i] -= std::ranges::min(totals, {}, [i](const Numbers& rank) { return rank[i]; })[i];
    }
    append(launch.metrics,
           {sample_metric(metric::kStep, metric::kTotal, "ns", slowest_totals),
            sample_metric(metric::kStep, metric::kEnqueue, "ns", enqueues_ns_),  // rank 0's
            sample_metric(metric::kSkew, metric::kStep, "ns", skews)});
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      if (is_own_step() && never_occurred(phases[i])) continue;
      launch.metrics.push_back(
          sample_metric(metric::kEvent, phases_[i], "ns", slowest_rank_times(phases[i])));
    }
  }

  static void add_losses(Launch& launch, const std::vector<Numbers>& loss_bits) {
    std::vector<double> means(loss_bits.front().size(), 0);
    for (const Numbers& rank : loss_bits) {
      for (std::size_t i = 0; i < means.size(); ++i) {
        means[i] += std::bit_cast<double>(rank[i]) / static_cast<double>(loss_bits.size());
      }
    }
    const bool all_are_known =
        std::ranges::all_of(means, [](double loss) { return std::isfinite(loss); });
    if (all_are_known) launch.metrics.push_back(loss_metric(std::move(means)));
  }

  void add_all_reduces(Launch& launch) const {
    const auto bytes = averager_ ? averager_->all_reduce_bytes() : std::nullopt;
    const auto add = [&](std::string_view name, const char* unit, std::int64_t value) {
      launch.metrics.push_back(integer_metric(metric::kAllReduceCalls, name, unit, value));
    };
    const auto traced = static_cast<std::int64_t>(lanes_.communication.size());
    add(metric::kCalls, "1", bytes ? std::ssize(*bytes) : traced);
    if (!bytes) return;
    add(metric::kTotal, "B", std::accumulate(bytes->begin(), bytes->end(), std::int64_t{0}));
    if (bytes->empty()) return;
    add(metric::kLargest, "B", *std::ranges::max_element(*bytes));
  }

  Table rank_table(const std::vector<Numbers>& totals, const std::vector<Numbers>& starts_ns,
                   const PhasesByRank& phases, const std::vector<Numbers>& traced_ns,
                   bool has_peak) const {
    const std::string other = phase_column(metric::kOther);
    std::vector<std::string_view> optional_columns;
    if (is_own_step()) optional_columns.push_back(other);
    if (has_peak) optional_columns.push_back(column::kPeakAllocated);
    Table table = empty_table(metric::kRankSteps, optional_columns);
    for (std::size_t rank = 0; rank < totals.size(); ++rank) {
      const Numbers counted_ns = counted_steps(totals[rank]);
      const Summary summary = summarize(std::vector<double>(counted_ns.begin(), counted_ns.end()));
      std::vector<Scalar> row{static_cast<std::int64_t>(rank),
                              static_cast<std::int64_t>(summary.count)};
      for (const double value :
           {summary.mean, summary.stddev, summary.min, summary.median, summary.max}) {
        row.emplace_back(rounded_ns(value));
      }
      row.emplace_back(median_lag(starts_ns, rank));
      for (const auto& phase : phases) {
        const bool is_unseen = is_own_step() && never_occurred(phase);
        row.push_back(is_unseen ? Scalar() : Scalar(median_of(counted_steps(phase[rank]))));
      }
      if (is_own_step()) {
        const auto exchange = row.end() - 2;
        row.push_back(std::exchange(*exchange, Scalar()));
      }
      for (const std::int64_t value : traced_ns[rank]) {
        row.push_back(no_trace_reason_.empty() ? Scalar(value) : Scalar());
      }
      // The phases of a user's step on a CPU also wait for collectives.
      if (is_own_step() && device_.is_cpu()) row.back() = Scalar();
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  Numbers counted_steps(const Numbers& steps) const {
    return {steps.begin() + plan_.warmup, steps.end()};
  }

  /// Returns the median nanoseconds by which the rank starts its counted steps after the earliest
  /// rank. All ranks share the host's clock.
  std::int64_t median_lag(const std::vector<Numbers>& starts_ns, std::size_t rank) const {
    Numbers lags_ns;
    for (auto i = static_cast<std::size_t>(plan_.warmup); i < starts_ns.front().size(); ++i) {
      std::int64_t earliest_ns = starts_ns.front()[i];
      for (const Numbers& starts : starts_ns) earliest_ns = std::min(earliest_ns, starts[i]);
      lags_ns.push_back(starts_ns[rank][i] - earliest_ns);
    }
    return median_of(lags_ns);
  }

  /// Returns rank 0's lanes or, of a step of the user's, those of all ranks. All ranks must call
  /// it.
  Table lane_table() {
    if (is_own_step()) return lanes_of_ranks(group_, lanes_, traced_start_ns_);
    return lanes_of_rank_0(lanes_);
  }

  TimingPlan plan_;
  Scheme scheme_;
  std::int64_t repeats_;  ///< Steps that are timed as do_bench does; 0 for none.
  Phases phases_ = scheme_ == Scheme::kOwnStep ? kOwnPhases : kSchemePhases;
  RankGroup& group_;
  c10::Device device_;
  Batch batch_;
  std::unique_ptr<Network> network_;
  std::vector<at::Tensor> parameters_;
  TrainingStep step_;
  std::unique_ptr<GradientAverager> averager_;
  std::optional<RankStep> rank_step_;
  StepClock clock_;
  StepMemory memory_;
  Numbers starts_ns_, totals_ns_, enqueues_ns_, loss_bits_;
  std::array<Numbers, kSchemePhases.size()> phases_ns_;
  std::vector<Metric> occurrences_;
  Numbers benched_ns_;  ///< Rank 0's.
  Table classes_, contention_;
  std::optional<std::int64_t> first_lost_step_;  ///< The first one whose loss is NaN or infinite.
  std::int64_t differing_ranks_ = 0;
  Lanes lanes_;
  std::int64_t traced_start_ns_ = 0;  ///< When the profiled step began, by the host's clock.
  std::string no_trace_reason_;
};

}  // namespace

Launch measure_data_parallel(const LaunchRequest& request) {
  const CellSpec& spec = request.spec;
  const TimingPlan plan = timing_plan(spec);
  const bool is_own_step = spec.kind == CellKind::kLeaderboard || spec.scheme == Scheme::kOwnStep;
  if (!is_own_step && !spec.scheme) throw InputError("a data_parallel cell needs 'scheme'");
  if (plan.step.mode != Mode::kTrainStep) {
    throw InputError("a data_parallel cell measures training steps, not '" +
                     std::string(name(plan.step.mode)) + "'");
  }
  RankGroup& group = RankGroup::join(request);
  const std::vector<Metric> equality =
      is_own_step ? std::vector<Metric>() : check_equality(group, spec, request.seed);
  set_tf32(plan.step.precision);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  group.take_collectives();
  Launch launch = DataParallelLaunch(plan, spec, group).measure();
  if (group.rank() == 0) append(launch.metrics, equality);
  launch.conditions.push_back(text_metric(metric::kCollectives, metric::kLibrary, group.library()));
  group.wait_until_all_leave();
  return launch;
}

}  // namespace labreport
