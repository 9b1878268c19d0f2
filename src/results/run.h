// A run holds everything that `labreport run` measured and stored in run.json.
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

/// Versions of the software that runs the model, as the worker reports them. A version is empty if
/// the worker does not use that software.
struct Software {
  std::string driver;
  std::string cuda;
  std::string cublas;
  std::string cupti;
  std::string libtorch;
  std::string python = {};  ///< Present only if the model is in Python.

  bool operator==(const Software&) const = default;
};

/// Describes a maker of training steps, as a try of one step showed it.
struct StepMaker {
  std::optional<Precision> precision =
      {};                   ///< That of its matrix products; absent if it takes one.
  bool takes_size = false;  ///< It takes some of the network's hyper-parameters.
  bool takes_context = false;
  bool compiles = false;           ///< It calls torch.compile.
  bool takes_bucket_size = false;  ///< It is a container that averages gradients in buckets.
  bool returns_no_loss = false;    ///< Its step does not tell the loss.

  bool operator==(const StepMaker&) const = default;
};

/// Names a model that is not labreport's network in C++, in the user's words. Only the worker that
/// loads the model interprets the texts.
struct ModelSource {
  /// The class and a hash of its sources: "TransformerLM-0a1b2c3d"; if compiled,
  /// "TransformerLM-compiled-0a1b2c3d".
  std::string implementation = {};
  std::string model = {};              ///< "path/file.py:Class" or "package.module:Class"
  std::string arguments = {};          ///< A JSON object; empty if none.
  std::string loss = {};               ///< "package.module:name"
  std::string optimizer = {};          ///< "package.module:name"
  bool compile = false;                ///< The model is wrapped in `torch.compile`.
  bool attention = false;              ///< `model` is an attention function, not a network.
  std::optional<StepMaker> step = {};  ///< Present if `model` makes training steps.
  /// "ddp", "sharded_optimizer" or "fsdp" if `model` is a part around which the worker for models
  /// makes the training step.
  std::optional<std::string> part = {};

  bool operator==(const ModelSource&) const = default;
};

/// One invocation of the program on one machine. A resumed run has several.
struct Session {
  std::string started_at;         ///< UTC, ISO 8601, "2026-05-01T12:34:56Z".
  std::vector<std::string> argv;  ///< Shown to readers; programs use `request`.
  std::string revision;           ///< Full git commit of the program's sources; empty if unknown.
  bool dirty = false;             ///< The sources differed from that commit.
  std::string host;               ///< Empty if it was redacted.
  std::string cpu;                ///< The name of the processor.
  std::int64_t cores = 0;
  Software software;
  std::optional<ModelSource> model = {};  ///< The code that cells with an implementation measure.
  std::vector<ModelSource> more_attentions = {};   ///< Measured besides `model`.
  std::map<std::string, std::string> environment;  ///< Environment variables that change results.
  std::int64_t seed = 0;
  Request request = {};  ///< A session that resumes a run has the request of the first session.
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

/// One measurement of a cell by a new process, or by one new process for each rank. It may have
/// failed.
struct Launch {
  std::int64_t session = 0;            ///< Index into Run::sessions.
  std::optional<std::int64_t> device;  ///< Index into Run::devices; absent if no process started.
  Outcome outcome;
  std::int64_t wall_ns = 0;  ///< Lifetime of the worker process, measured by `labreport`.
  std::vector<Metric> metrics;
  std::vector<Table> tables;
  std::vector<Metric> conditions;  ///< The device's clocks, temperature and other states.
  std::vector<std::string> warnings;

  /// Searches `metrics`; find_condition() searches `conditions`. Null if there is no such metric.
  const Metric* find(std::string_view tag, std::string_view name) const;
  const Metric* find_condition(std::string_view tag, std::string_view name) const;

  /// Return the number or the samples of a metric (metric.h); empty if there is no such metric.
  std::optional<double> number(std::string_view tag, std::string_view name) const;
  std::vector<double> numbers(std::string_view tag, std::string_view name) const;

