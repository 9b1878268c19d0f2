#include "measure/catalog.h"

#include <ATen/Context.h>
#include <ATen/ops/sum.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>

#include "base/error.h"
#include "base/statistics.h"
#include "engine/conditions.h"
#include "engine/device.h"
#include "engine/host_allocator.h"
#include "engine/host_clock.h"
#include "engine/out_of_memory.h"
#include "engine/phase.h"
#include "engine/precision.h"
#include "measure/attention/clocks.h"
#include "measure/attention/implementation.h"
#include "measure/memory/phase_peaks.h"
#include "model/network.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::int64_t kMaxCheckedLength = 256;
constexpr std::int64_t kQueriesCheckedAgain = 64;
constexpr std::int64_t kLongestPassNs = 5'000'000'000;  // Twice the length takes 4 times as long.
constexpr BenchTime kLeaderboardTime{.warmup_ns = 1'000'000'000, .repeat_ns = 10'000'000'000};

/// The results for one sequence length: a row of the table.
struct LengthRow {
  std::int64_t length = 0;
  std::string outcome{metric::kRan};
  std::string phase = {}, reason = {};  ///< The phase in which the length failed, and why.
  std::map<std::string_view, std::vector<std::int64_t>> times_ns = {};
  std::map<std::string_view, std::int64_t> bytes = {};
  /// The first forward and backward pass, in which code may compile. Only implementations in Python
  /// have it.
  std::optional<std::int64_t> first_pass_ns = {};
};

void append_statistics(std::vector<Scalar>& row, const std::vector<std::int64_t>& samples) {
  if (samples.empty()) return row.resize(row.size() + kTimeStatistics.size());
  const std::vector<double> numbers(samples.begin(), samples.end());
  const Summary summary = summarize(numbers);
  row.emplace_back(static_cast<std::int64_t>(summary.count));
  for (const double value :
       {summary.mean, summary.stddev, summary.min, summary.median, summary.max}) {
    row.emplace_back(static_cast<std::int64_t>(std::llround(value)));
  }
}

std::vector<Scalar> scalars_of(const LengthRow& row) {
  std::vector<Scalar> scalars{row.length, row.outcome, row.phase, row.reason};
  for (const auto pass : {metric::kForward, metric::kBackward, metric::kEndToEnd}) {
    const auto samples = row.times_ns.find(pass);
    append_statistics(
        scalars, samples == row.times_ns.end() ? std::vector<std::int64_t>() : samples->second);
  }
  for (const auto name : {column::kBeforeForwardBytes, column::kBeforeBackwardBytes,
                          column::kPeakBytes, column::kRequestedBytes, column::kInUseBytes}) {
    const auto bytes = row.bytes.find(name);
    scalars.push_back(bytes == row.bytes.end() ? Scalar() : Scalar(bytes->second));
  }
  return scalars;
}

bool is_users(const CellSpec& spec) { return spec.attention->backend == AttentionBackend::kCustom; }

/// Measures one length on a started device. If it throws, the row keeps the results so far.
class LengthMeasurement {
 public:
  LengthMeasurement(const CellSpec& spec, const AttentionImplementation& attention, LengthRow& row)
      : spec_(spec),
        sweep_(*spec.attention),
        attention_(attention),
        device_(torch_device(spec.device)),
        row_(row) {
    begin_phase(Phase::kModelBuild);
    inputs_ = attention_inputs(spec, row.length, device_);
  }

  /// Times the forward pass only, for an implementation without a correct backward pass.
  void measure_forward() {
    if (sweep_.method == AttentionMethod::kDoBench)
      time(metric::kForward, {[] {}, [this] { forward(); }});
  }

  /// Compares the first and the last queries with FP64, on new values in the timed tensors. Finds
  /// attention that is wrong at this length, returns cached results, or is right only at first.
  std::vector<AttentionErrors> errors_on_new_inputs(bool with_gradients) const {
    const std::int64_t count = std::min(kQueriesCheckedAgain, row_.length);
    std::vector<AttentionErrors> errors;
    for (const std::int64_t first : {row_.length - count, std::int64_t{0}}) {
      inputs_.clear_gradients();
      inputs_.refill();
      errors.push_back(attention_errors(attention_, inputs_, {first, count, with_gradients}));
    }
    return errors;
  }

  void measure() {
    compile();
    switch (sweep_.method) {
      case AttentionMethod::kSynced:
        return measure_synced();
      case AttentionMethod::kDoBench:
        return measure_by_do_bench();
      case AttentionMethod::kLeaderboard:
        return measure_leaderboard();
    }
  }

 private:
  at::Tensor forward() const {
    begin_phase(Phase::kForward);
    return attention_.forward(inputs_);
  }

