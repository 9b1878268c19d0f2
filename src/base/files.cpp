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
  if (!error && size > max_bytes) {
    throw InputError(path.string() + " is too large (" + std::to_string(size) + " bytes, at most " +
                     std::to_string(max_bytes) + ")");
  }
  std::string bytes(error ? 0 : size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  // A pipe has no size, and files of the system claim to be empty.
  if (stream) bytes.append(std::istreambuf_iterator<char>(stream), {});
  return bytes;
}

void write_atomically(const fs::path& path, std::string_view bytes, Sync sync) {
  const fs::path sibling = path.string() + ".part";
  Descriptor descriptor(sibling, O_WRONLY | O_CREAT | O_TRUNC);
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
