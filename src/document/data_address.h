// A file as an address that holds it whole (RFC 2397).
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// With padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);

/// "data:image/png;base64,…" of "plot.png".
std::string data_address(std::string_view name, std::string_view bytes);

}  // namespace labreport
