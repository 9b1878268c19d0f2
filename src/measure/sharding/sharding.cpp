#include "measure/catalog.h"

#include <ATen/Context.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/statistics.h"
#include "engine/device.h"
#include "engine/host_allocator.h"
#include "engine/host_clock.h"
#include "engine/precision.h"
#include "engine/profiler.h"
#include "engine/rank_group.h"
#include "measure/data_parallel/contention.h"
#include "measure/memory/phase_peaks.h"
#include "measure/timing/step_series.h"
#include "model/parallel_step.h"
#include "model/transformer.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::int64_t kMinWarmup = 2;  // the second step starts with AdamW's state
constexpr int kIsolatedGathersPerLayer = 3;
constexpr double kLossScale = 1e9;  // ranks exchange losses as whole multiples of 1e-9
constexpr double kLossLimit = 1e9;  // times kLossScale it fits into 64 bits
constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();

/// Bytes of one rank at one point of a step.
struct MemoryPoint {
  std::int64_t step;
  std::string_view name;
  std::int64_t allocated, peak, parameters, gradients, optimizer;
};

/// A training step of ranks that train together. `on_point` is called at the end of each phase with
/// its name, and with `metric::kBeforeOptimizer` directly before the optimizer.
class RankedStep {
 public:
  using PointCallback = std::function<void(std::string_view point)>;

  virtual ~RankedStep() = default;
  virtual void run(const PointCallback& on_point) = 0;
  virtual at::Tensor loss() const = 0;  ///< Undefined if the step returns none.
  virtual void clear() = 0;
  virtual StateBytes state_bytes() const = 0;
};

/// A step by labreport's schemes, whose optimizer begins when gradients are averaged.
class LabreportsStep : public RankedStep {
 public:
  explicit LabreportsStep(ParallelStep step) : step_(std::move(step)) {}
  void run(const PointCallback& on_point) override {
    step_.run([&](std::string_view phase) {
      on_point(phase);
      if (phase == metric::kAllReduce) on_point(metric::kBeforeOptimizer);
    });
  }
  at::Tensor loss() const override { return step_.loss(); }
  void clear() override { step_.clear(); }
  StateBytes state_bytes() const override { return step_.state_bytes(); }

 private:
  ParallelStep step_;
};

/// A step around a part of the user's, which communicates by itself.
class UsersStep : public RankedStep, PhaseObserver {
 public:
  explicit UsersStep(TrainingStep step) : step_(std::move(step)) {}
  void run(const PointCallback& on_point) override {
    on_point_ = &on_point;
    step_.run(*this);
  }
  at::Tensor loss() const override { return step_.loss(); }
  void clear() override { step_.clear(); }
  StateBytes state_bytes() const override { return step_.state_bytes(); }

 private:
  void on_phase_begin(Phase phase) override {
    if (phase == Phase::kOptimizer) (*on_point_)(metric::kBeforeOptimizer);
  }
  void on_phase_end(Phase phase) override { (*on_point_)(name(phase)); }

  TrainingStep step_;
  const PointCallback* on_point_ = nullptr;
};

class ShardingLaunch {
 public:
  ShardingLaunch(const TimingPlan& plan, const CellSpec& spec, RankGroup& group)
      : plan_(plan), group_(group), device_(group.device()) {
    reset_memory_peaks(device_);
    network_ = make_network(plan_.network, device_);
    TimingPlan whole_plan = plan_;
    whole_plan.batch *= group_.size();
    if (network_->has_own_step()) {
      step_ = std::make_unique<UsersStep>(TrainingStep(
          *network_, part_of_batch(whole_plan.random_batch(device_), group_), plan_.step));
      return;
    }
    if (!plan.network.implementation.empty())
      throw NotOffered("only labreport's own network is trained by several ranks");
    broadcast_from_rank_0(network_->parameters(), group_);
    if (spec.sharding == Sharding::kWeights) {
      const auto compute_dtype = autocast_dtype(plan_.step.precision).value_or(at::kFloat);
      weights_ = std::make_shared<ShardedWeights>(group_, compute_dtype);
      dynamic_cast<Transformer&>(*network_).shard(weights_);
    }
    const Batch whole = whole_plan.random_batch(device_);
    step_ = std::make_unique<LabreportsStep>(
        ParallelStep(*network_, part_of_batch(whole, group_), plan_.step, group_,
                     ParallelStep::ShardedParts{spec.sharding == Sharding::kOptimizer, weights_}));
  }

