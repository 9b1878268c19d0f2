// Text that may stand in a chart's spec, and so in a picture.
#pragma once

#include <nlohmann/json.hpp>

namespace labreport {

/// Replaces, in every text and name of a chart's spec, what would void a whole picture and stop the
/// tool that draws it.
void make_drawable(nlohmann::json& spec);

}  // namespace labreport
