// Declares all JSON keys of runs, requests and reports.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "results/json_members.h"
#include "results/run.h"
#include "results/run_labels.h"

namespace labreport {

inline constexpr TextPattern kVersionPattern{"^2\\.[0-9]{1,9}\\.[0-9]{1,9}$",
                                             "a version such as 2.0.0"};
inline constexpr TextPattern kTimePattern{
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
    "a time such as 2026-05-01T12:34:56Z"};
inline constexpr TextPattern kRevisionPattern{"^([0-9a-f]{40})?$", "40 hex digits, or nothing"};
inline constexpr TextPattern kHashPattern{"^[0-9a-f]{0,64}$", "at most 64 hex digits"};
inline constexpr TextPattern kSlugPattern{"^[A-Za-z0-9_.-]+$", "letters, digits, '_', '.' and '-'"};
inline constexpr TextPattern kImplementationPattern{"^[A-Za-z0-9_-]{1,60}$",
                                                    "at most 60 letters, digits, '_' and '-'"};

inline constexpr Bounds kVersionBounds{.max_bytes = 21, .pattern = &kVersionPattern};
inline constexpr Bounds kImplementationBounds{.max_bytes = 60, .pattern = &kImplementationPattern};

template <>
inline constexpr auto kMembers<Software> =
    std::tuple(member("driver", &Software::driver), member("cuda", &Software::cuda),
               member("cublas", &Software::cublas), member("cupti", &Software::cupti),
               member("libtorch", &Software::libtorch), member("python", &Software::python));

template <>
inline constexpr auto kMembers<StepMaker> = std::tuple(
    optional_member("precision", &StepMaker::precision),
    member("takes_size", &StepMaker::takes_size),
    member("takes_context", &StepMaker::takes_context), member("compiles", &StepMaker::compiles),
    optional_member("takes_bucket_size", &StepMaker::takes_bucket_size),
    optional_member("returns_no_loss", &StepMaker::returns_no_loss));

template <>
inline constexpr auto kMembers<ModelSource> = std::tuple(
    member("implementation", &ModelSource::implementation, kImplementationBounds),
    member("model", &ModelSource::model), member("arguments", &ModelSource::arguments),
    member("loss", &ModelSource::loss), member("optimizer", &ModelSource::optimizer),
    member("compile", &ModelSource::compile), member("attention", &ModelSource::attention),
    optional_member("step", &ModelSource::step), optional_member("part", &ModelSource::part));

/// The keys are the names of flags, in the order in which command lines show them.
template <>
inline constexpr auto kMembers<Request> = std::tuple(
    optional_member("edition", &Request::edition), optional_member("preset", &Request::preset),
    optional_member("problems", &Request::problems), optional_member("only", &Request::only),
    optional_member("course", &Request::course), optional_member("model", &Request::model),
    optional_member("and", &Request::second_network),
    optional_member("model_args", &Request::model_args), optional_member("loss", &Request::loss),
    optional_member("optimizer", &Request::optimizer),
    optional_member("compile", &Request::compile),
    optional_member("attention", &Request::attention), optional_member("step", &Request::step),
    optional_member("step_args", &Request::step_args), optional_member("ddp", &Request::ddp),
    optional_member("sharded_optimizer", &Request::sharded_optimizer),
    optional_member("fsdp", &Request::fsdp), optional_member("sizes", &Request::sizes),
    optional_member("size", &Request::own_sizes), optional_member("contexts", &Request::contexts),
    optional_member("precisions", &Request::precisions), optional_member("modes", &Request::modes),
    optional_member("warmup", &Request::warmup), optional_member("steps", &Request::steps),
    optional_member("batch", &Request::batch), optional_member("vocab", &Request::vocab),
    optional_member("launches", &Request::launches),
    optional_member("separate_warmups", &Request::separate_warmups),
    optional_member("gpus", &Request::gpus), optional_member("ranks", &Request::ranks),
    optional_member("keep_env", &Request::keep_env), optional_member("nvtx", &Request::nvtx),
    optional_member("timeout", &Request::timeout), optional_member("shard", &Request::shard));

template <>
inline constexpr auto kMembers<Session> = std::tuple(
    member("started_at", &Session::started_at, {.max_bytes = 20, .pattern = &kTimePattern}),
    member("argv", &Session::argv),
    member("revision", &Session::revision, {.max_bytes = 40, .pattern = &kRevisionPattern}),
    member("dirty", &Session::dirty), member("host", &Session::host), member("cpu", &Session::cpu),
    member("cores", &Session::cores, kNotNegative), member("software", &Session::software),
    optional_member("model", &Session::model),
    optional_member("more_attentions", &Session::more_attentions),
    member("environment", &Session::environment), member("seed", &Session::seed),
    member("request", &Session::request));

template <>
inline constexpr auto kMembers<Device> = std::tuple(
    member("kind", &Device::kind),
    member("uuid_hash", &Device::uuid_hash, {.max_bytes = 64, .pattern = &kHashPattern}),
    member("name", &Device::name), member("memory_bytes", &Device::memory_bytes, kNotNegative),
    member("compute_capability", &Device::compute_capability),
    member("multiprocessors", &Device::multiprocessors, kNotNegative),
    member("max_sm_clock_mhz", &Device::max_sm_clock_mhz, kNotNegative),
    member("max_memory_clock_mhz", &Device::max_memory_clock_mhz, kNotNegative),
    member("power_limit_mw", &Device::power_limit_mw, kNotNegative), member("ecc", &Device::ecc),
    member("mig", &Device::mig));

/// A set of kinds of cells.
class CellKinds {
 public:
  constexpr CellKinds(std::initializer_list<CellKind> kinds) {
    for (const CellKind kind : kinds) bits_ |= 1U << static_cast<unsigned>(kind);
  }
  constexpr CellKinds with(CellKind kind) const {
    CellKinds more = *this;
    more.bits_ |= CellKinds{kind}.bits_;
    return more;
  }
  constexpr bool has(CellKind kind) const { return (bits_ & CellKinds{kind}.bits_) != 0; }

