// Makes runs that the schema accepts but nobody measured, by moving and changing parts of a
// recorded run.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace labreport::fuzz {

/// Returns a few cells of a recorded run with a few rows each. Some values, rows, columns, metrics
/// and parameters are exchanged, dropped or repeated. The same seed gives the same run.
std::string shuffled_run(const nlohmann::json& recorded, std::uint64_t seed);

}  // namespace labreport::fuzz
