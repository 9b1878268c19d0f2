#include "experiments/memory_profiling/peak_tables.h"

#include <array>
#include <ranges>

#include "experiments/common/timing.h"
#include "experiments/memory_profiling/timeline.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

using Bytes = std::optional<double>;

constexpr std::size_t kLabels = 2;  // Context and step.
constexpr const char* kUnreserved = "Requested and allocated at most; allocated before the step";

/// The unit of all peaks: one for all tables, so that they compare.
ByteUnit unit_of(const Profiles& rows) {
  double most = 0;
  for (const Profile* profile : rows) {
    for (const Mode mode : kModes) most = std::max(most, profile->peak(mode).value_or(0));
  }
  return byte_unit(most);
}

/// The phase whose own peak is the largest; empty where none was measured.
std::string peak_phase(const Step& step) {
  std::string found;
  double most = 0;
  for (const auto phase :
       {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
    const double peak = step.bytes(metric::kPeak, phase).value_or(0);
    if (peak > most) most = peak, found = phase;
  }
  return found;
}

/// Every step that ran, under its profile and mode.
template <typename Add>
void each_step(const Profiles& rows, Add add) {
  for (const Profile* profile : rows) {
    for (const auto& [mode, step] : profile->steps) {
      if (step.missing().empty()) add(*profile, mode, step);
    }
  }
}

}  // namespace

TableView peaks_table(const Profiles& rows) {
  const ByteUnit unit = unit_of(rows);
  TableView table{"peaks",
                  "Peak of allocated memory",
                  {{"Context", "", Align::kLeft},
                   {"Inference forward", unit.name, Align::kRight},
                   {"Full step", unit.name, Align::kRight},
                   {"Forward, with grad", unit.name, Align::kRight}},
                  {}};
  for (const Profile* profile : rows) {
    RowView row{{text_cell(profile->place)}, {}, ""};
    for (const Mode mode : {Mode::kInference, Mode::kTrainStep, Mode::kForward}) {
      row.cells.push_back(bytes_cell(profile->peak(mode), unit));
    }
    explain(row, reasons_missing(*profile));
    for (const auto& [mode, step] : profile->steps) {
      if (step.ok()) add_flags(row, crowding(*step.launch));
    }
    if (profile->steps.size() == 1) {
      row.flags.push_back(mode_words(profile->steps.begin()->first) + " alone was asked for");
    }
    if (row.cells.size() > 3) row.cells[3].muted = true;
    table.rows.push_back(std::move(row));
  }
  return table;
}

TableView meanings_table(const Profiles& rows) {
  const ByteUnit unit = unit_of(rows);
  TableView table{"forward-peaks",
                  "What a forward's peak may mean, allocated",
                  {{"Context", "", Align::kLeft},
                   {"Without grad", unit.name, Align::kRight},
                   {"With grad", unit.name, Align::kRight},
                   {"With the graph of the step before still alive", unit.name, Align::kRight},
                   {"Inside training, AdamW's state resident", unit.name, Align::kRight}},
                  {}};
  for (const Profile* profile : rows) {
    const Step* forward = profile->ran(Mode::kForward);
    const Step* step = profile->ran(Mode::kTrainStep);
    const Bytes alive =
        forward == nullptr ? Bytes{} : forward->bytes(metric::kMeaning, metric::kForwardGraphAlive);
    const Bytes inside =
        step == nullptr ? Bytes{} : step->bytes(metric::kMeaning, metric::kForwardWithState);
    const std::array cells{profile->peak(Mode::kInference), profile->peak(Mode::kForward), alive,
                           inside};
    if (std::ranges::none_of(cells, &Bytes::has_value)) continue;
    RowView row{{text_cell(profile->place)}, {}, ""};
    for (const Bytes& bytes : cells) row.cells.push_back(bytes_cell(bytes, unit));
    const Metric* absent =
        forward == nullptr ? nullptr
                           : forward->launch->find(metric::kMeaning, metric::kForwardGraphAlive);
    if (absent != nullptr && !absent->reason.empty()) {
      row.flags.push_back("graph alive: " + absent->reason);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TableView allocator_table(const Profiles& rows) {
  const ByteUnit unit = unit_of(rows);
  TableView table{"allocator",
                  "Requested, allocated and reserved at most; allocated before the step",
                  {{"Context", "", Align::kLeft},
                   {"Step", "", Align::kLeft},
                   {"Requested", unit.name, Align::kRight},
                   {"Allocated", unit.name, Align::kRight},
                   {"Reserved", unit.name, Align::kRight},
                   {"Peak falls in", "", Align::kLeft},
                   {"Before the step", unit.name, Align::kRight}},
                  {}};
  each_step(rows, [&](const Profile& profile, Mode mode, const Step& step) {
    RowView row{
        {text_cell(profile.place), text_cell(mode_words(mode))}, crowding(*step.launch), ""};
    for (const auto name :
         {metric::kPeakRequested, metric::kPeakAllocated, metric::kPeakReserved}) {
      row.cells.push_back(bytes_cell(step.bytes(metric::kMemory, name), unit));
    }
    const std::string phase = peak_phase(step);
    row.cells.push_back(phase.empty() ? missing_cell() : text_cell(phase));
    row.cells.push_back(bytes_cell(step.bytes(metric::kResident, metric::kAllocated), unit));
    const Bytes plain = step.bytes(metric::kMemory, metric::kPeakRequested);
    const Bytes history = step.bytes(metric::kHistory, metric::kPeakRequested);
    if (plain && history && *plain != *history) row.flags.push_back("the history changed the peak");
    if (step.bytes(metric::kHistory, metric::kLost).value_or(0) > 0) {
      row.flags.push_back("events lost");
    }
    table.rows.push_back(std::move(row));
  });
  const std::size_t columns = table.columns.size();
  drop_empty_columns(table, kLabels);
  // A processor's allocator reserves nothing.
  if (table.columns.size() < columns) table.title = kUnreserved;
  return table;
}

TableView composition_table(const Profiles& rows) {
  const ByteUnit unit = unit_of(rows);
  TableView table{"composition",
                  "Requested bytes at the peak, by what they are held for",
                  {{"Context", "", Align::kLeft}, {"Step", "", Align::kLeft}},
                  {}};
  for (const Category& category : categories()) {
    table.columns.push_back({std::string(category.words), unit.name, Align::kRight});
  }
  each_step(rows, [&](const Profile& profile, Mode mode, const Step& step) {
    RowView row{{text_cell(profile.place), text_cell(mode_words(mode))}, {}, ""};
    bool any = false;
    for (const Category& category : categories()) {
      const Bytes bytes = step.bytes(metric::kCategory, category.name);
      any = any || bytes.has_value();
      row.cells.push_back(bytes_cell(bytes, unit));
    }
    if (any) table.rows.push_back(std::move(row));
  });
  return table;
}

std::vector<NamedCell> named_cells(const std::vector<Profile>& profiles) {
  std::vector<NamedCell> cells;
  for (const Profile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) {
      cells.push_back({profile.label + ", " + std::string(describe(mode)), step.cell});
    }
  }
  return cells;
}

std::vector<std::string> warnings(const std::vector<Profile>& profiles) {
  std::vector<std::string> found;
  for (const NamedCell& named : named_cells(profiles)) {
    for (const Launch& launch : named.cell->launches) {
      for (const std::string& warning : launch.warnings) {
        found.push_back(named.name + ": " + warning);
      }
    }
  }
  return found;
}

}  // namespace labreport::memory_profiling
