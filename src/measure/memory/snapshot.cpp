#include <map>

#include "measure/memory/files.h"
#include "measure/memory/pickle.h"

namespace labreport {
namespace {

constexpr std::size_t kEventsAtOnce = 500;

/// Writes the snapshot. A frame is a part of an origin: its kind ("module") stands for the file,
/// its name for the function. The viewer expects the innermost frame first.
class SnapshotWriter {
 public:
  explicit SnapshotWriter(const MemoryTimeline& timeline) : timeline_(timeline) {}

  std::string write() && {
    pickle_.open_dict();
    pickle_.text("segments");
    write_segments();
    pickle_.text("device_traces");
    pickle_.open_list();
    write_trace();
    pickle_.close_list();
    pickle_.text("allocator_settings");
    pickle_.open_dict();
    pickle_.close_dict();
    pickle_.close_dict();
    return std::move(pickle_).finish();
  }

 private:
  using Blocks = std::map<std::uint64_t, const MemoryLifetime*>;

  void integer(std::string_view key, std::int64_t value) {
    pickle_.text(key);
    pickle_.integer(value);
  }
  void text(std::string_view key, std::string_view value) {
    pickle_.text(key);
    pickle_.text(value);
  }

  void write_trace();
  void write_event(const MemoryEvent& event, std::string_view action);
  void write_segments();
  void write_segment(std::uint64_t address, std::int64_t bytes, const Blocks& blocks);
  void write_block(std::uint64_t address, std::int64_t bytes, const MemoryLifetime* lifetime);
  void write_frames(const MemoryOrigin& origin, const std::string& what);
  void write_frame(const std::string& file, const std::string& function);

  const MemoryTimeline& timeline_;
  Pickle pickle_;
  std::map<std::pair<MemoryOrigin, std::string>, std::uint32_t> frames_;
};

std::string_view action_of(MemoryEventKind kind) {
  switch (kind) {
    case MemoryEventKind::kAllocation:
      return "alloc";
    case MemoryEventKind::kFree:
      return "free_completed";
    case MemoryEventKind::kSegment:
      return "segment_alloc";
    case MemoryEventKind::kSegmentFree:
      return "segment_free";
    case MemoryEventKind::kOutOfMemory:
      return "oom";
  }
  return "";
}

void SnapshotWriter::write_trace() {
  pickle_.open_list();
  std::size_t written = 0;
  for (const MemoryEvent& event : timeline_.history.events) {
    if (++written % kEventsAtOnce == 0) pickle_.flush_list();
    // LibTorch records a request to free and a completed free; on one stream both happen at once.
    if (event.kind == MemoryEventKind::kFree) write_event(event, "free_requested");
    write_event(event, action_of(event.kind));
  }
  pickle_.close_list();
}

void SnapshotWriter::write_event(const MemoryEvent& event, std::string_view action) {
  const bool failed = event.kind == MemoryEventKind::kOutOfMemory;
  pickle_.open_dict();
  text("action", action);
  integer(failed ? "device_free" : "addr", static_cast<std::int64_t>(event.address));
  integer("size", event.requested);
  integer("stream", 0);
  integer("time_us", event.time_ns / 1000);
  pickle_.text("frames");
  write_frames(timeline_.history.origin(event), "");
  pickle_.close_dict();
}

void SnapshotWriter::write_frames(const MemoryOrigin& origin, const std::string& what) {
  const auto [known, fresh] = frames_.try_emplace({origin, what}, 0);
  if (!fresh) return pickle_.refer(known->second);
  pickle_.open_list();
  if (!what.empty()) write_frame("category", what);
  if (!origin.op.empty()) write_frame("operator", origin.op);
  if (!origin.operation.empty()) write_frame("operation", origin.operation);
  if (!origin.module.empty()) write_frame("module", origin.module);
  if (!origin.phase.empty()) write_frame("phase", origin.phase);
  pickle_.close_list();
  known->second = pickle_.remember();
}

void SnapshotWriter::write_frame(const std::string& file, const std::string& function) {
  pickle_.open_dict();
  text("filename", file);
  integer("line", 0);
  text("name", function);
  pickle_.close_dict();
}

/// Writes the segments and blocks at the history's end. A CPU has no segments, so each block counts
/// as one.
void SnapshotWriter::write_segments() {
  Blocks blocks;
  for (const MemoryLifetime& lifetime : timeline_.found.lifetimes) {
    if (!lifetime.freed) blocks[lifetime.address] = &lifetime;
  }
  std::map<std::uint64_t, std::int64_t> segments;  // bytes by address
  for (const MemorySegment& segment : timeline_.history.segments) {
    segments[segment.address] = segment.bytes;
  }
  for (const MemoryEvent& event : timeline_.history.events) {
    if (event.kind == MemoryEventKind::kSegment) segments[event.address] = event.requested;
    if (event.kind == MemoryEventKind::kSegmentFree) segments.erase(event.address);
  }
  if (segments.empty()) {
    for (const auto& [address, lifetime] : blocks) segments[address] = lifetime->block;
  }
  pickle_.open_list();
  for (const auto& [address, bytes] : segments) {
    const auto end = blocks.lower_bound(address + static_cast<std::uint64_t>(bytes));
    write_segment(address, bytes, Blocks(blocks.lower_bound(address), end));
  }
  pickle_.close_list();
}

void SnapshotWriter::write_segment(std::uint64_t address, std::int64_t bytes,
                                   const Blocks& blocks) {
  std::int64_t allocated = 0;
  std::int64_t requested = 0;
  for (const auto& [at, lifetime] : blocks) {
    allocated += lifetime->block;
    requested += lifetime->requested;
  }
  pickle_.open_dict();
  integer("device", 0);
  integer("address", static_cast<std::int64_t>(address));
  integer("total_size", bytes);
  integer("allocated_size", allocated);
  integer("active_size", allocated);
  integer("requested_size", requested);
  integer("stream", 0);
  text("segment_type", "large");
  pickle_.text("is_expandable");
  pickle_.boolean(false);
  pickle_.text("frames");
  pickle_.open_list();
  pickle_.close_list();
  pickle_.text("blocks");
  pickle_.open_list();
  std::uint64_t next = address;
  for (const auto& [at, lifetime] : blocks) {
    if (at > next) write_block(next, static_cast<std::int64_t>(at - next), nullptr);
    write_block(at, lifetime->block, lifetime);
    next = at + static_cast<std::uint64_t>(lifetime->block);
  }
  const std::uint64_t end = address + static_cast<std::uint64_t>(bytes);
  if (next < end) write_block(next, static_cast<std::int64_t>(end - next), nullptr);
  pickle_.close_list();
  pickle_.close_dict();
}

/// Writes a block; it is free if `lifetime` is null.
void SnapshotWriter::write_block(std::uint64_t address, std::int64_t bytes,
                                 const MemoryLifetime* lifetime) {
  pickle_.open_dict();
  integer("address", static_cast<std::int64_t>(address));
  integer("size", bytes);
  integer("requested_size", lifetime ? lifetime->requested : 0);
  text("state", lifetime ? "active_allocated" : "inactive");
  pickle_.text("frames");
  const bool made = lifetime && lifetime->made > 0;
  write_frames(made ? origin_of(timeline_.history, lifetime->made) : MemoryOrigin(),
               lifetime ? std::string(name(lifetime->category)) : "");
  pickle_.close_dict();
}

}  // namespace

std::string snapshot_pickle(const MemoryTimeline& timeline) {
  return SnapshotWriter(timeline).write();
}

}  // namespace labreport
