#include "base/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_size(const fs::path& path, const std::string& size,
                              std::uintmax_t max_bytes) {
  throw InputError(path.string() + " is too large (" + size + " bytes, at most " +
                   std::to_string(max_bytes) + ")");
}

/// A pipe has no size, and files of the system claim to be empty; either may never end.
void append_rest(std::istream& stream, const fs::path& path, std::uintmax_t max_bytes,
                 std::string& bytes) {
  constexpr std::size_t kPiece = 1u << 16;
  std::string piece(kPiece, '\0');
  while (stream.read(piece.data(), kPiece), stream.gcount() > 0) {
    bytes.append(piece, 0, static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > max_bytes) refuse_size(path, "more", max_bytes);
  }
}

}  // namespace

std::string read_file(const fs::path& path, std::uintmax_t max_bytes) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw InputError("cannot read " + path.string() + ": it is a folder");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError("cannot read " + path.string() + ": " + std::strerror(errno));
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > max_bytes) refuse_size(path, std::to_string(size), max_bytes);
  std::string bytes(error ? 0 : size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream) append_rest(stream, path, max_bytes, bytes);
  return bytes;
}

std::string read_plain_file(const fs::path& path, std::uintmax_t max_bytes) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    throw InputError("cannot read " + path.string() + ": it is " +
                         (fs::is_symlink(status) ? "a link" : "no plain file"),
                     "put the file itself there");
  }
  return read_file(path, max_bytes);
}

}  // namespace labreport
