// Owns an open file descriptor, for system calls that streams do not offer.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

namespace labreport {

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) { open(path, flags); }
  explicit Descriptor(int fd) : fd_(fd) {}  ///< Takes what a system call returned, also -1.
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  /// Opens another file after the first was closed or could not be opened.
  void open(const std::filesystem::path& path, int flags) {
    fd_ = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// Closes the file. Returns false if that fails: network file systems report a lost write only
  /// here.
  bool close_checked() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_ = -1;
};

/// Returns false, with errno set, if not all bytes could be written.
inline bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace labreport
