// Declares all JSON keys of runs, requests and reports.
#pragma once

#include "results/json_members.h"
#include "results/run.h"
#include "results/run_labels.h"

namespace labreport {

inline void parse(const std::string& text, CellKind& kind) { kind = parse_cell_kind(text); }
inline void parse(const std::string& text, DeviceKind& device) { device = parse_device_kind(text); }
inline void parse(const std::string& text, Precision& precision) {
  precision = parse_precision(text);
}
inline void parse(const std::string& text, Mode& mode) { mode = parse_mode(text); }
inline void parse(const std::string& text, AttentionMethod& method) {
  method = parse_attention_method(text);
}
inline void parse(const std::string& text, AttentionBackend& backend) {
  backend = parse_attention_backend(text);
}
inline void parse(const std::string& text, Variant& variant) { variant = parse_variant(text); }
inline void parse(const std::string& text, Sharding& sharding) { sharding = parse_sharding(text); }
inline void parse(const std::string& text, Collectives& collectives) {
  collectives = parse_collectives(text);
}
inline void parse(const std::string& text, Scheme& scheme) { scheme = parse_scheme(text); }

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
inline constexpr auto kMembers<ModelSource> = std::tuple(
    member("implementation", &ModelSource::implementation, kImplementationBounds),
    member("model", &ModelSource::model), member("arguments", &ModelSource::arguments),
    member("loss", &ModelSource::loss), member("optimizer", &ModelSource::optimizer),
    member("compile", &ModelSource::compile), member("attention", &ModelSource::attention));

/// The keys are the names of flags, in the order in which command lines show them.
template <>
inline constexpr auto kMembers<Request> = std::tuple(
    optional_member("edition", &Request::edition), optional_member("preset", &Request::preset),
    optional_member("problems", &Request::problems), optional_member("only", &Request::only),
    optional_member("model", &Request::model), optional_member("and", &Request::second_network),
    optional_member("model_args", &Request::model_args), optional_member("loss", &Request::loss),
    optional_member("optimizer", &Request::optimizer),
    optional_member("compile", &Request::compile),
    optional_member("attention", &Request::attention), optional_member("sizes", &Request::sizes),
    optional_member("size", &Request::own_sizes), optional_member("contexts", &Request::contexts),
    optional_member("precisions", &Request::precisions), optional_member("modes", &Request::modes),
    optional_member("warmup", &Request::warmup), optional_member("steps", &Request::steps),
    optional_member("batch", &Request::batch), optional_member("vocab", &Request::vocab),
    optional_member("launches", &Request::launches),
    optional_member("separate_warmups", &Request::separate_warmups),
    optional_member("gpus", &Request::gpus), optional_member("keep_env", &Request::keep_env),
    optional_member("nvtx", &Request::nvtx), optional_member("timeout", &Request::timeout),
    optional_member("shard", &Request::shard));

template <>
inline constexpr auto kMembers<Session> = std::tuple(
    member("started_at", &Session::started_at, {.max_bytes = 20, .pattern = &kTimePattern}),
    member("argv", &Session::argv),
    member("revision", &Session::revision, {.max_bytes = 40, .pattern = &kRevisionPattern}),
    member("dirty", &Session::dirty), member("host", &Session::host), member("cpu", &Session::cpu),
    member("cores", &Session::cores, kNotNegative), member("software", &Session::software),
    optional_member("model", &Session::model), member("environment", &Session::environment),
    member("seed", &Session::seed), member("request", &Session::request));

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

template <>
inline constexpr auto kMembers<ModelShape> = std::tuple(
    member("d_model", &ModelShape::d_model, kPositive),
    member("d_ff", &ModelShape::d_ff, kPositive), member("layers", &ModelShape::layers, kPositive),
    member("heads", &ModelShape::heads, kPositive), member("vocab", &ModelShape::vocab, kPositive));

template <>
inline constexpr auto kMembers<AttentionSweep> = std::tuple(
    member("method", &AttentionSweep::method), member("backend", &AttentionSweep::backend),
    member("head_dim", &AttentionSweep::head_dim, kPositive),
    member("heads", &AttentionSweep::heads, kPositive),
    member("lengths", &AttentionSweep::lengths,
           {.min = 1, .min_items = 1, .max_items = kMaxLengths}));

template <>
inline constexpr auto kMembers<Ranks> =
    std::tuple(member("ranks", &Ranks::count, {.min = 2, .max = 1024}),
               member("collectives", &Ranks::collectives));

/// These are the keys of the object "params". The key "kind" is beside "params".
template <>
inline constexpr auto kMembers<CellSpec> = std::tuple(
    member("device", &CellSpec::device), optional_member("size", &CellSpec::size, kLabelBounds),
    optional_member("implementation", &CellSpec::implementation, kImplementationBounds),
    flattened(&CellSpec::model), flattened(&CellSpec::attention),
    optional_member("context", &CellSpec::context, kPositive),
    optional_member("batch", &CellSpec::batch, kPositive),
    optional_member("precision", &CellSpec::precision), optional_member("mode", &CellSpec::mode),
    optional_member("warmup", &CellSpec::warmup, kNotNegative),
    optional_member("steps", &CellSpec::steps, kNotNegative),
    optional_member("variant", &CellSpec::variant),
    optional_member("group", &CellSpec::blocks_per_checkpoint, kPositive),
    flattened(&CellSpec::ranks),
    optional_member("largest", &CellSpec::largest_bytes, {.min = 1024}),
    optional_member("sharding", &CellSpec::sharding), optional_member("scheme", &CellSpec::scheme),
    optional_member("bucket", &CellSpec::bucket_bytes, kPositive));

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