  Launch measure() {
    Conditions conditions(plan_.step.device);
    record_memory(0, metric::kAfterModel);
    conditions.begin();
    warm_up();
    time_whole_steps();
    time_phases();
    conditions.end();
    if (!device_.is_cpu()) add_contention();
    launch_.conditions = conditions.metrics();
    launch_.conditions.push_back(
        text_metric(metric::kCollectives, metric::kLibrary, group_.library()));
    add_memory_and_losses();
    if (weights_) add_gathers();
    return std::move(launch_);
  }

 private:
  /// Records the memory now, and its peak since the last reset.
  void record_memory(std::int64_t step, std::string_view point) {
    synchronize(device_);
    const auto counts = memory_counts(device_).value_or(AllocatorCounts{});
    const StateBytes held = step_->state_bytes();
    memory_.push_back({step, point, counts.allocated_bytes, counts.peak_allocated_bytes,
                       held.parameters, held.gradients, held.optimizer});
    reset_memory_peaks(device_);
  }

  /// Records each step's memory before the optimizer and after the step. Keeps only the points of
  /// the first step and of the last one, which starts with all state present.
  void warm_up() {
    const std::int64_t steps = std::max(kMinWarmup, plan_.warmup);
    for (std::int64_t step = 1; step <= steps; ++step) {
      reset_memory_peaks(device_);
      step_->run([&](std::string_view point) {
        if (point == metric::kBeforeOptimizer) record_memory(step, point);
      });
      record_memory(step, metric::kAfterOptimizer);
      if (weights_) weights_->take_waits();  // drops waits of uncounted steps
      keep_loss();
      step_->clear();
    }
    std::erase_if(memory_,
                  [&](const MemoryPoint& point) { return point.step > 1 && point.step < steps; });
  }

  /// Keeps the mean loss over ranks, or warns if a rank's loss is NaN or not below `kLossLimit`.
  void keep_loss() {
    const double loss = step_->loss().defined() ? step_->loss().item<double>() : kNoLoss;
    const bool is_usable = std::abs(loss) < kLossLimit;
    double sum = 0;
    for (const auto& gathered : group_.all_gather(
             {is_usable, is_usable ? static_cast<std::int64_t>(loss * kLossScale) : 0})) {
      if (gathered[0] == 0) {  // The rank's loss is not usable.
        if (launch_.warnings.empty()) launch_.warnings.emplace_back("the loss is not finite");
        return;
      }
      sum += static_cast<double>(gathered[1]) / kLossScale;
    }
    losses_.push_back(sum / static_cast<double>(group_.size()));
  }

  void time_whole_steps() {
    std::vector<std::int64_t> durations_ns;
    for (std::int64_t i = 0; i < plan_.steps; ++i) {
      group_.barrier();
      const std::int64_t start_ns = host_now_ns();
      step_->run([](std::string_view) {});
      synchronize(device_);
      durations_ns.push_back(host_now_ns() - start_ns);
      for (const GatherWait& wait : weights_ ? weights_->take_waits() : std::vector<GatherWait>()) {
        waits_[{wait.layer, wait.in_backward}].push_back(static_cast<double>(wait.wait_ns));
      }
      keep_loss();
      step_->clear();
    }
    add_slowest(metric::kStep, metric::kTotal, durations_ns);
  }

