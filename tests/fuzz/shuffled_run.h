// Makes runs that the schema accepts and nobody measured, from a recorded run's own parts in other
// places.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace labreport::fuzz {

/// A few cells of a recorded run with a few rows each, of which some values, rows, columns, metrics
/// and parameters are exchanged, dropped or repeated. The same seed gives the same run.
std::string shuffled_run(const nlohmann::json& recorded, std::uint64_t seed);

}  // namespace labreport::fuzz
