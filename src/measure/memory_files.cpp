#include "measure/memory_files.h"

#include <optional>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "base/files.h"
#include "measure/memory_tables.h"
#include "results/run_store.h"

namespace labreport {
namespace {

const std::vector<std::string> kHeads{"requested_bytes", "block_bytes", "made_event", "freed_event",
                                      "category",        "made_ns",     "freed_ns",   "phase",
                                      "freed_phase",     "module",      "operation",  "operator"};

CsvField event(std::optional<std::size_t> number) {
  return number ? csv_number(static_cast<std::int64_t>(*number)) : CsvField();
}

CsvFields csv_fields(const MemoryHistory& history, const MemoryLife& life) {
  CsvFields fields{csv_number(life.requested), csv_number(life.block), event(life.made),
                   event(life.freed), csv_text(name(life.category))};
  if (life.made == 0) {
    fields.resize(kHeads.size());
    return fields;
  }
  const MemoryEvent& made = event_of(history, life.made);
  const MemoryOrigin& origin = history.origin(made);
  const MemoryEvent* freed = life.freed ? &event_of(history, *life.freed) : nullptr;
  const CsvFields more{
      csv_number(made.time_ns), freed == nullptr ? CsvField() : csv_number(freed->time_ns),
      csv_text(origin.phase),   csv_text(freed == nullptr ? "" : history.origin(*freed).phase),
      csv_text(origin.module),  csv_text(origin.operation),
      csv_text(origin.op)};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

}  // namespace

std::string allocations_csv(const MemoryTimeline& timeline) {
  std::string csv = csv_line(csv_texts(kHeads));
  for (const MemoryLife& life : timeline.found.lives) {
    csv += csv_line(csv_fields(timeline.history, life));
  }
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
