// Encodes a file as an address that holds its content (RFC 2397).
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Encodes with padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);

/// Returns "data:image/png;base64,…" for "plot.png".
std::string data_url(std::string_view name, std::string_view bytes);

}  // namespace labreport