  void backward(const at::Tensor& output, bool retain_graph) const {
    begin_phase(Phase::kBackward);
    attention_.backward(output, inputs_.upstream, retain_graph);
  }

  /// Lets code compile before anything is timed. The user's backward pass compiles in
  /// count_memory(), after forward has been timed, which stays if backward runs out of memory.
  void compile() {
    if (is_users(spec_)) {
      first_forward_ns_ = synced_pass_ns(device_, [this] { forward(); });
    } else if (attention_.discard_compilations()) {
      row_.first_pass_ns =
          synced_pass_ns(device_, [this] { backward(forward(), /*retain_graph=*/false); });
    } else {
      return;
    }
    inputs_.clear_gradients();
    release_free_blocks(device_);
  }

  void measure_synced() {
    count_memory();
    at::Tensor output;
    const SyncedTimes times =
        synced_ns(device_, spec_.warmup.value_or(0), spec_.steps.value_or(1),
                  {[&] {
                     inputs_.clear_gradients();
                     output.reset();  // keeps only one graph alive
                   },
                   [&] { output = forward(); }, [&] { backward(output, /*retain_graph=*/false); }});
    row_.times_ns[metric::kForward] = times.forward;
    row_.times_ns[metric::kBackward] = times.backward;
    inputs_.clear_gradients();
  }

  void measure_by_do_bench() {
    time(metric::kForward, {[] {}, [this] { forward(); }});
    count_memory();
    time_backward();
    time(metric::kEndToEnd, {[this] { inputs_.clear_gradients(); },
                             [this] { backward(forward(), /*retain_graph=*/false); }});
  }

  void time(std::string_view pass, const TimedPass& timed) {
    row_.times_ns[pass] = do_bench_ns(device_, {}, timed);
  }

  /// Times backward passes, which all run over the same graph.
  void time_backward() {
    const at::Tensor output = forward();
    time(metric::kBackward,
         {[this] { inputs_.clear_gradients(); }, [&] { backward(output, /*retain_graph=*/true); }});
    inputs_.clear_gradients();
  }

  void count_memory() {
    inputs_.clear_gradients();
    PhasePeaks peaks(device_);
    note_bytes(column::kBeforeForwardBytes);
    {
      const at::Tensor output = forward();
      peaks.on_phase_end(Phase::kForward);
      note_peak(metric::kForwardPeak, peaks, Phase::kForward);
      note_bytes(column::kBeforeBackwardBytes);
      const std::int64_t backward_ns =
          synced_pass_ns(device_, [&] { backward(output, /*retain_graph=*/false); });
      if (first_forward_ns_) row_.first_pass_ns = *first_forward_ns_ + backward_ns;
      peaks.on_phase_end(Phase::kBackward);
      note_peak(metric::kBackwardPeak, peaks, Phase::kBackward);
    }
    const auto highest = peaks.highest(&AllocatorCounts::peak_allocated_bytes);
    if (highest) row_.bytes[column::kPeakBytes] = *highest;
    synchronize(device_);
    inputs_.clear_gradients();
  }

  void note_bytes(std::string_view name) {
    if (const auto counts = memory_counts(device_)) row_.bytes[name] = counts->allocated_bytes;
  }

  void note_peak(std::string_view name, const PhasePeaks& peaks, Phase phase) {
    if (const auto bytes = peaks.peak_of(phase)) row_.bytes[name] = *bytes;
  }

  void measure_leaderboard() {
    const BenchTime bench_time = device_.is_cpu() ? BenchTime{} : kLeaderboardTime;
    count_memory();
    row_.times_ns[metric::kEndToEnd] =
        do_bench_ns(device_, bench_time,
                    {[this] { inputs_.clear_gradients(); },
                     [this] {
                       const at::Tensor loss = at::sum(forward());
                       begin_phase(Phase::kBackward);
                       attention_.backward(loss, {}, /*retain_graph=*/false);
                     }});
  }

  const CellSpec& spec_;
  const AttentionSweep& sweep_;
  const AttentionImplementation& attention_;
  c10::Device device_;
  LengthRow& row_;
  AttentionInputs inputs_;
  std::optional<std::int64_t> first_forward_ns_ = {};  ///< Only of the user's implementation.
};

/// `outcome` is kRan if the lengths may be timed, else `reason` says why not.
struct Verdict {
  std::string outcome{metric::kRan};
  std::string reason = {};
  bool forward_only = false;  ///< The forward pass is correct and timed, whatever `outcome` says.
};

/// Names the gradient with the largest error. An error that is not finite counts as the largest.
std::string worst_gradient(const AttentionErrors& errors) {
  const std::pair<const char*, double> named_errors[]{{"the gradient of q", errors.grad_q},
                                                      {"the gradient of k", errors.grad_k},
                                                      {"the gradient of v", errors.grad_v}};
  const auto* worst = std::ranges::max_element(named_errors, {}, [](const auto& error) {
    return std::isfinite(error.second) ? error.second : std::numeric_limits<double>::infinity();
  });
  return worst->first;
}

