// Bytes as text that an address can hold.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// RFC 4648's first alphabet, with padding.
std::string base64(std::string_view bytes);

}  // namespace labreport
