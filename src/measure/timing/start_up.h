// Times between the start of the process and its first step.
#pragma once

#include <optional>
#include <vector>

#include "engine/range.h"
#include "results/metric.h"

namespace labreport {

/// Records the time at which `main` was reached. Call this first in `main`.
void note_main_reached();

/// Records how long the creation of the device's context took.
void note_device_started(std::int64_t took_ns);

/// Records when the first range closes: the network's first operation has then been enqueued.
class FirstKernelObserver : public RangeObserver {
 public:
  void on_open(std::string_view) override {}
  void on_close() override;

  /// Returns host_now_ns() at the end of the first range; empty if no range has closed.
  std::optional<std::int64_t> enqueued_at_ns() const { return enqueued_at_ns_; }

 private:
  std::optional<std::int64_t> enqueued_at_ns_;
};

/// Returns the metrics tagged "start-up". `model_ns` is the time of building the network. Times
/// that this process cannot know are absent with a reason. An empty `compile_ns` gives no metric.
std::vector<Metric> start_up_metrics(std::int64_t model_ns, std::optional<std::int64_t> compile_ns,
                                     const FirstKernelObserver& first);

}  // namespace labreport
