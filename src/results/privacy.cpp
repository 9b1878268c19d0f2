#include "results/privacy.h"

#include <utility>

namespace labreport {
namespace {

void leave_out(std::string& text, const PrivateNames& names) {
  text = without_names(std::move(text), names);
}

struct OutcomeWords {
  const PrivateNames& names;
  void operator()(Crashed& crash) const { leave_out(crash.message, names); }
  void operator()(Failed& failure) const { leave_out(failure.message, names); }
  void operator()(const auto&) const {}  // the rest are numbers and words of this program's own
};

}  // namespace

void leave_out_names(Session& session, const PrivateNames& names) {
  for (std::string& argument : session.argv) leave_out(argument, names);
  for (auto& [variable, value] : session.environment) leave_out(value, names);
}

void leave_out_names(Launch& launch, const PrivateNames& names) {
  std::visit(OutcomeWords{names}, launch.outcome);
  for (std::string& warning : launch.warnings) leave_out(warning, names);
  for (Metric& metric : launch.metrics) leave_out(metric.reason, names);
  for (Metric& metric : launch.conditions) leave_out(metric.reason, names);
}

}  // namespace labreport