/// Judges the output first, because a wrong output makes wrong gradients.
Verdict verdict_on(const AttentionErrors& errors, double tolerance) {
  const auto difference = [&](const std::string& tensor, double error) {
    return fmt::format("{} differs from FP64 by {:.2g} of the largest value, more than {}", tensor,
                       error, tolerance);
  };
  if (errors.output <= tolerance) {
    if (!errors.backward_failure.empty())
      return {std::string(metric::kFailed), errors.backward_failure, /*forward_only=*/true};
    if (errors.largest_gradient() <= tolerance) return {};
    return {std::string(metric::kInaccurate),
            difference(worst_gradient(errors), errors.largest_gradient()), /*forward_only=*/true};
  }
  if (errors.output_from_unmasked <= tolerance) {
    return {std::string(metric::kInaccurate),
            "it ignores its fourth argument, is_causal: its output is that of attention without a "
            "mask"};
  }
  return {std::string(metric::kInaccurate), difference("its output", errors.output)};
}

Verdict judge_accuracy(const CellSpec& spec, const AttentionErrors& errors, Launch& launch) {
  const double tolerance = attention_tolerance(spec);
  const std::vector<std::pair<std::string_view, double>> values{{metric::kOutput, errors.output},
                                                                {"grad_q", errors.grad_q},
                                                                {"grad_k", errors.grad_k},
                                                                {"grad_v", errors.grad_v},
                                                                {metric::kTolerance, tolerance}};
  for (const auto& [name, value] : values) {
    const bool is_missing = !errors.backward_failure.empty() && name.starts_with("grad");
    launch.metrics.push_back(
        std::isfinite(value) && !is_missing
            ? real_metric(metric::kAttentionError, name, "1", value)
            : absent_metric(metric::kAttentionError, name, "1",
                            is_missing ? errors.backward_failure : "not finite"));
  }
  Verdict verdict = verdict_on(errors, tolerance);
  if (verdict.outcome != metric::kRan) {
    const char* timed = verdict.forward_only ? "timed forward only" : "not timed";
    launch.warnings.push_back(fmt::format("{}: {}", timed, verdict.reason));
  }
  return verdict;
}

/// Compares with FP64. This also allocates cuBLAS's workspaces, so that no timed pass does.
Verdict check_accuracy(const CellSpec& spec, const AttentionImplementation& attention,
                       const BackendRestriction& restriction, Launch& launch) {
  const AttentionBackend backend = spec.attention->backend;
  const bool needs_gpu = backend == AttentionBackend::kFlash ||
                         backend == AttentionBackend::kEfficient ||
                         backend == AttentionBackend::kCudnn;
  if (spec.device == DeviceKind::kCpu && needs_gpu) {
    return {std::string(metric::kNotOffered), "measured on a GPU alone"};
  }
  const std::int64_t length = std::min(kMaxCheckedLength, spec.attention->lengths.back());
  try {
    const auto inputs = attention_inputs(spec, length, torch_device(spec.device));
    const AttentionErrors errors = attention_errors(attention, inputs, {.count = length});
    attention.test(inputs);
    if (is_users(spec) &&
        errors.pass_ns) {  // the process's first pass, in which most code compiles
      launch.metrics.push_back(
          integer_metric(metric::kCompile, std::to_string(length), "ns", *errors.pass_ns));
    }
    return judge_accuracy(spec, errors, launch);
  } catch (const UserCodeError&) {
    throw;  // the user's code failed, which does not mean that the backend is unsupported
  } catch (const std::exception& error) {
    if (is_users(spec) || as_out_of_memory(error)) throw;
    return {std::string(metric::kNotOffered), restriction.reason(error.what())};
  }
}

/// Compares a timed row with FP64 again, and drops the times of the passes that are wrong.
void check_again(const LengthMeasurement& measurement, bool forward_only, double tolerance,
                 LengthRow& row) {
  for (const AttentionErrors& errors : measurement.errors_on_new_inputs(!forward_only)) {
    const Verdict verdict = verdict_on(errors, tolerance);
    if (verdict.outcome == metric::kRan) continue;
    row.outcome = verdict.outcome;
    row.reason = "on later inputs " + verdict.reason;
    std::erase_if(row.times_ns, [&](const auto& times) {
      return !verdict.forward_only || times.first != metric::kForward;
    });
    return;
  }
}

