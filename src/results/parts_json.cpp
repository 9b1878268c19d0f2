#include "results/parts_json.h"

namespace labreport {
namespace {

/// Parses a name with one of the `parse_*` functions; its complaint gets the path in front.
template <typename Parse>
auto named(const JsonReader& value, Parse parse) {
  const std::string text = value.text();
  try {
    return parse(text);
  } catch (const InputError& error) {
    value.complain(error.what());
  }
}

std::optional<bool> optional_boolean(const JsonReader& object, const std::string& key) {
  const auto value = object.maybe(key);
  return value ? std::optional(value->boolean()) : std::nullopt;
}

std::optional<ModelShape> model_from_json(const JsonReader& params) {
  if (!params.maybe("d_model")) return std::nullopt;
  return ModelShape{.d_model = params.at("d_model").integer(),
                    .d_ff = params.at("d_ff").integer(),
                    .layers = params.at("layers").integer(),
                    .heads = params.at("heads").integer(),
                    .vocab = params.at("vocab").integer()};
}

}  // namespace

std::optional<std::int64_t> optional_integer(const JsonReader& object, const std::string& key) {
  const auto value = object.maybe(key);
  return value ? std::optional(value->integer()) : std::nullopt;
}

Json params_to_json(const CellSpec& spec) {
  Json json{{"device", name(spec.device)}};
  if (!spec.size.empty()) json["size"] = spec.size;
  if (spec.model) {
    json["d_model"] = spec.model->d_model;
    json["d_ff"] = spec.model->d_ff;
    json["layers"] = spec.model->layers;
    json["heads"] = spec.model->heads;
    json["vocab"] = spec.model->vocab;
  }
  if (spec.context) json["context"] = *spec.context;
  if (spec.batch) json["batch"] = *spec.batch;
  if (spec.precision) json["precision"] = name(*spec.precision);
  if (spec.mode) json["mode"] = name(*spec.mode);
  if (spec.warmup) json["warmup"] = *spec.warmup;
  if (spec.steps) json["steps"] = *spec.steps;
  return json;
}

CellSpec params_from_json(CellKind kind, const JsonReader& params) {
  CellSpec spec{.kind = kind,
                .device = named(params.at("device"), parse_device_kind),
                .size = "",
                .model = model_from_json(params),
                .context = optional_integer(params, "context"),
                .batch = optional_integer(params, "batch"),
                .precision = std::nullopt,
                .mode = std::nullopt,
                .warmup = optional_integer(params, "warmup"),
                .steps = optional_integer(params, "steps")};
  if (const auto size = params.maybe("size")) spec.size = size->text(kMostLabel);
  if (const auto precision = params.maybe("precision")) {
    spec.precision = named(*precision, parse_precision);
  }
  if (const auto mode = params.maybe("mode")) spec.mode = named(*mode, parse_mode);
  if (!is_countable(spec)) params.complain("its tensors have more bytes than can be counted");
  return spec;
}

Json device_to_json(const Device& device) {
  return {{"kind", name(device.kind)},
          {"uuid_hash", device.uuid_hash},
          {"name", device.name},
          {"memory_bytes", device.memory_bytes},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", device.multiprocessors},
          {"max_sm_clock_mhz", device.max_sm_clock_mhz},
          {"max_memory_clock_mhz", device.max_memory_clock_mhz},
          {"power_limit_mw", device.power_limit_mw},
          {"ecc", optional_to_json(device.ecc)},
          {"mig", optional_to_json(device.mig)}};
}

Device device_from_json(const JsonReader& device) {
  return {.kind = named(device.at("kind"), parse_device_kind),
          .uuid_hash = device.at("uuid_hash").text(),
          .name = device.at("name").text(),
          .memory_bytes = device.at("memory_bytes").integer(),
          .compute_capability = device.at("compute_capability").text(),
          .multiprocessors = device.at("multiprocessors").integer(),
          .max_sm_clock_mhz = device.at("max_sm_clock_mhz").integer(),
          .max_memory_clock_mhz = device.at("max_memory_clock_mhz").integer(),
          .power_limit_mw = device.at("power_limit_mw").integer(),
          .ecc = optional_boolean(device, "ecc"),
          .mig = optional_boolean(device, "mig")};
}

Json software_to_json(const Software& software) {
  return {{"driver", software.driver},
          {"cuda", software.cuda},
          {"cublas", software.cublas},
          {"cupti", software.cupti},
          {"libtorch", software.libtorch}};
}

Software software_from_json(const JsonReader& software) {
  return {.driver = software.at("driver").text(),
          .cuda = software.at("cuda").text(),
          .cublas = software.at("cublas").text(),
          .cupti = software.at("cupti").text(),
          .libtorch = software.at("libtorch").text()};
}

}  // namespace labreport
