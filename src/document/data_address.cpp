#include "document/data_address.h"

#include <sodium.h>

#include <algorithm>

namespace labreport {
namespace {

std::string media_type(std::string_view name) {
  const std::string_view kind = name.substr(std::min(name.rfind('.'), name.size()));
  if (kind == ".svg") return "image/svg+xml";
  return kind == ".jpg" ? "image/jpeg" : "image/" + std::string(kind.substr(kind.empty() ? 0 : 1));
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  text.pop_back();  // the library appends a NUL
  return text;
}

std::string data_address(std::string_view name, std::string_view bytes) {
  return "data:" + media_type(name) + ";base64," + base64(bytes);
}

}  // namespace labreport
