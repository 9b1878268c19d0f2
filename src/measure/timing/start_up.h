// Times between the start of the process and its first step.
#pragma once

#include <optional>
#include <vector>

#include "engine/range.h"
#include "results/metric.h"

namespace labreport {

/// Records that `main` was reached; it must be the first call there.
void note_main_reached();

/// Records that the device's context exists.
void note_device_started(std::int64_t took_ns);

/// Records when the first range closes: the network's first operation is then enqueued.
class FirstKernel : public RangeObserver {
 public:
  void opened(std::string_view) override {}
  void closed() override;

  /// `host_now_ns()` at that moment.
  std::optional<std::int64_t> instant() const { return instant_; }

 private:
  std::optional<std::int64_t> instant_;
};

/// Returns the metrics tagged "start-up". Times that this process cannot know are absent with a
/// reason; compiling is included if it happened.
std::vector<Metric> start_up_metrics(std::int64_t model_ns, std::optional<std::int64_t> compile_ns,
                                     const FirstKernel& first);

}  // namespace labreport
