#include <map>

#include "base/table.h"
#include "measure/memory/files.h"
#include "measure/memory/pickle.h"

namespace labreport {
namespace {

constexpr std::size_t kEventsPerFlush = 500;  // at most two entries each: see flush_list()

/// Writes the snapshot. Each part of an origin becomes a frame, in which its kind ("module") is the
/// file and its name the function. The viewer expects the innermost frame first.
class SnapshotWriter {
 public:
  explicit SnapshotWriter(const MemoryTimeline& timeline) : timeline_(timeline) {}

  std::string write() && {
    pickle_.open_dict();
    pickle_.write_text("segments");
    write_segments();
    pickle_.write_text("device_traces");
    pickle_.open_list();
    write_trace();
    pickle_.close_list();
    pickle_.write_text("allocator_settings");
    pickle_.open_dict();
    pickle_.close_dict();
    pickle_.close_dict();
    return std::move(pickle_).finish();
  }

 private:
  using BlocksByAddress = std::map<std::uint64_t, const MemoryLifetime*>;

  void write_integer(std::string_view key, std::int64_t value) {
    pickle_.write_text(key);
    pickle_.write_integer(value);
  }
  void write_text(std::string_view key, std::string_view value) {
    pickle_.write_text(key);
    pickle_.write_text(value);
  }

  void write_trace();
  void write_event(const MemoryEvent& event, std::string_view action);
  void write_segments();
  void write_segment(std::uint64_t address, std::int64_t bytes, const BlocksByAddress& blocks);
  void write_block(std::uint64_t address, std::int64_t bytes, const MemoryLifetime* lifetime);
  void write_frames(const MemoryOrigin& origin, const std::string& category);
  void write_frame(const std::string& file, const std::string& function);

