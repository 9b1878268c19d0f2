#include "document/data_url.h"

#include <sodium.h>

namespace labreport {
std::string base64(std::string_view bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  text.pop_back();  // The library appends a NUL.
  return text;
}

std::string data_url(std::string_view name, std::string_view bytes) {
  const std::size_t dot = name.rfind('.');
  std::string format(dot == name.npos ? "" : name.substr(dot + 1));
  if (format == "svg") format = "svg+xml";
  if (format == "jpg") format = "jpeg";
  return "data:image/" + format + ";base64," + base64(bytes);
}

}  // namespace labreport
