#include "base/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/error.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

std::string system_reason() { return std::strerror(errno); }

[[noreturn]] void fail_to_write(const fs::path& path) {
  const std::string remedy =
      errno == ENOSPC || errno == EDQUOT ? "free some space" : "check that the folder is writable";
  throw InputError("cannot write " + path.string() + ": " + system_reason(), remedy);
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// Network file systems report a lost write only here.
  bool close_checked() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

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

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  if (descriptor.is_open()) ::fsync(descriptor.get());
}

}  // namespace

std::string read_file(const fs::path& path, std::uintmax_t max_bytes) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw InputError("cannot read " + path.string() + ": it is a folder");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError("cannot read " + path.string() + ": " + system_reason());
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

void write_atomically(const fs::path& path, std::string_view bytes, Sync sync) {
  const fs::path sibling = path.string() + ".part";
  // Whatever lies there, a link in a folder from elsewhere, is not written through.
  ::unlink(sibling.c_str());
  Descriptor descriptor(sibling, O_WRONLY | O_CREAT | O_EXCL);
  if (!descriptor.is_open()) fail_to_write(path);
  const bool kept = write_all(descriptor.get(), bytes) &&
                    (sync == Sync::kNothing || ::fsync(descriptor.get()) == 0) &&
                    descriptor.close_checked() && ::rename(sibling.c_str(), path.c_str()) == 0;
  if (!kept) {
    const int reason = errno;
    ::unlink(sibling.c_str());
    errno = reason;
    fail_to_write(path);
  }
  if (sync == Sync::kFolder) sync_folder(path.parent_path());
}

void make_writable_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw InputError("cannot make the folder " + path.string() + ": " + error.message(),
                     "choose another with --out");
  }
  if (::access(path.c_str(), W_OK) != 0) {
    throw InputError("cannot write to the folder " + path.string() + ": " + system_reason(),
                     "choose another with --out");
  }
}

}  // namespace labreport
