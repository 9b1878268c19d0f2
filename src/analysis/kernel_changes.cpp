#include "analysis/kernel_changes.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "analysis/profiled_step.h"
#include "base/text.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr double kNoticedShare = 0.05;
constexpr std::size_t kMostWords = 4;

/// "128x64": from there on a name tells of sizes.
bool is_tile(const std::string& word) {
  const std::size_t times = word.find('x');
  const auto digit = [&](std::size_t i) {
    return i < word.size() && std::isdigit(static_cast<unsigned char>(word[i])) != 0;
  };
  return word.starts_with("tilesize") ||
         (times != std::string::npos && times > 0 && digit(times - 1) && digit(times + 1));
}

struct Longest {
  std::string name;
  double share = 0;        ///< Of that kernel.
  double class_share = 0;  ///< Of its whole class.
};
using ByClass = std::map<std::string, Longest>;

std::map<double, std::string> kernel_names(const Launch& launch) {
  std::map<double, std::string> names;
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernelNames)) {
    if (const auto id = row.number(column::kId)) names[*id] = row.text(column::kName);
  }
  return names;
}

ByClass longest_kernels(const Launch& launch) {
  std::map<std::string, std::map<double, double>> times;
  double whole = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const double time = row.number(column::kTotalNs).value_or(0);
    times[row.text(column::kClass)][row.number(column::kKernel).value_or(-1)] += time;
    whole += time;
  }
  ByClass longest;
  if (whole <= 0) return longest;
  std::map<double, std::string> names = kernel_names(launch);
  for (const auto& [kernel_class, kernels] : times) {
    Longest& entry = longest[kernel_class];
    for (const auto& [id, time] : kernels) {
      entry.class_share += time / whole;
      if (time / whole > entry.share) entry = {names[id], time / whole, entry.class_share};
    }
  }
  return longest;
}

void add_changes(const Cell& cell, const Launch& a, const Launch& b,
                 std::vector<KernelChange>& changes) {
  const ByClass in_b = longest_kernels(b);
  for (const auto& [kernel_class, in_a] : longest_kernels(a)) {
    const auto other = in_b.find(kernel_class);
    if (other == in_b.end()) continue;
    if (std::max(in_a.class_share, other->second.class_share) < kNoticedShare) continue;
    if (kernel_family(in_a.name) == kernel_family(other->second.name)) continue;
    changes.push_back({cell.spec, cell.spec.size, kernel_class, in_a.name, other->second.name,
                       in_a.share, other->second.share});
  }
}

}  // namespace

std::string kernel_family(std::string_view name) {
  name = name.substr(0, name.find_first_of("<("));
  if (const auto space = name.rfind(' '); space != std::string_view::npos) {
    name.remove_prefix(space + 1);
  }
  if (const auto colon = name.rfind("::"); colon != std::string_view::npos) {
    return std::string(name.substr(colon + 2));
  }
  std::vector<std::string> kept;
  for (const std::string& word : split(name, '_')) {
    if (is_tile(word) || kept.size() == kMostWords) break;
    kept.push_back(word);
  }
  return join(kept, "_");
}

std::vector<KernelChange> kernel_changes(const Matching& matching) {
  std::vector<KernelChange> changes;
  for (const auto& [a, b] : matching.pairs) {
    const Launch* in_a = profiled_step(a);
    const Launch* in_b = profiled_step(b);
    if (in_a != nullptr && in_b != nullptr) add_changes(*a, *in_a, *in_b, changes);
  }
  return changes;
}

}  // namespace labreport
