#include "experiments/fsdp_accounting/gathers.h"

#include <algorithm>
#include <charconv>

#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::fsdp_accounting {
namespace {

constexpr std::string_view kBlockPrefix = "layers.";
constexpr double kNsPerMs = 1e6;
constexpr double kMaxWaitFraction = 0.05, kMaxWaitNs = 10'000;

void add(ModuleGathers& sum, const ModuleGathers& other) {
  sum.alone_ms += other.alone_ms;
  sum.wait_ms += other.wait_ms;
  sum.matrices += other.matrices;
  sum.matrices_in_time += other.matrices_in_time;
  sum.ffn_matrices += other.ffn_matrices;
  sum.ffn_matrices_in_time += other.ffn_matrices_in_time;
}

/// Reads the gather of one matrix; nothing if the row lacks a time.
std::optional<ModuleGathers> matrix_gather(const MeasuredRow& row) {
  const auto wait = row.number(column::kWaitNs), alone = row.number(column::kAloneNs);
  if (!wait || !alone) return std::nullopt;
  std::string module = row.text(column::kModule);  // "layers.3.attn.q_proj" becomes "layers.3".
  const std::int64_t in_time = is_in_time(*wait, *alone) ? 1 : 0;
  const std::int64_t ffn = module.find(".ffn.") == std::string::npos ? 0 : 1;
  if (module.starts_with(kBlockPrefix))
    module.erase(std::min(module.size(), module.find('.', kBlockPrefix.size())));
  return ModuleGathers{.module = module,
                       .pass = row.text(column::kPhase),
                       .alone_ms = *alone / kNsPerMs,
                       .wait_ms = *wait / kNsPerMs,
                       .matrices = 1,
                       .matrices_in_time = in_time,
                       .ffn_matrices = ffn,
                       .ffn_matrices_in_time = ffn * in_time};
}

}  // namespace

std::optional<std::int64_t> ModuleGathers::block_number() const {
  std::int64_t number = 0;
  const std::string_view digits =
      std::string_view(module).substr(is_block() ? kBlockPrefix.size() : 0);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!is_block() || error != std::errc()) return std::nullopt;
  return number;
}

bool is_in_time(double wait_ns, double alone_ns) {
  return wait_ns <= std::max(kMaxWaitNs, kMaxWaitFraction * alone_ns);
}

std::vector<ModuleGathers> module_gathers(const Launch& launch) {
  std::vector<ModuleGathers> modules;
  for (const MeasuredRow& row : measured_rows(launch, metric::kGathers)) {
    const auto gather = matrix_gather(row);
    if (!gather) continue;
    const auto known = std::ranges::find_if(modules, [&](const ModuleGathers& other) {
      return other.module == gather->module && other.pass == gather->pass;
    });
    known == modules.end() ? modules.push_back(*gather) : add(*known, *gather);
  }
  std::ranges::stable_sort(modules, {}, [](const ModuleGathers& gathers) {
    return gathers.pass == metric::kForward ? 0 : 1;
  });
  return modules;
}

std::optional<ModuleGathers> sum_of_blocks(const std::vector<ModuleGathers>& gathers,
                                           std::string_view pass) {
  std::optional<ModuleGathers> sum;
  for (const ModuleGathers& module : gathers) {
    if (!module.is_block() || module.pass != pass) continue;
    if (!sum) sum.emplace(ModuleGathers{.module = "blocks", .pass = std::string(pass)});
    add(*sum, module);
  }
  return sum;
}

}  // namespace labreport::fsdp_accounting
