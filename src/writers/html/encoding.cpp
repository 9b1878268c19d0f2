#include "writers/html/encoding.h"

#include <sodium.h>

#include <array>

namespace labreport {
namespace {

const unsigned char* unsigned_bytes(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), unsigned_bytes(bytes), bytes.size(), kVariant);
  text.pop_back();  // the library ends it as C does
  return text;
}

std::string sha256_base64(std::string_view bytes) {
  std::array<char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(digest.data()), unsigned_bytes(bytes),
                     bytes.size());
  return base64({digest.data(), digest.size()});
}

}  // namespace labreport
