// Text that may stand in XML, and so in a picture.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace labreport {

/// Control characters and the two code points that XML lacks, replaced: one of them would void a
/// whole picture, and stops the tool that draws it.
std::string xml_text(std::string_view text);

/// The same for every text in a chart's spec.
void make_drawable(nlohmann::json& spec);

}  // namespace labreport
