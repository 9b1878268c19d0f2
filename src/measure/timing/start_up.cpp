#include "measure/timing/start_up.h"

#include "engine/host_clock.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

struct Noted {
  std::optional<std::int64_t> age_at_main_ns;
  std::int64_t main_ns = 0;
  std::optional<std::int64_t> context_ns;
};

Noted noted;

Metric known_or(std::string_view name, std::optional<std::int64_t> value, const char* reason) {
  return integer_metric(metric::kStartUp, name, "ns", value, reason);
}

std::optional<std::int64_t> since_exec(std::optional<std::int64_t> instant) {
  if (!noted.age_at_main_ns || !instant) return std::nullopt;
  return *noted.age_at_main_ns + *instant - noted.main_ns;
}

}  // namespace

void note_main_reached() {
  noted.age_at_main_ns = process_age_ns();
  noted.main_ns = host_now_ns();
}

void note_device_started(std::int64_t took_ns) { noted.context_ns = took_ns; }

void FirstKernel::closed() {
  if (!instant_) instant_ = host_now_ns();
}

std::vector<Metric> start_up_metrics(std::int64_t model_ns, std::optional<std::int64_t> compile_ns,
                                     const FirstKernel& first) {
  constexpr const char* kUntold = "the kernel does not tell when the process started";
  std::vector<Metric> metrics{
      known_or(metric::kLibraries, noted.age_at_main_ns, kUntold),
      known_or(metric::kDeviceContext, noted.context_ns, "no device was started"),
      known_or(metric::kModelBuild, model_ns, ""),
      known_or(metric::kFirstKernel, since_exec(first.instant()), kUntold),
  };
  if (compile_ns) metrics.push_back(known_or(metric::kCompile, compile_ns, ""));
  return metrics;
}

}  // namespace labreport
