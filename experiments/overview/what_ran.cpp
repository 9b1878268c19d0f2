#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "document/dataset.h"
#include "experiments/common/attention.h"
#include "experiments/overview/overview.h"
#include "results/metric_names.h"
#include "results/run.h"
#include "results/shipped.h"

namespace labreport::overview {
namespace {

constexpr std::pair<std::string_view, const char*> kStatusWords[]{
    {"ok", "ok"},           {"oom", "out of memory"},
    {"skipped", "skipped"}, {"timeout", "timed out"},
    {"crashed", "crashed"}, {"error", "failed"},
    {"", "not measured"}};

std::string_view status(const Cell& cell) {
  const Launch* launch = representative(cell);
  return launch == nullptr ? std::string_view() : status_name(launch->outcome);
}

std::string subject(const Cell& cell) {
  if (cell.spec.kind == CellKind::kCheckpointing) {
    const auto blocks = cell.spec.blocks_per_checkpoint;
    return blocks ? "checkpoints of " + format_plural(*blocks, "block")
                           : "no checkpoints";
  }
  if (is_shipped(cell.spec)) return cell.spec.implementation;
  if (cell.spec.ranks) {
    return fmt::format("{}, {} ranks over {}",
                       replaced(std::string(name(cell.spec.kind)), "_", "-"),
                       cell.spec.ranks->count, describe(cell.spec.ranks->collectives));
  }
  if (cell.spec.kind == CellKind::kTiming) return "time";
  return cell.spec.kind == CellKind::kKernels ? "profile" : std::string(name(cell.spec.kind));
}

/// Measurements of one network and context that are missing for one reason.
struct Missing {
  std::string subject, size, reason;
  std::optional<std::int64_t> context;
  std::vector<std::string> modes = {}, precisions = {};
  std::int64_t count = 0;

