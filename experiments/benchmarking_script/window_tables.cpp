#include <algorithm>
#include <array>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "experiments/benchmarking_script/plan.h"
#include "experiments/benchmarking_script/windows.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr std::size_t kShownSteps = 6;
constexpr std::size_t kWindowLabels = 2;  // Size and mode.

CellView summary_cell(const Summary& summary) {
  return deviating_cell(summary.mean, summary.stddev);
}

std::set<std::size_t> all_warmups(const std::vector<WarmupRow>& rows) {
  std::set<std::size_t> warmups;
  for (const WarmupRow& row : rows) {
    for (const Window& window : row.windows) warmups.insert(window.warmup);
  }
  return warmups;
}

const Window* find_window(const WarmupRow& row, std::size_t warmup) {
  const auto found = std::find_if(row.windows.begin(), row.windows.end(),
                                  [&](const Window& window) { return window.warmup == warmup; });
  return found == row.windows.end() ? nullptr : &*found;
}

RowView labelled(const WarmupRow& row) {
  return {{text_cell(row.label), text_cell(std::string(describe(row.mode)))}, {}, ""};
}

/// "812 (790 – 834)" where there are several processes.
CellView first_cell(const std::vector<double>& firsts) {
  if (firsts.empty()) return missing_cell();
  const double middle = median(firsts);
  std::string text = format_significant(middle);
  if (firsts.size() > 1) {
    const auto [low, high] = std::minmax_element(firsts.begin(), firsts.end());
    text += " (" + format_significant(*low) + " to " + format_significant(*high) + ")";
  }
  return number_cell(text, middle);
}

std::string processes_title(const std::vector<WarmupRow>& rows) {
  std::size_t most = 1;
  for (const WarmupRow& row : rows) most = std::max(most, row.first_steps.size());
  return most == 1 ? "Step 1"
                   : "Step 1, median (range) of " +
                         format_plural(static_cast<std::int64_t>(most), "process", "processes");
}

CellView start_up_cell(const Launch& launch, std::string_view name) {
  const auto values = milliseconds(launch, metric::kStartUp, name);
  return values.empty() ? missing_cell() : number_cell(format_fixed(values[0], 0), values[0]);
}

}  // namespace

TableView windows_table(const Edition& edition, const std::vector<TimingGroup>& groups,
                        const std::vector<WarmupRow>& rows) {
  TableView table{"windows",
                  "Whole steps by number of warm-up steps, mean ± standard deviation",
                  {{"Size", "", Align::kLeft}, {"Mode", "", Align::kLeft}},
                  {}};
  const std::set<std::size_t> warmups = all_warmups(rows);
  for (const std::size_t warmup : warmups) {
    const auto count = static_cast<std::int64_t>(warmup);
    table.columns.push_back({format_plural(count, "warm-up step"), "ms", Align::kRight});
  }
  if (warmups.empty()) table.columns.push_back({"Whole step", "ms", Align::kRight});
  for (const WarmupRow& row : rows) {
    RowView view = labelled(row);
    for (const std::size_t warmup : warmups) {
      const Window* window = find_window(row, warmup);
      view.cells.push_back(window == nullptr ? missing_cell() : summary_cell(window->summary));
    }
    table.rows.push_back(std::move(view));
  }
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) {
      const std::string reason = reason_missing(group, mode);
      if (reason.empty() || !is_warmup_mode(edition, mode)) continue;
      table.rows.push_back(
          {{text_cell(group.label), text_cell(std::string(describe(mode)))}, {}, reason});
    }
  }
  return table;
}

TableView first_step_table(const std::vector<WarmupRow>& rows) {
  TableView table{"first-steps",
                  "The first steps of a process, one by one",
                  {{"Size", "", Align::kLeft},
                   {"Mode", "", Align::kLeft},
                   {processes_title(rows), "ms", Align::kRight}},
                  {}};
  std::size_t shown = 1;
  for (const WarmupRow& row : rows)
    shown = std::max(shown, std::min(kShownSteps, row.steps.size()));
  for (std::size_t step = 2; step <= shown; ++step) {
    table.columns.push_back({"Step " + std::to_string(step), "ms", Align::kRight});
  }
  for (const WarmupRow& row : rows) {
    RowView view = labelled(row);
    view.cells.push_back(first_cell(row.first_steps));
    for (std::size_t step = 1; step < shown; ++step) {
      view.cells.push_back(step < row.steps.size() ? ms_cell(row.steps[step]) : missing_cell());
    }
    table.rows.push_back(std::move(view));
  }
  return table;
}

