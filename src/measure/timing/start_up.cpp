#include "measure/timing/start_up.h"

#include "engine/host_clock.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

struct StartUp {
  std::optional<std::int64_t> age_at_main_ns;
  std::int64_t main_ns = 0;
  std::optional<std::int64_t> context_ns;
};

StartUp start_up;

Metric ns_or_reason(std::string_view name, std::optional<std::int64_t> value, const char* reason) {
  return integer_metric(metric::kStartUp, name, "ns", value, reason);
}

}  // namespace

void note_main_reached() {
  start_up.age_at_main_ns = process_age_ns();
  start_up.main_ns = host_now_ns();
}

void note_device_started(std::int64_t took_ns) { start_up.context_ns = took_ns; }

void FirstKernelObserver::on_close() {
  if (!enqueued_at_ns_) enqueued_at_ns_ = host_now_ns();
}

std::vector<Metric> start_up_metrics(std::int64_t model_ns, std::optional<std::int64_t> compile_ns,
                                     const FirstKernelObserver& first) {
  std::optional<std::int64_t> first_kernel_ns;  // since the process was started
  if (start_up.age_at_main_ns && first.enqueued_at_ns()) {
    first_kernel_ns = *start_up.age_at_main_ns + *first.enqueued_at_ns() - start_up.main_ns;
  }
  constexpr const char* kUnknown = "the kernel does not tell when the process started";
  std::vector<Metric> metrics{
      ns_or_reason(metric::kLibraries, start_up.age_at_main_ns, kUnknown),
      ns_or_reason(metric::kDeviceContext, start_up.context_ns, "no device was started"),
      ns_or_reason(metric::kModelBuild, model_ns, ""),
      ns_or_reason(metric::kFirstKernel, first_kernel_ns, kUnknown),
  };
  if (compile_ns) metrics.push_back(ns_or_reason(metric::kCompile, compile_ns, ""));
  return metrics;
}

}  // namespace labreport