LengthRow measure_length(const CellSpec& spec, const AttentionImplementation& attention,
                         std::int64_t length, const Verdict& verdict) {
  LengthRow row{.length = length, .outcome = verdict.outcome, .reason = verdict.reason};
  if (row.outcome != metric::kRan && !verdict.forward_only) return row;
  release_free_blocks(torch_device(spec.device));  // so that a length depends on no work before it
  try {
    LengthMeasurement measurement(spec, attention, row);
    verdict.forward_only ? measurement.measure_forward() : measurement.measure();
    if (is_users(spec))
      check_again(measurement, verdict.forward_only, attention_tolerance(spec), row);
  } catch (const std::exception& error) {
    const std::string message = error.what();
    row.outcome = metric::kFailed;
    row.reason = message.substr(0, message.find('\n'));
    const auto failure = as_out_of_memory(error);
    if (!failure) row.times_ns.clear();  // whatever failed may not have computed before, either
    if (failure) {
      row.outcome = metric::kOutOfMemory;
      row.phase = failure->phase;
      row.reason = describe(Outcome(*failure));
      for (const auto& [name, bytes] :
           {std::pair(column::kRequestedBytes, failure->requested_bytes),
            std::pair(column::kInUseBytes, failure->in_use_bytes),
            std::pair(column::kPeakBytes, failure->peak_bytes),
            std::pair(metric::kRefusedReserved, failure->reserved_bytes)}) {
        if (bytes) row.bytes[name] = *bytes;
      }
    }
  }
  return row;
}

/// Returns why lengths beyond this one are not tried; empty if they are.
std::string reason_to_stop(const LengthRow& row) {
  if (row.outcome == metric::kOutOfMemory) return fmt::format("{} ran out of memory", row.length);
  for (const auto& samples_ns : std::views::values(row.times_ns)) {
    const std::vector<double> times_ns(samples_ns.begin(), samples_ns.end());
    if (!times_ns.empty() && median(times_ns) > kLongestPassNs)
      return fmt::format("not run: a pass at {} takes longer than 5 s", row.length);
  }
  return "";
}

std::vector<LengthRow> measure_lengths(const CellSpec& spec,
                                       const AttentionImplementation& attention, Verdict verdict) {
  std::vector<LengthRow> rows;
  for (const std::int64_t length : spec.attention->lengths) {
    rows.push_back(measure_length(spec, attention, length, verdict));
    const std::string reason = reason_to_stop(rows.back());
    if (!reason.empty()) verdict = {std::string(metric::kNotTried), reason};
  }
  return rows;
}

/// Adds the time of the length's first pass, unless the process's first pass had this length.
void add_first_pass(const LengthRow& row, Launch& launch) {
  const std::string length = std::to_string(row.length);
  if (!row.first_pass_ns || launch.find(metric::kCompile, length) != nullptr) return;
  launch.metrics.push_back(integer_metric(metric::kCompile, length, "ns", *row.first_pass_ns));
}

/// Adds the time of every pass and the peaks that the table lacks. do_bench times thousands of
/// passes, for which the table has only statistics.
void add_metrics(const LengthRow& row, Launch& launch) {
  const std::string length = std::to_string(row.length);
  for (const auto& [pass, tag] : {std::pair(metric::kForward, metric::kForwardPasses),
                                  std::pair(metric::kBackward, metric::kBackwardPasses)}) {
    const auto samples = row.times_ns.find(pass);
    if (samples == row.times_ns.end()) continue;
    launch.metrics.push_back(sample_metric(tag, length, "ns", samples->second));
  }
  for (const auto tag : {metric::kForwardPeak, metric::kBackwardPeak, metric::kRefusedReserved}) {
    const auto bytes = row.bytes.find(tag);
    if (bytes == row.bytes.end()) continue;
    launch.metrics.push_back(integer_metric(tag, length, "B", bytes->second));
  }
}

}  // namespace

Launch measure_attention(const LaunchRequest& request) {
  const CellSpec& spec = request.spec;
  if (!spec.attention || spec.attention->lengths.empty()) {
    throw InputError("an attention cell needs a method and sequence lengths");
  }
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  if (spec.device == DeviceKind::kCpu) count_host_allocations();
  set_tf32(spec.precision.value_or(Precision::kFp32));
  const auto attention = make_attention(spec, torch_device(spec.device));
  const BackendRestriction restriction(spec.attention->backend);
  Launch launch;
  Table table = empty_table(metric::kAttention);
  Conditions conditions(spec.device);
  conditions.begin();
  const Verdict verdict = check_accuracy(spec, *attention, restriction, launch);
  for (const LengthRow& row : measure_lengths(spec, *attention, verdict)) {
    table.rows.push_back(scalars_of(row));
    add_first_pass(row, launch);
    if (spec.attention->method == AttentionMethod::kSynced) add_metrics(row, launch);
  }
  conditions.end();
  launch.tables.push_back(std::move(table));
  launch.conditions = conditions.metrics();
  return launch;
}

}  // namespace labreport
