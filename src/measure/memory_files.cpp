#include "measure/memory_files.h"

#include <fmt/format.h>

#include "base/csv.h"
#include "base/error.h"
#include "base/files.h"
#include "measure/memory_tables.h"
#include "results/run_store.h"

namespace labreport {
namespace {

std::string csv_row(const MemoryHistory& history, const MemoryLife& life) {
  std::string row = fmt::format("{},{},{},{}", life.requested, life.block, life.made,
                                life.freed ? fmt::to_string(*life.freed) : "");
  row += ',' + std::string(name(life.category));
  if (life.made == 0) return row + ",,,,,,,\n";
  const MemoryEvent& made = event_of(history, life.made);
  const MemoryOrigin& origin = history.origin(made);
  const bool freed = life.freed.has_value();
  return row + fmt::format(
                   ",{},{},{},{},{},{},{}\n", made.time_ns,
                   freed ? fmt::to_string(event_of(history, *life.freed).time_ns) : "",
                   origin.phase, freed ? history.origin(event_of(history, *life.freed)).phase : "",
                   csv_text(origin.module), csv_text(origin.operation), csv_text(origin.op));
}

}  // namespace

std::string allocations_csv(const MemoryTimeline& timeline) {
  std::string csv =
      "requested_bytes,block_bytes,made_event,freed_event,category,made_ns,freed_ns,phase,"
      "freed_phase,module,operation,operator\n";
  for (const MemoryLife& life : timeline.found.lives) csv += csv_row(timeline.history, life);
  return csv;
}

std::uintmax_t write_memory_files(const std::string& beginning, const MemoryTimeline& timeline) {
  const std::string csv = allocations_csv(timeline);
  const std::string pickle = snapshot_pickle(timeline);
  const std::string counter = memory_counter(timeline);
  make_writable_folder(std::filesystem::path(beginning).parent_path());
  write_atomically(beginning + artifact::kAllocations, csv, Sync::kNothing);
  write_atomically(beginning + artifact::kSnapshot, pickle, Sync::kNothing);
  write_atomically(beginning + artifact::kTrace, counter, Sync::kNothing);
  return csv.size() + pickle.size() + counter.size();
}

std::string keep_memory_files(const std::string& beginning, const MemoryTimeline& timeline) try {
  if (!beginning.empty()) write_memory_files(beginning, timeline);
  return "";
} catch (const Error& error) {
  return std::string("the history's files were not kept: ") + error.what();
}

}  // namespace labreport
