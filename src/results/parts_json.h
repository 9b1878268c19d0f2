// The keys that runs and launch files share: parameters, metrics, tables, outcomes, devices.
#pragma once

#include "results/json_reader.h"
#include "results/json_writer.h"
#include "results/run.h"

namespace labreport {

Json params_to_json(const CellSpec& spec);
Json launch_to_json(const Launch& launch);
Json device_to_json(const Device& device);
Json software_to_json(const Software& software);

CellSpec params_from_json(CellKind kind, const JsonReader& params);
Launch launch_from_json(const JsonReader& launch);
Device device_from_json(const JsonReader& device);
Software software_from_json(const JsonReader& software);

/// null for an absent value.
template <typename T>
Json optional_to_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<std::int64_t> optional_integer(const JsonReader& object, const std::string& key);

}  // namespace labreport
