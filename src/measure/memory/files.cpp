#include "measure/memory/files.h"

#include <optional>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "base/files.h"
#include "measure/memory/tables.h"
#include "results/run_store.h"

namespace labreport {
namespace {

const std::vector<std::string> kColumns{
    "requested_bytes", "block_bytes", "made_event",  "freed_event", "category",  "made_ns",
    "freed_ns",        "phase",       "freed_phase", "module",      "operation", "operator"};

CsvField event_field(std::optional<std::size_t> number) {
  return number ? csv_number(static_cast<std::int64_t>(*number)) : CsvField();
}

CsvFields csv_fields(const MemoryHistory& history, const MemoryLifetime& lifetime) {
  CsvFields fields{csv_number(lifetime.requested_bytes), csv_number(lifetime.block_bytes),
                   event_field(lifetime.made_event), event_field(lifetime.freed_event),
                   csv_text(name(lifetime.category))};
  if (lifetime.made_event == 0) {
    fields.resize(kColumns.size());
    return fields;
  }
  const MemoryEvent& made = event_of(history, lifetime.made_event);
  const MemoryOrigin& origin = history.origin(made);
  const MemoryEvent* freed =
      lifetime.freed_event ? &event_of(history, *lifetime.freed_event) : nullptr;
  const CsvFields more{
      csv_number(made.time_ns), freed == nullptr ? CsvField() : csv_number(freed->time_ns),
      csv_text(origin.phase),   csv_text(freed == nullptr ? "" : history.origin(*freed).phase),
      csv_text(origin.module),  csv_text(origin.outer_op),
      csv_text(origin.inner_op)};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

}  // namespace

std::string allocations_csv(const MemoryTimeline& timeline) {
  std::string csv = csv_line(csv_texts(kColumns));
  for (const MemoryLifetime& lifetime : timeline.lifetimes.all) {
    csv += csv_line(csv_fields(timeline.history, lifetime));
  }
  return csv;
}

std::string keep_memory_files(const std::string& path_prefix, const MemoryTimeline& timeline) try {
  if (path_prefix.empty()) return "";
  make_writable_folder(std::filesystem::path(path_prefix).parent_path());
  write_atomically(path_prefix + artifact::kAllocations, allocations_csv(timeline), Sync::kNothing);
  write_atomically(path_prefix + artifact::kSnapshot, snapshot_pickle(timeline), Sync::kNothing);
  write_atomically(path_prefix + artifact::kTrace, memory_counter(timeline), Sync::kNothing);
  return "";
} catch (const Error& error) {
  return std::string("the history's files were not kept: ") + error.what();
}

}  // namespace labreport
