// Encodes a file as an address that holds its content (RFC 2397).
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Encodes bytes in Base64 with padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);

/// Returns a picture as an address. The end of `name`, such as "plot.png", tells the picture's
/// format: "data:image/png;base64,…".
std::string data_url(std::string_view name, std::string_view bytes);

}  // namespace labreport