  const MemoryTimeline& timeline_;
  Pickle pickle_;
  std::map<std::pair<MemoryOrigin, std::string>, std::uint32_t> frame_numbers_;
};

constexpr Names<MemoryEventKind, 5> kActions{{{MemoryEventKind::kAllocation, "alloc"},
                                              {MemoryEventKind::kFree, "free_completed"},
                                              {MemoryEventKind::kSegment, "segment_alloc"},
                                              {MemoryEventKind::kSegmentFree, "segment_free"},
                                              {MemoryEventKind::kOutOfMemory, "oom"}}};

void SnapshotWriter::write_trace() {
  pickle_.open_list();
  std::size_t event_count = 0;
  for (const MemoryEvent& event : timeline_.history.events) {
    if (++event_count % kEventsPerFlush == 0) pickle_.flush_list();
    // LibTorch records a request to free and a completed free; on one stream both happen at once.
    if (event.kind == MemoryEventKind::kFree) write_event(event, "free_requested");
    write_event(event, name_in(kActions, event.kind));
  }
  pickle_.close_list();
}

void SnapshotWriter::write_event(const MemoryEvent& event, std::string_view action) {
  const bool failed = event.kind == MemoryEventKind::kOutOfMemory;  // Then `address` is free bytes.
  pickle_.open_dict();
  write_text("action", action);
  write_integer(failed ? "device_free" : "addr", static_cast<std::int64_t>(event.address));
  write_integer("size", event.requested_bytes);
  write_integer("stream", 0);
  write_integer("time_us", event.time_ns / 1000);
  pickle_.write_text("frames");
  write_frames(timeline_.history.origin(event), "");
  pickle_.close_dict();
}

void SnapshotWriter::write_frames(const MemoryOrigin& origin, const std::string& category) {
  const auto [number, is_new] = frame_numbers_.try_emplace({origin, category}, 0);
  if (!is_new) return pickle_.refer(number->second);
  pickle_.open_list();
  if (!category.empty()) write_frame("category", category);
  if (!origin.inner_op.empty()) write_frame("operator", origin.inner_op);
  if (!origin.outer_op.empty()) write_frame("operation", origin.outer_op);
  if (!origin.module.empty()) write_frame("module", origin.module);
  if (!origin.phase.empty()) write_frame("phase", origin.phase);
  pickle_.close_list();
  number->second = pickle_.remember();
}

void SnapshotWriter::write_frame(const std::string& file, const std::string& function) {
  pickle_.open_dict();
  write_text("filename", file);
  write_integer("line", 0);
  write_text("name", function);
  pickle_.close_dict();
}

/// Writes the segments and blocks at the history's end. A CPU has no segments, so each block counts
/// as a segment.
void SnapshotWriter::write_segments() {
  BlocksByAddress blocks;
  for (const MemoryLifetime& lifetime : timeline_.lifetimes.all) {
    if (!lifetime.freed_event) blocks[lifetime.address] = &lifetime;
  }
  std::map<std::uint64_t, std::int64_t> segments;  // bytes by address
  for (const MemorySegment& segment : timeline_.history.segments) {
    segments[segment.address] = segment.bytes;
  }
  for (const MemoryEvent& event : timeline_.history.events) {
    if (event.kind == MemoryEventKind::kSegment) segments[event.address] = event.requested_bytes;
    if (event.kind == MemoryEventKind::kSegmentFree) segments.erase(event.address);
  }
  if (segments.empty()) {
    for (const auto& [address, lifetime] : blocks) segments[address] = lifetime->block_bytes;
  }
  pickle_.open_list();
  for (const auto& [address, bytes] : segments) {
    const auto end = blocks.lower_bound(address + static_cast<std::uint64_t>(bytes));
    write_segment(address, bytes, BlocksByAddress(blocks.lower_bound(address), end));
  }
  pickle_.close_list();
}

void SnapshotWriter::write_segment(std::uint64_t address, std::int64_t bytes,
                                   const BlocksByAddress& blocks) {
  std::int64_t allocated_bytes = 0;
  std::int64_t requested_bytes = 0;
  for (const auto& [start, lifetime] : blocks) {
    allocated_bytes += lifetime->block_bytes;
    requested_bytes += lifetime->requested_bytes;
  }
  pickle_.open_dict();
  write_integer("device", 0);
  write_integer("address", static_cast<std::int64_t>(address));
  write_integer("total_size", bytes);
  write_integer("allocated_size", allocated_bytes);
  write_integer("active_size", allocated_bytes);
  write_integer("requested_size", requested_bytes);
  write_integer("stream", 0);
  write_text("segment_type", "large");
  pickle_.write_text("is_expandable");
  pickle_.write_boolean(false);
  pickle_.write_text("frames");
  pickle_.open_list();
  pickle_.close_list();
  pickle_.write_text("blocks");
  pickle_.open_list();
  std::uint64_t gap = address;  // A free block begins here unless the next allocation does.
  for (const auto& [start, lifetime] : blocks) {
    if (start > gap) write_block(gap, static_cast<std::int64_t>(start - gap), nullptr);
    write_block(start, lifetime->block_bytes, lifetime);
    gap = start + static_cast<std::uint64_t>(lifetime->block_bytes);
  }
  const std::uint64_t end = address + static_cast<std::uint64_t>(bytes);
  if (gap < end) write_block(gap, static_cast<std::int64_t>(end - gap), nullptr);
  pickle_.close_list();
  pickle_.close_dict();
}

/// Writes a block; it is free if `lifetime` is null.
void SnapshotWriter::write_block(std::uint64_t address, std::int64_t bytes,
                                 const MemoryLifetime* lifetime) {
  pickle_.open_dict();
  write_integer("address", static_cast<std::int64_t>(address));
  write_integer("size", bytes);
  write_integer("requested_size", lifetime ? lifetime->requested_bytes : 0);
  write_text("state", lifetime ? "active_allocated" : "inactive");
  pickle_.write_text("frames");
  const bool has_origin = lifetime && lifetime->made_event > 0;
  write_frames(has_origin ? origin_of(timeline_.history, lifetime->made_event) : MemoryOrigin(),
               lifetime ? std::string(name(lifetime->category)) : "");
  pickle_.close_dict();
}

}  // namespace

std::string snapshot_pickle(const MemoryTimeline& timeline) {
  return SnapshotWriter(timeline).write();
}

}  // namespace labreport
