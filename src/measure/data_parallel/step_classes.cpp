#include "measure/data_parallel/step_classes.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "measure/data_parallel/overlap.h"
#include "measure/kernels/attribution.h"
#include "measure/kernels/kernel_class.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

bool is_attention(const Attribution& kernel) {
  const auto names_attention = [](const std::string& text) {
    return text.find("attention") != text.npos;
  };
  return names_attention(kernel.inner_op) || names_attention(kernel.outer_op);
}

std::string_view class_of(const Attribution& kernel) {
  const std::string_view kind = kernel_class(kernel, true);
  if (!collective_of(kernel.activity->name).empty()) return metric::kCommunication;
  if (kind == "gemm") return metric::kGemms;
  if (is_attention(kernel)) return metric::kAttention;
  if (kind == "fused") return metric::kFused;
  const bool is_adamw = kernel.inner_op.find("adamw") != kernel.inner_op.npos;
  if (kernel.phase == metric::kOptimizer || is_adamw) return metric::kOptimizer;
  return kind == "copy" || kind == "memset" ? metric::kCopies : metric::kOther;
}

}  // namespace

Table step_classes(RankGroup& group, const Trace& trace, std::string_view range) {
  constexpr std::array kClasses{metric::kGemms,        metric::kAttention, metric::kFused,
                                metric::kOther,        metric::kCopies,    metric::kOptimizer,
                                metric::kCommunication};
  std::vector<std::int64_t> counts_and_ns(2 * kClasses.size());
  const auto step = std::ranges::find(trace, range, &TraceEvent::name);
  const std::int64_t begin_ns = step == trace.end() ? 0 : step->start_ns;
  for (const Attribution& kernel : attribute(trace)) {
    if (!on_device(*kernel.activity) || kernel.activity->start_ns < begin_ns) continue;
    const std::size_t i = 2 * static_cast<std::size_t>(
                                  std::ranges::find(kClasses, class_of(kernel)) - kClasses.begin());
    ++counts_and_ns[i];
    counts_and_ns[i + 1] += kernel.activity->duration_ns;
  }
  Table table = empty_table(metric::kStepClasses);
  const auto by_rank = group.all_gather(counts_and_ns);
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
      if (by_rank[rank][2 * i] == 0) continue;
      table.rows.push_back({static_cast<std::int64_t>(rank), std::string(kClasses[i]),
                            by_rank[rank][2 * i], by_rank[rank][2 * i + 1]});
    }
  }
  return table;
}

}  // namespace labreport