 private:
  unsigned bits_ = 0;
};

/// A parameter of a cell. It is a key of "params", a column of cells.csv and of SQL's table `cell`,
/// and, behind its prefix, a piece of the cell's id.
template <typename Struct, typename Value>
struct Param : Member<Struct, Value> {
  const char* id_prefix;  ///< Null if the id leaves the parameter out.
  const char* comment;    ///< Shown to users; if empty, an enumeration's names are.
  CellKinds required_by;
};

/// Parameters that a cell has all or none of. It has them if it has the first one, `key`.
template <typename Struct, typename Value>
struct ParamGroup : Flattened<Struct, std::optional<Value>> {
  const char* key;
  CellKinds required_by;
};

/// A parameter that is an optional or a text has no key if it is empty.
template <typename Struct, typename Value>
constexpr auto param(const char* id_prefix, const char* key, Value Struct::* pointer,
                     const char* comment, const Bounds& bounds = {}, CellKinds required_by = {}) {
  constexpr bool may_be_absent =
      std::is_same_v<Value, std::string> || requires(const Value& value) { value.has_value(); };
  const IfEmpty if_empty = may_be_absent ? IfEmpty::kLeftOut : IfEmpty::kWritten;
  return Param<Struct, Value>{{key, pointer, bounds, if_empty}, id_prefix, comment, required_by};
}

template <typename Struct, typename Value>
constexpr auto param_group(std::optional<Value> Struct::* pointer, CellKinds required_by) {
  return ParamGroup<Struct, Value>{{pointer}, std::get<0>(kMembers<Value>).key, required_by};
}

template <>
inline constexpr auto kMembers<ModelShape> =
    std::tuple(param(".d", "d_model", &ModelShape::d_model, "", kPositive),
               param("-f", "d_ff", &ModelShape::d_ff, "", kPositive),
               param("-l", "layers", &ModelShape::layers, "", kPositive),
               param("-h", "heads", &ModelShape::heads, "", kPositive),
               param("-v", "vocab", &ModelShape::vocab, "", kPositive));

template <>
inline constexpr auto kMembers<AttentionSweep> =
    std::tuple(param(".", "method", &AttentionSweep::method, "attention: how it is timed"),
               param(".", "backend", &AttentionSweep::backend, "attention: who computes it"),
               param(".d", "head_dim", &AttentionSweep::head_dim, "attention", kPositive),
               param("-h", "heads", &AttentionSweep::heads, "", kPositive),
               param(".s", "lengths", &AttentionSweep::lengths,
                     "attention: tokens of its sequences, for json_each: '[512,1024]'",
                     {.min = 1, .min_items = 1, .max_items = kMaxLengths}));

template <>
inline constexpr auto kMembers<Ranks> =
    std::tuple(param(".", "collectives", &Ranks::collectives, ""),
               param(".r", "ranks", &Ranks::count, "processes that measure together",
                     {.min = 1, .max = kMaxRanks}));

inline constexpr CellKinds kTrainingKinds{
    CellKind::kTiming,        CellKind::kKernels,  CellKind::kMemory,       CellKind::kLadder,
    CellKind::kCheckpointing, CellKind::kSharding, CellKind::kDataParallel, CellKind::kLeaderboard};
inline constexpr CellKinds kRankKinds{CellKind::kAllReduce, CellKind::kSharding,
                                      CellKind::kDataParallel, CellKind::kLeaderboard};

/// These are the keys of the object "params". The key "kind" is beside "params". cell_id() joins
/// the parameters in this order.
template <>
inline constexpr auto kMembers<CellSpec> =
    std::tuple(param(".", "device_kind", &CellSpec::device, ""),
               param(nullptr, "size", &CellSpec::size,
                     "the edition's name of the network: 'small', '2.7B'", kLabelBounds),
               param(".", "implementation", &CellSpec::implementation,
                     "whose network: NULL is labreport's own", kImplementationBounds),
               param_group(&CellSpec::model, kTrainingKinds),
               param_group(&CellSpec::attention, {CellKind::kAttention}),
               param(".", "variant", &CellSpec::variant, "ladder: how the step is written"),
               param(".g", "checkpoint_group", &CellSpec::blocks_per_checkpoint,
                     "checkpointing: blocks that share one checkpoint", kPositive),
               param_group(&CellSpec::ranks, kRankKinds),
               param(".", "sharding", &CellSpec::sharding, "sharding: what ranks hold a share of",
                     {}, {CellKind::kSharding}),
               param(".m", "largest_bytes", &CellSpec::largest_bytes,
                     "all_reduce: the largest tensor", {.min = 1024}, {CellKind::kAllReduce}),
               param(".", "scheme", &CellSpec::scheme, "data_parallel: how gradients are averaged",
                     {}, {CellKind::kDataParallel}),
               param(".k", "bucket_bytes", &CellSpec::bucket_bytes,
                     "data_parallel: the largest bucket", kPositive),
               param(".b", "batch", &CellSpec::batch, "sequences; with ranks, of each rank",
                     kPositive, kTrainingKinds.with(CellKind::kAttention)),
               param(".c", "context", &CellSpec::context, "tokens", kPositive, kTrainingKinds),
               param(".", "precision", &CellSpec::precision, "", {},
                     kTrainingKinds.with(CellKind::kAttention)),
               param(".", "mode", &CellSpec::mode, "", {}, kTrainingKinds),
               param(".w", "warmup", &CellSpec::warmup, "steps that run first and are not counted",
                     kNotNegative),
               param(".n", "steps", &CellSpec::steps, "steps that are counted", kNotNegative),
               param(".x", "repeats", &CellSpec::repeats,
                     "leaderboard: steps that are timed once more as do_bench does", kPositive));

template <typename Struct, typename Visit>
void for_each_param(const Struct* from, const Visit& visit);

template <typename Struct, typename Value, typename Visit>
void visit_params(const Struct* from, const Param<Struct, Value>& param, const Visit& visit) {
  visit(param, from == nullptr ? nullptr : &(from->*param.pointer));
}

template <typename Struct, typename Value, typename Visit>
void visit_params(const Struct* from, const ParamGroup<Struct, Value>& group, const Visit& visit) {
  const bool has_group = from != nullptr && from->*group.pointer;
  for_each_param<Value>(has_group ? &*(from->*group.pointer) : nullptr, visit);
}

/// Calls `visit` with each declared parameter and a pointer to its value, which may be empty. The
/// pointer is null for the parameters of a group that the cell lacks.
template <typename Struct, typename Visit>
void for_each_param(const Struct* from, const Visit& visit) {
  std::apply([&](const auto&... param) { (visit_params(from, param, visit), ...); },
             kMembers<Struct>);
}

void write_keys_into(Json& object, const CellSpec& spec);
void read_keys_from(const JsonReader& object, CellSpec& spec);
bool has_flattened_key(const CellSpec& spec, std::string_view key);
void check_after_reading(const JsonReader& params, const CellSpec& spec);

template <>
inline constexpr auto kMembers<OutOfMemory> =
    std::tuple(member("phase", &OutOfMemory::phase),
               member("requested_bytes", &OutOfMemory::requested_bytes, kNotNegative),
               member("in_use_bytes", &OutOfMemory::in_use_bytes, kNotNegative),
               member("peak_bytes", &OutOfMemory::peak_bytes, kNotNegative),
               optional_member("reserved_bytes", &OutOfMemory::reserved_bytes, kNotNegative),
               optional_member("rank", &OutOfMemory::rank, kNotNegative));
template <>
inline constexpr auto kMembers<Skipped> = std::tuple(member("reason", &Skipped::reason));
template <>
inline constexpr auto kMembers<TimedOut> =
    std::tuple(member("limit_seconds", &TimedOut::limit_seconds, {.above = 0}),
               optional_member("rank", &TimedOut::rank, kNotNegative));
template <>
inline constexpr auto kMembers<Crashed> = std::tuple(
    member("signal", &Crashed::signal, {.min = 1, .max = 255}),
    member("message", &Crashed::message), optional_member("rank", &Crashed::rank, kNotNegative));
template <>
inline constexpr auto kMembers<Failed> = std::tuple(
    member("message", &Failed::message), optional_member("rank", &Failed::rank, kNotNegative));

void to_json(Json& object, const Outcome& outcome);
void read_json(const JsonReader& json, Outcome& outcome, const Bounds& bounds = {});

template <>
inline constexpr auto kMembers<Metric> = std::tuple(
    member("tag", &Metric::tag, kLabelBounds), member("name", &Metric::name, kLabelBounds),
    member("unit", &Metric::unit, kLabelBounds), flattened(&Metric::data),
    optional_member("reason", &Metric::reason));

template <>
inline constexpr auto kMembers<TableColumn> =
    std::tuple(member("name", &TableColumn::name, kLabelBounds),
               member("unit", &TableColumn::unit, kLabelBounds));

template <>
inline constexpr auto kMembers<Table> =
    std::tuple(member("name", &Table::name), member("columns", &Table::columns),
               member("rows", &Table::rows, {.max_items = kMaxTraceRows}));

void check_after_reading(const JsonReader& json, const Table& table);

template <>
inline constexpr auto kMembers<Launch> =
    std::tuple(member("session", &Launch::session, kNotNegative),
               member("device", &Launch::device, kNotNegative), member("outcome", &Launch::outcome),
               member("wall_ns", &Launch::wall_ns, kNotNegative),
               member("metrics", &Launch::metrics), member("tables", &Launch::tables),
               member("conditions", &Launch::conditions), member("warnings", &Launch::warnings));

template <>
inline constexpr auto kMembers<Cell> =
    std::tuple(member("id", &Cell::id, {.max_bytes = kMaxIdBytes, .pattern = &kSlugPattern}),
               flattened(&Cell::spec), member("launches", &Cell::launches));

void check_after_reading(const JsonReader& json, const Cell& cell);

/// These keys follow "schema_version".
template <>
inline constexpr auto kMembers<Run> =
    std::tuple(member("edition", &Run::edition, {.allowed_texts = kEditionNames}),
               member("preset", &Run::preset, {.allowed_texts = kPresetNames}),
               member("source", &Run::source, {.allowed_texts = kSourceNames}),
               member("sessions", &Run::sessions), member("devices", &Run::devices),
               member("cells", &Run::cells, {.max_items = kMaxCells}));

template <>
inline constexpr auto kMembers<Rendezvous> =
    std::tuple(member("rank", &Rendezvous::rank), member("store", &Rendezvous::store),
               member("timeout_seconds", &Rendezvous::timeout_seconds));

template <>
inline constexpr auto kMembers<LaunchRequest> = std::tuple(
    flattened(&LaunchRequest::spec), member("launch", &LaunchRequest::launch),
    member("seed", &LaunchRequest::seed), optional_member("artifacts", &LaunchRequest::artifacts),
    optional_member("gpu_trace", &LaunchRequest::gpu_trace),
    optional_member("model", &LaunchRequest::model),
    optional_member("rendezvous", &LaunchRequest::rendezvous));

template <>
inline constexpr auto kMembers<LaunchReport> =
    std::tuple(member("id", &LaunchReport::cell_id), member("launch", &LaunchReport::launch),
               member("software", &LaunchReport::software), member("device", &LaunchReport::device),
               member("result", &LaunchReport::body));

}  // namespace labreport
