// A text's SHA-256, as a page's content security policy names what it trusts.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// The SHA-256 of the bytes, in Base64 with padding.
std::string sha256_base64(std::string_view bytes);

}  // namespace labreport
