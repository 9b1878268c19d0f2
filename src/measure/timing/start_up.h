// What passes between the start of a process and its first step.
#pragma once

#include <optional>
#include <vector>

#include "engine/range.h"
#include "results/metric.h"

namespace labreport {

/// Note that `main` was reached; call it first thing there.
void note_main_reached();

/// Note that the device's context is there.
void note_device_started(std::int64_t took_ns);

/// Notes when the first range closes: the network's first operation has been enqueued.
class FirstKernel : public RangeObserver {
 public:
  void opened(std::string_view) override {}
  void closed() override;

  /// `host_now_ns()` of that moment.
  std::optional<std::int64_t> instant() const { return instant_; }

 private:
  std::optional<std::int64_t> instant_;
};

/// The metrics tagged "start-up"; those that this process cannot know are absent with a reason.
/// Compiling is one where there was any.
std::vector<Metric> start_up_metrics(std::int64_t model_ns, std::optional<std::int64_t> compile_ns,
                                     const FirstKernel& first);

}  // namespace labreport
