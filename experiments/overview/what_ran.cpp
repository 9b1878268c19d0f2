#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "document/dataset.h"
#include "experiments/common/attention.h"
#include "experiments/common/less_work.h"
#include "experiments/overview/overview.h"
#include "results/metric_names.h"
#include "results/run.h"
#include "results/run_labels.h"
#include "results/shipped_variant.h"

namespace labreport::overview {
namespace {

constexpr std::pair<std::string_view, const char*> kStatusWords[]{
    {"ok", "ok"},           {"oom", "out of memory"},
    {"skipped", "skipped"}, {"timeout", "timed out"},
    {"crashed", "crashed"}, {"error", "failed"},
    {"", "not measured"}};

std::string_view status_of(const Cell& cell) {
  const Launch* launch = representative(cell);
  return launch == nullptr ? std::string_view() : status_name(launch->outcome);
}

std::string measurement_words(const Cell& cell) {
  if (cell.spec.kind == CellKind::kCheckpointing) {
    const auto blocks = cell.spec.blocks_per_checkpoint;
    return blocks ? "checkpoints of " + format_plural(*blocks, "block") : "no checkpoints";
  }
  if (is_shipped(cell.spec)) return cell.spec.implementation;
  if (cell.spec.ranks) {
    return fmt::format("{}, {} ranks over {}",
                       replaced(std::string(name(cell.spec.kind)), "_", "-"),
                       cell.spec.ranks->count, describe(cell.spec.ranks->collectives));
  }
  if (cell.spec.kind == CellKind::kTiming) return "time";
  if (cell.spec.kind == CellKind::kDtypes && cell.spec.precision) return "FLOPs";
  return cell.spec.kind == CellKind::kKernels ? "profile" : std::string(name(cell.spec.kind));
}

/// Measurements of one network and context that are missing for one reason.
struct MissingRow {
  std::string measurement, size, reason;
  std::optional<std::int64_t> context;
  std::vector<std::string> modes = {}, precisions = {};
  std::int64_t count = 0;

  bool same_row(const MissingRow& other) const {
    return std::tie(measurement, size, reason, context) ==
           std::tie(other.measurement, other.size, other.reason, other.context);
  }
};

/// Returns no value for empty words, because a column without values is not shown.
Value words_or_nothing(std::string words) {
  return words.empty() ? Value() : Value(std::move(words));
}

const std::vector<Column<MissingRow>> kMissing{
    {"subject", "Measurement", &MissingRow::measurement},
    {"count", "Count", &MissingRow::count, "", {Notation::kCount}},
    {"size", "Size", [](const MissingRow& row) { return words_or_nothing(row.size); }},
    {"mode", "Mode", [](const MissingRow& row) { return words_or_nothing(join_words(row.modes)); }},
    {"precision", "Precision",
     [](const MissingRow& row) { return words_or_nothing(join_words(row.precisions)); }},
    {"context", "Context", &MissingRow::context, "", {Notation::kCount}},
    {"reason", "Reason", &MissingRow::reason}};

template <typename Enum>
void add_distinct(std::vector<std::string>& words, const std::optional<Enum>& value) {
  if (!value || std::ranges::find(words, describe(*value)) != words.end()) return;
  words.emplace_back(describe(*value));
}

/// Explains an out-of-memory error whose request was smaller than the unused memory: PyTorch held
/// that memory in blocks that were too small. Empty for all other outcomes.
std::string fragmentation_words(const Run& run, const Launch& launch) {
  const auto* oom = std::get_if<OutOfMemory>(&launch.outcome);
  const Metric* reserved = launch.find(metric::kMemory, metric::kPeakReserved);
  if (oom == nullptr || !oom->requested_bytes || !oom->in_use_bytes || !launch.device) return "";
  if (reserved == nullptr || !reserved->number()) return "";
  if (launch.find_condition(metric::kMemory, metric::kAllocatorLimit) != nullptr) return "";
  const Device& device = run.devices.at(static_cast<std::size_t>(*launch.device));
  const std::int64_t unused_bytes = device.memory_bytes - *oom->in_use_bytes;
  if (unused_bytes < *oom->requested_bytes) return "";
  const double held_bytes = *reserved->number() - static_cast<double>(*oom->in_use_bytes);
  return "; of the other " + format_bytes(static_cast<double>(unused_bytes)) +
         " PyTorch held at most " + format_bytes(held_bytes) +
         ", in blocks too small for the request";
}

std::vector<MissingRow> missing_rows(const Run& run) {
  std::vector<MissingRow> rows;
  for (const Cell& cell : run.cells) {
    const Launch* launch = representative(cell);
    if (launch == nullptr || reason_missing(cell).empty()) continue;
    // This table gives the reason in full; other tables give only its short form.
    const std::string reason = describe(launch->outcome) + fragmentation_words(run, *launch);
    const MissingRow missing{measurement_words(cell), cell.spec.size, reason, cell.spec.context};
    auto row = std::ranges::find_if(
        rows, [&](const MissingRow& other) { return other.same_row(missing); });
    if (row == rows.end()) row = rows.insert(rows.end(), missing);
    ++row->count;
    add_distinct(row->modes, cell.spec.mode);
    add_distinct(row->precisions, cell.spec.precision);
  }
  return rows;
}

/// All measurements of one network and context that are missing for reasons of the same words.
struct MissingNetwork {
  std::string size, reason;
  std::optional<std::int64_t> context;
  std::vector<std::string> measurements = {}, precisions = {};
  std::int64_t count = 0;

