// Text that may stand in a chart's spec, and so in a picture.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace labreport {

/// Replaces, in every text and name of a chart's spec, what would void a whole picture and stop the
/// tool that draws it.
void make_drawable(nlohmann::json& spec);

/// `text` as a literal inside one of Vega's expressions, which `make_drawable` does not look into.
std::string expression_text(std::string_view text);

}  // namespace labreport