TableView steps_table(const std::vector<WarmupRow>& rows, Mode mode) {
  const std::string mode_name(describe(mode));
  TableView table{"steps-data-" + slug(mode_name),
                  "Time of each " + step_words(mode),
                  {{"Step", "", Align::kRight}},
                  {}};
  std::size_t longest = 0;
  std::vector<const WarmupRow*> shown;
  for (const WarmupRow& row : rows) {
    if (row.mode != mode) continue;
    shown.push_back(&row);
    longest = std::max(longest, row.steps.size());
    table.columns.push_back({row.label, "ms", Align::kRight});
  }
  for (std::size_t step = 0; step < longest; ++step) {
    RowView view{{number_cell(std::to_string(step + 1), static_cast<double>(step + 1))}, {}, ""};
    for (const WarmupRow* row : shown) {
      view.cells.push_back(step < row->steps.size() ? ms_cell(row->steps[step]) : missing_cell());
    }
    table.rows.push_back(std::move(view));
  }
  return table;
}

TableView apart_table(const std::vector<TimingGroup>& groups, const std::vector<WarmupRow>& rows) {
  TableView table{"apart",
                  "Windows of one process against processes of their own",
                  {{"Size", "", Align::kLeft},
                   {"Mode", "", Align::kLeft},
                   {"Warm-up steps", "", Align::kRight},
                   {"Window", "ms", Align::kRight},
                   {"Own process", "ms", Align::kRight},
                   {"Difference", "%", Align::kRight}},
                  {}};
  for (const TimingGroup& group : groups) {
    for (const Cell* cell : group.others) {
      const Launch* launch = representative(*cell);
      const auto warmup = static_cast<std::size_t>(cell->spec.warmup.value_or(0));
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const WarmupRow& candidate) {
        return candidate.label == group.label && candidate.mode == cell->spec.mode;
      });
      if (row == rows.end() || launch == nullptr || !is_ok(launch->outcome)) continue;
      const Window* inside = find_window(*row, warmup);
      const auto counted = Timed{&cell->spec, launch}.counted(metric::kStep, metric::kTotal);
      if (inside == nullptr || counted.empty()) continue;
      const Summary own = summarize(counted);
      const double difference = own.mean / inside->summary.mean - 1;
      RowView view = labelled(*row);
      view.cells.push_back(number_cell(std::to_string(warmup), static_cast<double>(warmup)));
      view.cells.push_back(summary_cell(inside->summary));
      view.cells.push_back(summary_cell(own));
      view.cells.push_back(share_cell(difference));
      table.rows.push_back(std::move(view));
    }
  }
  return table;
}

TableView start_up_table(const std::vector<TimingGroup>& groups) {
  TableView table{"start-up",
                  "Before step 1: not part of any step's time",
                  {{"Size", "", Align::kLeft},
                   {"Mode", "", Align::kLeft},
                   {"Loading libraries", "ms", Align::kRight},
                   {"Device context", "ms", Align::kRight},
                   {"Building the model", "ms", Align::kRight},
                   {"Start to first kernel", "ms", Align::kRight}},
                  {}};
  const bool processor = !groups.empty() && groups.front().spec.device == DeviceKind::kCpu;
  if (processor) table.columns.back().title = "Start to first operator";
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) {
      const auto found = timed(group, mode);
      if (!found) continue;
      RowView row{{text_cell(group.label), text_cell(std::string(describe(mode)))}, {}, ""};
      for (const auto name : {metric::kLibraries, metric::kDeviceContext, metric::kModelBuild,
                              metric::kFirstKernel}) {
        row.cells.push_back(start_up_cell(*found->launch, name));
      }
      table.rows.push_back(std::move(row));
    }
  }
  drop_empty_columns(table, kWindowLabels);
  return table;
}

}  // namespace labreport::benchmarking_script