  /// Names up to three kinds of measurements.
  std::string measurement_words() const {
    constexpr std::size_t kMostNames = 3;
    return measurements.size() <= kMostNames ? join_words(measurements) : "several kinds";
  }
};

const std::vector<Column<MissingNetwork>> kMissingNetworks{
    {"measurements", "Measurement", &MissingNetwork::measurement_words},
    {"count", "Count", &MissingNetwork::count, "", kAsCount},
    {"size", "Size", [](const MissingNetwork& row) { return words_or_nothing(row.size); }},
    {"context", "Context", &MissingNetwork::context, "", {Notation::kRowNumber}},
    {"precision", "Precision",
     [](const MissingNetwork& row) { return words_or_nothing(join_words(row.precisions)); }},
    {"reason", "Reason", &MissingNetwork::reason}};

/// Counts the cells that were measured again; empty if none was.
std::string repetition_words(const Run& run) {
  const auto repeated = std::ranges::count_if(run.cells, [](const Cell& cell) {
    return std::ranges::any_of(cell.launches, ran_out_of_memory_beside_others);
  });
  if (repeated == 0) return "";
  return "; " + format_count(repeated) + " repeated because other processes held the memory";
}

/// Counts measurements in which a pass of attention failed or was inaccurate; empty if there are
/// none.
std::string incomplete_words(const Run& run) {
  const auto incomplete = std::ranges::count_if(run.cells, [](const Cell& cell) {
    if (!cell.spec.attention || status_of(cell) != "ok") return false;
    return std::ranges::any_of(attention_rows(cell), &AttentionRow::is_incomplete);
  });
  if (incomplete == 0) return "";
  return "; " + format_count(incomplete) +
         " of them without all times, because attention failed or differs from FP64";
}

std::string less_work_words(const Run& run) {
  const std::string less = less_work(run);
  return less.empty() ? "" : "; " + less;
}

using StatusCounts = std::map<std::string_view, std::int64_t>;

StatusCounts status_counts(const Run& run) {
  StatusCounts counts;
  for (const Cell& cell : run.cells) ++counts[status_of(cell)];
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

TableView missing_measurements(const RunView& view) {
  const std::vector<MissingRow> missing = missing_rows(view.run());
  if (missing.empty()) return {};
  TableView table = table_of(make_dataset("what-ran", kMissing, missing));
  table.title = "What did not run, with the reasons in full";
  table.always_on_paper = true;
  return table;
}

TableView missing_networks(const RunView& view) {
  std::vector<MissingNetwork> rows;
  for (const Cell& cell : view.run().cells) {
    if (representative(cell) == nullptr || reason_missing(cell).empty()) continue;
    const MissingNetwork missing{cell.spec.size, reason_missing(cell), cell.spec.context};
    auto row = std::ranges::find_if(rows, [&](const MissingNetwork& other) {
      return std::tie(other.size, other.reason, other.context) ==
             std::tie(missing.size, missing.reason, missing.context);
    });
    if (row == rows.end()) row = rows.insert(rows.end(), missing);
    ++row->count;
    const std::string words = measurement_words(cell);
    if (std::ranges::find(row->measurements, words) == row->measurements.end())
      row->measurements.push_back(words);
    add_distinct(row->precisions, cell.spec.precision);
  }
  if (rows.empty()) return {};
  TableView table = table_of(make_dataset("missing-networks", kMissingNetworks, rows));
  table.title = "What did not run";
  return table;
}

std::string attention_outcomes(const Run& run) {
  std::int64_t ran_out = 0, not_tried = 0;
  for (const Cell& cell : run.cells) {
    if (!cell.spec.attention || status_of(cell) != "ok") continue;
    const std::vector<AttentionRow> rows = attention_rows(cell);
    ran_out += std::ranges::count_if(rows, &AttentionRow::ran_out_of_memory);
    not_tried += std::ranges::count_if(rows, &AttentionRow::not_tried);
  }
  if (ran_out == 0) return incomplete_words(run);
  const std::string not_tried_words =
      not_tried == 0 ? ""
                     : fmt::format(", and {} longer {} not run", format_count(not_tried),
                                   not_tried == 1 ? "one was" : "ones were");
  return "; in them " + format_plural(ran_out, "configuration") +
         " of attention ran out of memory" + not_tried_words + incomplete_words(run);
}

std::string outcome_counts(const Run& run) { return counts_in_words(status_counts(run)); }

std::string outcome_line(const Run& run) {
  StatusCounts counts = status_counts(run);
  const std::int64_t ok_count = counts["ok"];
  const auto cell_count = static_cast<std::int64_t>(run.cells.size());
  const bool imported = run.source == kSourceImported;
  if (ok_count == cell_count) {
    if (imported) return format_plural(cell_count, "cell");
    return (cell_count > 1 ? "All " : "") + format_plural(cell_count, "measurement") +
           " succeeded" + attention_outcomes(run) + repetition_words(run) + less_work_words(run);
  }
  counts.erase("ok");
  const std::string failures = " (" + counts_in_words(counts) + ")";
  if (imported) return format_plural(cell_count, "cell") + failures;
  return format_count(ok_count) + " of " + format_plural(cell_count, "measurement") + " succeeded" +
         failures + attention_outcomes(run) + repetition_words(run) + less_work_words(run);
}

std::string own_step_words(const Run& run) {
  const ModelSource* source = measured_model(run);
  if (source == nullptr || !source->step) return "";
  const StepMaker& step = *source->step;
  if (source->part) return "";
  std::string words =
      " A step of your own has no forward pass alone, so its rows are training steps.";
  if (step.returns_no_loss)
    words += " It returns no loss, so a loss that is NaN or stays the same is not seen.";
  const char* single = step.takes_size      ? "context"
                       : step.takes_context ? "size"
                                            : "size and context";
  if (!step.takes_size || !step.takes_context)
    words += fmt::format(" They have one {}, because its maker takes none.", single);
  if (step.precision)
    words += fmt::format(
        " They are called {} after its matrix products, because its maker takes no precision.",
        describe(*step.precision));
  return words;
}

}  // namespace labreport::overview