  bool same_row(const Missing& other) const {
    return std::tie(subject, size, reason, context) ==
           std::tie(other.subject, other.size, other.reason, other.context);
  }
};

/// Returns no value for empty words, because a column without values is not shown.
Value words_or_nothing(std::string words) {
  return words.empty() ? Value() : Value(std::move(words));
}

const std::vector<Column<Missing>> kMissing{
    {"subject", "Measurement", &Missing::subject},
    {"count", "Count", &Missing::count, "", {Notation::kCount}},
    {"size", "Size", [](const Missing& row) { return words_or_nothing(row.size); }},
    {"mode", "Mode", [](const Missing& row) { return words_or_nothing(join_words(row.modes)); }},
    {"precision", "Precision",
     [](const Missing& row) { return words_or_nothing(join_words(row.precisions)); }},
    {"context", "Context", &Missing::context, "", {Notation::kCount}},
    {"reason", "Reason", &Missing::reason}};

template <typename What>
void add(std::vector<std::string>& words, const std::optional<What>& what) {
  if (!what || std::ranges::find(words, describe(*what)) != words.end()) return;
  words.emplace_back(describe(*what));
}

/// Explains an out-of-memory error that asked for less than the unused memory: the allocator held
/// the rest in blocks that were too small. Empty if that was not recorded.
std::string unused_words(const Run& run, const Launch& launch) {
  const auto* oom = std::get_if<OutOfMemory>(&launch.outcome);
  const Metric* reserved = launch.find(metric::kMemory, metric::kPeakReserved);
  if (oom == nullptr || !oom->requested_bytes || !oom->in_use_bytes || !launch.device) return "";
  if (reserved == nullptr || !reserved->number()) return "";
  if (launch.find_condition(metric::kMemory, metric::kAllocatorLimit) != nullptr) return "";
  const Device& device = run.devices.at(static_cast<std::size_t>(*launch.device));
  const std::int64_t unused = device.memory_bytes - *oom->in_use_bytes;
  if (unused < *oom->requested_bytes) return "";
  const double spare = *reserved->number() - static_cast<double>(*oom->in_use_bytes);
  return "; of the other " + format_bytes(static_cast<double>(unused)) + " PyTorch held at most " +
         format_bytes(spare) + ", in blocks too small for the request";
}

std::vector<Missing> missing_rows(const Run& run) {
  std::vector<Missing> rows;
  for (const Cell& cell : run.cells) {
    const Launch* launch = representative(cell);
    if (launch == nullptr || reason_missing(cell).empty()) continue;
    // This table gives the reason in full; other tables give only its short form.
    const std::string reason = describe(launch->outcome) + unused_words(run, *launch);
    const Missing missing{subject(cell), cell.spec.size, reason, cell.spec.context};
    auto row = std::ranges::find_if(rows, [&](const Missing& r) { return r.same_row(missing); });
    if (row == rows.end()) row = rows.insert(rows.end(), missing);
    ++row->count;
    add(row->modes, cell.spec.mode);
    add(row->precisions, cell.spec.precision);
  }
  return rows;
}

/// Describes cells that were measured again, which their status does not show; empty if none was.
std::string measured_again(const Run& run) {
  const auto again = std::ranges::count_if(run.cells, [](const Cell& cell) {
    return std::ranges::any_of(cell.launches, ran_out_of_memory_beside_others);
  });
  if (again == 0) return "";
  return "; " + format_count(again) + " repeated because other processes held the memory";
}

/// Counts measurements whose attention was inaccurate; empty if there are none.
std::string inaccurate_within(const Run& run) {
  const auto wrong = std::ranges::count_if(run.cells, [](const Cell& cell) {
    if (!cell.spec.attention || status(cell) != "ok") return false;
    return std::ranges::any_of(attention_rows(cell), &AttentionRow::is_inaccurate);
  });
  if (wrong == 0) return "";
  return "; " + format_count(wrong) + " of them timed nothing, because attention differs from FP64";
}

using StatusCounts = std::map<std::string_view, std::int64_t>;

StatusCounts status_counts(const Run& run) {
  StatusCounts counts;
  for (const Cell& cell : run.cells) ++counts[status(cell)];
  return counts;
}

std::string counts_in_words(const StatusCounts& counts) {
  std::vector<std::string> all;
  for (const auto& [status, words] : kStatusWords) {
    const auto count = counts.find(status);
    if (count != counts.end()) all.push_back(format_count(count->second) + " " + words);
  }
  return join(all, ", ");
}

}  // namespace

TableView what_ran(const RunView& view) {
  const std::vector<Missing> missing = missing_rows(view.run());
  if (missing.empty()) return {};
  TableView table = table_of(make_dataset("what-ran", kMissing, missing));
  table.title = "What did not run";
  return table;
}

std::string outcome_within(const Run& run) {
  std::int64_t out = 0, longer = 0;
  for (const Cell& cell : run.cells) {
    if (!cell.spec.attention || status(cell) != "ok") continue;
    const std::vector<AttentionRow> rows = attention_rows(cell);
    out += std::ranges::count_if(rows, &AttentionRow::ran_out_of_memory);
    longer += std::ranges::count_if(rows, &AttentionRow::not_tried);
  }
  if (out == 0) return inaccurate_within(run);
  const std::string not_run = longer == 0
                                  ? ""
                                  : fmt::format(", and {} longer {} not run", format_count(longer),
                                                longer == 1 ? "one was" : "ones were");
  return "; in them " + format_plural(out, "configuration") + " of attention ran out of memory" +
         not_run + inaccurate_within(run);
}

std::string outcome_counts(const Run& run) { return counts_in_words(status_counts(run)); }

std::string outcome_line(const Run& run) {
  StatusCounts counts = status_counts(run);
  const std::int64_t ok = counts["ok"];
  const auto cells = static_cast<std::int64_t>(run.cells.size());
  const bool imported = run.source == "imported";
  if (ok == cells) {
    if (imported) return format_plural(cells, "cell");
    return (cells > 1 ? "All " : "") + format_plural(cells, "measurement") + " succeeded" +
           outcome_within(run) + measured_again(run);
  }
  counts.erase("ok");
  const std::string failed = " (" + counts_in_words(counts) + ")";
  if (imported) return format_plural(cells, "cell") + failed;
  return format_count(ok) + " of " + format_plural(cells, "measurement") + " succeeded" + failed +
         outcome_within(run) + measured_again(run);
}

}  // namespace labreport::overview
