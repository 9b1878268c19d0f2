// Every JSON key of runs, of launches' files and of the process boundary.
#pragma once

#include "results/json_members.h"
#include "results/run.h"

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

template <>
inline constexpr auto kMembers<Software> = std::tuple(
    member("driver", &Software::driver), member("cuda", &Software::cuda),
    member("cublas", &Software::cublas), member("cupti", &Software::cupti),
    member("libtorch", &Software::libtorch), optional_member("python", &Software::python));

template <>
inline constexpr auto kMembers<ModelSource> =
    std::tuple(member("implementation", &ModelSource::implementation, kMostLabel),
               member("model", &ModelSource::model), member("arguments", &ModelSource::arguments),
               member("loss", &ModelSource::loss), member("optimizer", &ModelSource::optimizer),
               optional_member("compile", &ModelSource::compile),
               optional_member("attention", &ModelSource::attention));

/// The keys are the flags' names, in the order in which commands have them.
template <>
inline constexpr auto kMembers<Request> = std::tuple(
    optional_member("edition", &Request::edition), optional_member("preset", &Request::preset),
    optional_member("problems", &Request::problems), optional_member("only", &Request::only),
    optional_member("model", &Request::model), optional_member("and", &Request::beside),
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

inline bool is_empty(const Request& request) { return request == Request(); }

template <>
inline constexpr auto kMembers<Session> = std::tuple(
    member("started_at", &Session::started_at), member("argv", &Session::argv),
    member("revision", &Session::revision), member("dirty", &Session::dirty),
    member("host", &Session::host), member("cpu", &Session::cpu), member("cores", &Session::cores),
    member("software", &Session::software), optional_member("model", &Session::model),
    member("environment", &Session::environment), member("seed", &Session::seed),
    optional_member("request", &Session::request));

template <>
inline constexpr auto kMembers<Device> =
    std::tuple(member("kind", &Device::kind), member("uuid_hash", &Device::uuid_hash),
               member("name", &Device::name), member("memory_bytes", &Device::memory_bytes),
               member("compute_capability", &Device::compute_capability),
               member("multiprocessors", &Device::multiprocessors),
               member("max_sm_clock_mhz", &Device::max_sm_clock_mhz),
               member("max_memory_clock_mhz", &Device::max_memory_clock_mhz),
               member("power_limit_mw", &Device::power_limit_mw), member("ecc", &Device::ecc),
               member("mig", &Device::mig));

template <>
inline constexpr auto kMembers<ModelShape> =
    std::tuple(member("d_model", &ModelShape::d_model), member("d_ff", &ModelShape::d_ff),
               member("layers", &ModelShape::layers), member("heads", &ModelShape::heads),
               member("vocab", &ModelShape::vocab));

template <>
inline constexpr auto kMembers<AttentionSweep> = std::tuple(
    member("method", &AttentionSweep::method), member("backend", &AttentionSweep::backend),
    member("head_dim", &AttentionSweep::head_dim), member("heads", &AttentionSweep::heads),
    member("lengths", &AttentionSweep::lengths, kMostLengths));

template <>
inline constexpr auto kMembers<Ranks> =
    std::tuple(member("ranks", &Ranks::count), member("collectives", &Ranks::collectives));

/// Of the object "params"; "kind" stands beside it.
template <>
inline constexpr auto kMembers<CellSpec> = std::tuple(
    member("device", &CellSpec::device), optional_member("size", &CellSpec::size, kMostLabel),
    optional_member("implementation", &CellSpec::implementation, kMostLabel),
    spread(&CellSpec::model), spread(&CellSpec::attention),
    optional_member("context", &CellSpec::context), optional_member("batch", &CellSpec::batch),
    optional_member("precision", &CellSpec::precision), optional_member("mode", &CellSpec::mode),
    optional_member("warmup", &CellSpec::warmup), optional_member("steps", &CellSpec::steps),
    optional_member("variant", &CellSpec::variant), optional_member("group", &CellSpec::group),
    spread(&CellSpec::ranks), optional_member("largest", &CellSpec::largest),
    optional_member("sharding", &CellSpec::sharding), optional_member("scheme", &CellSpec::scheme),
    optional_member("bucket", &CellSpec::bucket));

void write_into(Json& params, const std::optional<ModelShape>& model);
void read_from(const JsonReader& params, std::optional<ModelShape>& model);
void write_into(Json& params, const std::optional<AttentionSweep>& sweep);
void read_from(const JsonReader& params, std::optional<AttentionSweep>& sweep);
void write_into(Json& params, const std::optional<Ranks>& ranks);
void read_from(const JsonReader& params, std::optional<Ranks>& ranks);
void write_into(Json& object, const CellSpec& spec);
void read_from(const JsonReader& object, CellSpec& spec);
void check_read(const JsonReader& params, const CellSpec& spec);

template <>
inline constexpr auto kMembers<OutOfMemory> = std::tuple(
    member("phase", &OutOfMemory::phase), member("requested_bytes", &OutOfMemory::requested_bytes),
    member("in_use_bytes", &OutOfMemory::in_use_bytes),
    member("peak_bytes", &OutOfMemory::peak_bytes), optional_member("rank", &OutOfMemory::rank));
template <>
inline constexpr auto kMembers<Skipped> = std::tuple(member("reason", &Skipped::reason));
template <>
inline constexpr auto kMembers<TimedOut> = std::tuple(
    member("limit_seconds", &TimedOut::limit_seconds), optional_member("rank", &TimedOut::rank));
template <>
inline constexpr auto kMembers<Crashed> =
    std::tuple(member("signal", &Crashed::signal), member("message", &Crashed::message),
               optional_member("rank", &Crashed::rank));
template <>
inline constexpr auto kMembers<Failed> =
    std::tuple(member("message", &Failed::message), optional_member("rank", &Failed::rank));

void to_json(Json& object, const Outcome& outcome);
void read_json(const JsonReader& json, Outcome& outcome, std::size_t most = 0);

template <>
inline constexpr auto kMembers<Metric> =
    std::tuple(member("tag", &Metric::tag, kMostLabel), member("name", &Metric::name, kMostLabel),
               member("unit", &Metric::unit, kMostLabel), spread(&Metric::data),
               optional_member("reason", &Metric::reason));

template <>
inline constexpr auto kMembers<TableColumn> = std::tuple(
    member("name", &TableColumn::name, kMostLabel), member("unit", &TableColumn::unit, kMostLabel));

template <>
inline constexpr auto kMembers<Table> =
    std::tuple(member("name", &Table::name), member("columns", &Table::columns),
               member("rows", &Table::rows, kMostTraced));

void check_read(const JsonReader& json, const Table& table);

template <>
inline constexpr auto kMembers<Launch> =
    std::tuple(member("session", &Launch::session), member("device", &Launch::device),
               member("outcome", &Launch::outcome), member("wall_ns", &Launch::wall_ns),
               member("metrics", &Launch::metrics), member("tables", &Launch::tables),
               member("conditions", &Launch::conditions), member("warnings", &Launch::warnings));

template <>
inline constexpr auto kMembers<Cell> =
    std::tuple(member("id", &Cell::id), spread(&Cell::spec), member("launches", &Cell::launches));

void check_read(const JsonReader& json, const Cell& cell);

/// Behind "schema_version".
template <>
inline constexpr auto kMembers<Run> =
    std::tuple(member("edition", &Run::edition), member("preset", &Run::preset),
               member("source", &Run::source), member("sessions", &Run::sessions),
               member("devices", &Run::devices), member("cells", &Run::cells, kMostCells));

template <>
inline constexpr auto kMembers<Rendezvous> =
    std::tuple(member("rank", &Rendezvous::rank), member("store", &Rendezvous::store),
               member("timeout_seconds", &Rendezvous::timeout_seconds));

template <>
inline constexpr auto kMembers<LaunchRequest> = std::tuple(
    spread(&LaunchRequest::spec), member("launch", &LaunchRequest::launch),
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
