// A run: everything that one `labreport run` kept, as it lies in run.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/cell.h"
#include "results/metric.h"
#include "results/outcome.h"
#include "results/request.h"

namespace labreport {

/// Versions of what ran beneath the model; the worker tells. Empty where it does not apply.
struct Software {
  std::string driver;
  std::string cuda;
  std::string cublas;
  std::string cupti;
  std::string libtorch;
  std::string python = {};  ///< Of the worker for models in Python.

  bool operator==(const Software&) const = default;
};

/// A model that is not labreport's own, as its user named it. Only the worker that loads it
/// understands the words.
struct ModelSource {
  /// Its class and a hash of what it is made of: "TransformerLM-0a1b2c3d"; compiled:
  /// "TransformerLM-compiled-0a1b2c3d".
  std::string implementation;
  std::string model;      ///< "path/file.py:Class" or "package.module:Class"
  std::string arguments;  ///< A JSON object; empty: none.
  std::string loss;       ///< "module:name", as the optimizer.
  std::string optimizer;
  bool compile = false;    ///< Wrapped in `torch.compile`, which the implementation says, too.
  bool attention = false;  ///< Attention by itself in place of a network: no loss, no optimizer.

  bool operator==(const ModelSource&) const = default;
};

/// One invocation of the program on one machine. A resumed run has several.
struct Session {
  std::string started_at;         ///< UTC, ISO 8601, "2026-05-01T12:34:56Z".
  std::vector<std::string> argv;  ///< For readers alone: `request` says what it asked for.
  std::string revision;           ///< Full git commit of the program's sources; empty when unknown.
  bool dirty = false;             ///< The sources differed from that commit.
  std::string host;               ///< Empty: left out.
  std::string cpu;                ///< Processor model.
  std::int64_t cores = 0;
  Software software;
  std::optional<ModelSource> model = {};           ///< What cells with an implementation measure.
  std::map<std::string, std::string> environment;  ///< Variables that change results.
  std::int64_t seed = 0;
  Request request = {};  ///< A resumed run's holds what it was begun with.
};

struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  std::string uuid_hash;  ///< Hex digits of a one-way hash; empty on a CPU.
  std::string name;
  std::int64_t memory_bytes = 0;
  std::string compute_capability;  ///< "9.0"; empty on a CPU.
  std::int64_t multiprocessors = 0;
  std::int64_t max_sm_clock_mhz = 0;
  std::int64_t max_memory_clock_mhz = 0;
  std::int64_t power_limit_mw = 0;
  std::optional<bool> ecc;
  std::optional<bool> mig;

  bool operator==(const Device&) const = default;
};

/// One process that measured, or failed to measure, one cell.
struct Launch {
  std::int64_t session = 0;            ///< Index into Run::sessions.
  std::optional<std::int64_t> device;  ///< Index into Run::devices; absent when nothing started.
  Outcome outcome;
  std::int64_t wall_ns = 0;  ///< The worker's life as the front end saw it.
  std::vector<Metric> metrics;
  std::vector<Table> tables;
  std::vector<Metric> conditions;
  std::vector<std::string> warnings;

  /// Null when there is none.
  const Metric* find(std::string_view tag, std::string_view name) const;
  const Metric* find_condition(std::string_view tag, std::string_view name) const;
};

/// Memory ran out while other processes were on the device. It is a result and is kept; its cell is
/// measured once more.
bool ran_out_beside_others(const Launch& launch);

struct Cell {
  std::string id;
  CellSpec spec;
  std::vector<Launch> launches;  ///< Never empty in a finished run.
};

/// The launch whose numbers stand for the cell: the first that is ok, else the last; null if none.
const Launch* representative(const Cell& cell);

struct Run {
  std::string edition;              ///< "2025" or "2026"
  std::string preset;               ///< "full", "quick", "demo"; imported: "none"
  std::string source = "measured";  ///< or "imported"
  std::vector<Session> sessions;
  std::vector<Device> devices;
  std::vector<Cell> cells;  ///< In the order in which they were planned.

  const Cell* find(const std::string& id) const;
  Cell& find_or_add(const CellSpec& spec);
};

/// Returns the request that began the run, including the edition and preset chosen for the user.
Request requested(const Run& run);

/// The model that it measures in place of labreport's own, or beside it; null: its own alone.
const ModelSource* measured_model(const Run& run);

/// Whether it times networks, and not only what stands by itself, such as attention or a ladder.
bool times_networks(const Run& run);

/// True if more than half of the cells that were launched failed, crashed or ran out of time.
bool mostly_failed(const Run& run);

/// Whether it measures labreport's network beside the user's model.
bool measures_both(const Run& run);

/// One half of such a run: the user's model or labreport's network, each with the cells that know
/// no network, as if the run had measured nothing else.
Run users_half(const Run& run);
Run labreports_half(const Run& run);

/// Where most launches ran; null for a run in which nothing started.
const Device* main_device(const Run& run);

/// Where the processes of one launch find each other: what each is told.
struct Rendezvous {
  std::int64_t rank = 0;       ///< Of this process, from 0.
  std::string store;           ///< A file that all of them share.
  double timeout_seconds = 0;  ///< After which a collective counts as hung.
};

/// What a worker is asked, and what it answers: the two files of the process boundary.
struct LaunchRequest {
  CellSpec spec;
  std::int64_t launch = 0;  ///< 0-based number of this launch of the cell.
  std::int64_t seed = 0;
  /// Where by-products go: the beginning of their files' names (`RunStore::artifacts`); empty: none
  /// are kept.
  std::string artifacts = {};
  bool gpu_trace = false;  ///< Of a profiled step each kernel is kept, not only their sums.
  std::optional<ModelSource> model = {};  ///< Where the cell has an implementation.
  bool nvtx = false;  ///< The program's ranges are for a profiler outside; ours stays off.
  std::optional<Rendezvous> rendezvous = {};  ///< Where the cell has ranks.
};

struct LaunchReport {
  std::string cell_id;
  std::int64_t launch = 0;
  Software software;
  Device device;
  Launch body;  ///< `session`, `device` and `wall_ns` are the front end's to fill in.
};

}  // namespace labreport
