#include "measure/limits/sustained_time.h"

#include <algorithm>

#include "engine/device.h"
#include "engine/host_clock.h"
#include "engine/phase_marks.h"

namespace labreport {
std::vector<double> sustained_ns(c10::Device device, const SustainedOptions& options,
                                 const std::function<void()>& operation) {
  const auto time_one_call = [&] {
    const std::int64_t start_ns = host_now_ns();
    operation();
    synchronize(device);
    return std::max<std::int64_t>(1, host_now_ns() - start_ns);
  };
  time_one_call();  // the first repetition also loads kernels and creates handles
  const std::int64_t call_ns = time_one_call();
  const std::int64_t repetitions =
      std::max<std::int64_t>(1, options.total_ns / options.samples / call_ns);
  const auto marks =
      make_phase_marks(PhaseClock::kEvents, device, static_cast<std::size_t>(options.samples));
  marks->mark_start();
  for (std::int64_t sample = 0; sample < options.samples; ++sample) {
    for (std::int64_t i = 0; i < repetitions; ++i) operation();
    marks->mark_phase_end();
  }
  synchronize(device);
  std::vector<double> durations;
  for (const std::int64_t ns : marks->durations_ns()) {
    durations.push_back(static_cast<double>(ns) / static_cast<double>(repetitions));
  }
  return durations;
}

}  // namespace labreport
