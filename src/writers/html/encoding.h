// Bytes as a page that is one file names them.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Base64 with padding (RFC 4648, section 4): as a data address holds a file.
std::string base64(std::string_view bytes);

/// The SHA-256 of the bytes in Base64: as a content security policy names what it trusts.
std::string sha256_base64(std::string_view bytes);

}  // namespace labreport
