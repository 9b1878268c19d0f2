#include "document/index/run_entry.h"

#include <algorithm>
#include <tuple>

namespace labreport {
namespace {

/// Of the runs that ship with the project the full ones are worth a reader's first look.
bool is_excerpt(const RunEntry& run) { return run.reference && run.preset != "full"; }

/// Smaller comes first; ISO times compare as texts.
bool before(const RunEntry& a, const RunEntry& b) {
  const auto kind = [](const RunEntry& run) {
    return std::tuple(run.demonstration, run.reference, is_excerpt(run));
  };
  if (kind(a) != kind(b)) return kind(a) < kind(b);
  return std::tie(b.started_at, a.folder) < std::tie(a.started_at, b.folder);
}

}  // namespace

RunEntry run_entry(const Document& document, const std::string& folder,
                   const std::string& started_at) {
  return {.folder = folder,
          .device = document.device,
          .edition = document.edition,
          .preset = document.preset,
          .started_at = started_at.empty() ? document.date : started_at,
          .revision = document.revision,
          .outcome = document.outcome_line,
          .demonstration = document.demonstration,
          .reference = document.reference,
          .incomplete = document.incomplete,
          .headline = document.headline};
}

void sort_entries(std::vector<RunEntry>& entries) {
  std::ranges::sort(entries, [](const auto& a, const auto& b) { return before(a, b); });
}

}  // namespace labreport