  /// Times the phases of further steps. A phase that repeats in a step is summed, and one that some
  /// rank lacks takes no time there.
  void time_phases() {
    constexpr std::string_view kPhases[]{metric::kForward,   metric::kLoss,  metric::kBackward,
                                         metric::kAllReduce, metric::kOther, metric::kOptimizer,
                                         metric::kBroadcast};
    std::map<std::string_view, std::vector<std::int64_t>> samples;
    for (const std::string_view phase : kPhases)
      samples[phase].assign(static_cast<std::size_t>(plan_.steps), 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan_.steps); ++i) {
      group_.barrier();
      std::int64_t start_ns = host_now_ns();
      step_->run([&](std::string_view point) {
        if (point == metric::kBeforeOptimizer) return;
        synchronize(device_);
        samples.at(point)[i] += host_now_ns() - start_ns;
        start_ns = host_now_ns();
      });
      step_->clear();
    }
    for (const std::string_view phase : kPhases) {
      const auto longest = std::ranges::max_element(samples[phase]);
      const bool occurs = longest != samples[phase].end() && *longest > 0;
      if (group_.max_over_ranks(occurs) > 0) add_slowest(metric::kSynced, phase, samples[phase]);
    }
  }

  /// Adds the slowest rank's time for each step; all ranks have the same number of steps.
  void add_slowest(std::string_view tag, std::string_view name,
                   const std::vector<std::int64_t>& durations_ns) {
    std::vector<std::int64_t> slowest = durations_ns;
    for (const auto& rank : group_.all_gather(durations_ns)) {
      for (std::size_t i = 0; i < rank.size(); ++i) slowest[i] = std::max(slowest[i], rank[i]);
    }
    if (group_.rank() == 0) launch_.metrics.push_back(sample_metric(tag, name, "ns", slowest));
  }

  /// Traces one more step.
  void add_contention() {
    const DeviceKind kind = plan_.step.device;
    profile(kind, [] {});  // The first profile of a process initializes the profiler.
    const Profile step_profile = profile(kind, [this] {
      group_.barrier();
      step_->run([](std::string_view) {});
      synchronize(device_);
    });
    step_->clear();
    if (weights_) weights_->take_waits();
    Table table = contention_table(step_profile.trace);
    if (group_.rank() == 0 && !table.rows.empty()) launch_.tables.push_back(std::move(table));
  }

  void add_memory_and_losses() {
    Table table = empty_table(metric::kHeld);
    for (const MemoryPoint& point : memory_) {
      const auto all = group_.all_gather({point.step, point.allocated, point.peak, point.parameters,
                                          point.gradients, point.optimizer});
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        std::vector<Scalar> row{static_cast<std::int64_t>(rank), all[rank][0],
                                std::string(point.name)};
        for (std::size_t i = 1; i < all[rank].size(); ++i) row.emplace_back(all[rank][i]);
        table.rows.push_back(std::move(row));
      }
    }
    if (group_.rank() != 0) return;
    launch_.tables.push_back(std::move(table));
    launch_.metrics.push_back(loss_metric(std::move(losses_)));
  }

  std::string module_of(std::size_t layer) const {
    for (const Parameter& parameter : network_->parameters()) {
      if (!weights_->shard(layer).is_same(parameter.tensor)) continue;
      return parameter.name.substr(0, parameter.name.rfind('.'));
    }
    return "";
  }

  /// Adds a row for each layer and pass: how long the pass waited for the layer's gather, and how
  /// long the gather takes by itself. Both are medians on the slowest rank.
  void add_gathers() {
    const auto largest_median = [this](const std::vector<double>& samples) {
      return group_.max_over_ranks(static_cast<std::int64_t>(median(samples)));
    };
    std::vector<std::int64_t> isolated_ns;
    for (std::size_t layer = 0; layer < weights_->size(); ++layer) {
      std::vector<double> samples;
      for (int i = 0; i < kIsolatedGathersPerLayer; ++i) {
        samples.push_back(static_cast<double>(weights_->time_gather(layer)));
      }
      isolated_ns.push_back(largest_median(samples));
    }
    Table table = empty_table(metric::kGathers);
    for (const auto& [key, samples] : waits_) {
      const auto& [layer, in_backward] = key;
      table.rows.push_back({static_cast<std::int64_t>(layer), module_of(layer),
                            std::string(in_backward ? metric::kBackward : metric::kForward),
                            weights_->gathered_bytes(layer), largest_median(samples),
                            isolated_ns[layer]});
    }
    if (group_.rank() == 0) launch_.tables.push_back(std::move(table));
  }

  TimingPlan plan_;
  RankGroup& group_;
  c10::Device device_;
  std::unique_ptr<Network> network_;
  std::shared_ptr<ShardedWeights> weights_;  ///< Null if no weights are sharded.
  std::unique_ptr<RankedStep> step_;
  std::map<std::pair<std::size_t, bool>, std::vector<double>>
      waits_;  ///< By layer and pass; the bool is true in backward.
  std::vector<MemoryPoint> memory_;
  std::vector<double> losses_;
  Launch launch_;
};

}  // namespace

Launch measure_sharding(const LaunchRequest& request) {
  const TimingPlan plan = timing_plan(request.spec);
  if (!request.spec.sharding) throw InputError("a sharding cell needs to say what is sharded");
  if (plan.step.mode != Mode::kTrainStep) {
    throw InputError("ranks that train together run training steps, not '" +
                     std::string(name(plan.step.mode)) + "'");
  }
  if (plan.step.device == DeviceKind::kCpu) count_host_allocations();
  set_tf32(plan.step.precision);
  RankGroup& group = RankGroup::join(request);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  begin_phase(Phase::kModelBuild);
  Launch launch = ShardingLaunch(plan, request.spec, group).measure();
  group.wait_until_all_leave();
  return launch;
}

}  // namespace labreport