  /// True if the condition is a number above zero.
  bool has_condition_above_zero(std::string_view tag, std::string_view name) const;
};

/// True if the launch ran out of memory while other processes used the device. The launch is kept,
/// and its cell is measured once more.
bool ran_out_of_memory_beside_others(const Launch& launch);

struct Cell {
  std::string id;
  CellSpec spec;
  std::vector<Launch> launches;  ///< Never empty in a finished run.
};

/// Returns the launch whose results stand for the cell: the first one that is ok, else the last
/// one; null if the cell has no launch.
const Launch* representative(const Cell& cell);

struct Run {
  std::string edition;              ///< "2025" or "2026"
  std::string preset;               ///< "full", "quick", "demo"; imported: "none"
  std::string source = "measured";  ///< "measured" or "imported"
  std::vector<Session> sessions;
  std::vector<Device> devices;
  std::vector<Cell> cells;  ///< In the order of the plan.

  const Cell* find(const std::string& id) const;  ///< Null if there is no such cell.
  Cell& find_or_add(const CellSpec& spec);
};

/// Returns the request of the first session. It includes the edition and the preset, even if the
/// user did not give them.
Request original_request(const Run& run);

/// Returns the user's network or training step, which the last session measures alone or beside
/// labreport's network; null if there is none. The user's attention function is not a network.
const ModelSource* measured_model(const Run& run);

/// Returns the session whose code of the user's has this implementation; null if there is none.
const Session* session_of(const Run& run, const std::string& implementation);

/// Returns true if the run measures a training step of the user's.
bool measures_own_step(const Run& run);

/// Returns the user's code that the session measures.
std::vector<const ModelSource*> code_of(const Session& session);

/// Returns the implementations of that code: "Flash-0a1b2c3d, Triton-4e5f6a7b"; empty if none.
std::string implementations(const Session& session);

/// Returns the name of the checkout whose parts the run measures: "assignment2-systems"; else
/// empty.
std::string course_name(const Run& run);

bool has_timing_cells(const Run& run);
bool measures_both_networks(const Run& run);  ///< labreport's and the user's

/// True if more than half of the cells that have launches are represented by a failure.
bool mostly_failed(const Run& run);

/// Return the run without the cells of labreport's network, or without those of the user's code.
/// Both keep the cells that involve no network.
Run without_labreports_network(const Run& run);
Run without_users_model(const Run& run);

/// Returns the device that most launches used; null if no launch started.
const Device* most_used_device(const Run& run);

/// The data with which a process finds the other processes of its launch.
struct Rendezvous {
  std::int64_t rank = 0;       ///< Rank of this process, from 0.
  std::string store;           ///< Path of a file that all processes share (c10d::FileStore).
  double timeout_seconds = 0;  ///< A collective that takes longer is considered to hang.
};

/// The program's request to a worker to measure one launch.
struct LaunchRequest {
  CellSpec spec;
  std::int64_t launch = 0;  ///< 0-based number of this launch of the cell.
  std::int64_t seed = 0;
  /// Path prefix of traces and snapshots (`RunStore::artifact_prefix`); empty if they are not kept.
  std::string artifacts = {};
  bool gpu_trace = false;                 ///< The worker reports each kernel of a profiled step.
  std::optional<ModelSource> model = {};  ///< Present if the cell has an implementation.
  /// The worker emits ranges for an external profiler and keeps its own profiler off.
  bool nvtx = false;
  std::optional<Rendezvous> rendezvous = {};  ///< Present if the cell has ranks.
};

/// The worker's report on one launch.
struct LaunchReport {
  std::string cell_id;
  std::int64_t launch = 0;
  Software software;
  Device device;
  Launch body;  ///< `labreport` fills in `session`, `device` and `wall_ns`.
};

}  // namespace labreport
