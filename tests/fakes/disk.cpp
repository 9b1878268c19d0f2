// A disk that fails. Preloaded into a program, it counts and logs the calls that change something
// below a folder, and makes one of them go wrong. Environment variables configure it:
//   FAKE_DISK          the folder
//   FAKE_DISK_PROGRAM  the only program that has this disk
//   FAKE_DISK_LOG      the log, with a line "<call> <path>" for each call, and a line "fault"
//                      before the call that goes wrong
//   FAKE_DISK_AT       the number of the call that goes wrong, from 1
//   FAKE_DISK_FAULT    "<errno>": this call and all later ones fail, a write after half its bytes
//                      "once <errno>": only this call fails
//                      "short": a write succeeds with half its bytes
//                      "kill": the program dies before the call, or halfway through a write
//                      "vanish": the folder is moved to <folder>.gone before the call
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string path_of(int file) {
  std::string path(4096, '\0');
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = file == AT_FDCWD ? readlink("/proc/self/cwd", path.data(), path.size())
                                          : readlink(link.c_str(), path.data(), path.size());
  path.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  return path;
}

std::string absolute(int folder, const char* path) {
  return *path == '/' ? path : path_of(folder) + "/" + path;
}

class Disk {
 public:
  Disk() {
    if (environment_variable("FAKE_DISK_PROGRAM") != program_invocation_short_name) return;
    folder_ = environment_variable("FAKE_DISK");
    fault_ = environment_variable("FAKE_DISK_FAULT");
    faulty_call_ = std::atoi(environment_variable("FAKE_DISK_AT").c_str());
    once_ = fault_.starts_with("once ");
    errno_ = std::atoi(fault_.substr(once_ ? 5 : 0).c_str());
    log_file_ = static_cast<int>(syscall(SYS_openat, AT_FDCWD,
                                         environment_variable("FAKE_DISK_LOG").c_str(),
                                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }

  bool has(const std::string& path) const {
    return !folder_.empty() && (path == folder_ || path.starts_with(folder_ + "/"));
  }

  /// Counts and logs a call. Returns false and sets errno if the call must fail.
  bool allows(const char* call, const std::string& path) {
    if (!has(path)) return true;
    const bool fault = goes_wrong(call);
    log((fault ? "fault\n" : "") + std::string(call) + " " + path + "\n");
    if (!fault) return true;
    if (fault_ == "kill") raise(SIGKILL);
    if (fault_ == "vanish") vanish();
    errno = errno_;
    return errno_ == 0;
  }

  /// Returns how many bytes of a write to accept. Returns 0 and sets errno if the write must fail.
  std::size_t allows_bytes(const std::string& path, std::size_t bytes) {
    if (!has(path)) return bytes;
    const bool is_half = call_count_ + 1 == faulty_call_ && bytes > 1 && fault_ != "vanish";
    if (!is_half) return allows("write", path) ? bytes : 0;
    ++call_count_;
    second_half_fails_ = fault_ != "short";
    log("write " + path + "\n");
    return bytes / 2;
  }

 private:
  bool goes_wrong(std::string_view call) {
    ++call_count_;
    if (second_half_fails_) {
      second_half_fails_ = false;
      return true;
    }
    if (faulty_call_ == 0 || call_count_ < faulty_call_ || fault_ == "short") return false;
    if (errno_ == 0 || once_) return call_count_ == faulty_call_;
    // Removing files works even on a full disk.
    return call != "remove" || (errno_ != ENOSPC && errno_ != EDQUOT);
  }

  void vanish() const {
    syscall(SYS_renameat2, AT_FDCWD, folder_.c_str(), AT_FDCWD, (folder_ + ".gone").c_str(), 0);
  }

  void log(const std::string& line) const {
    [[maybe_unused]] const long written = syscall(SYS_write, log_file_, line.data(), line.size());
  }

  std::string folder_;
  std::string fault_;
  int faulty_call_ = 0;
  int call_count_ = 0;
  int errno_ = 0;
  int log_file_ = -1;
  bool once_ = false;
  bool second_half_fails_ = false;  ///< True after the first half of a write that goes wrong.
};

Disk& disk() {
  static Disk the_disk;
  return the_disk;
}

int open_file(int folder, const char* path, int flags, unsigned mode) {
  const bool writes = (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
  if (writes && !disk().allows("open", absolute(folder, path))) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

int remove_file(int folder, const char* path, int flags) {
  if (!disk().allows("remove", absolute(folder, path))) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_file(folder, path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t count) {
  const std::size_t allowed = disk().allows_bytes(path_of(file), count);
  return allowed == 0 && count > 0 ? -1 : syscall(SYS_write, file, bytes, allowed);
}

int fsync(int file) {
  return disk().allows("fsync", path_of(file)) ? static_cast<int>(syscall(SYS_fsync, file)) : -1;
}

int rename(const char* from, const char* to) noexcept {
  if (!disk().allows("rename", absolute(AT_FDCWD, to))) return -1;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat2(int folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if (!disk().allows("rename", absolute(to_folder, to))) return -1;
  return static_cast<int>(syscall(SYS_renameat2, folder, from, to_folder, to, flags));
}

int renameat(int folder, const char* from, int to_folder, const char* to) noexcept {
  return renameat2(folder, from, to_folder, to, 0);
}

int link(const char* from, const char* to) noexcept {
  if (!disk().allows("link", absolute(AT_FDCWD, to))) return -1;
  return static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (!disk().allows("mkdir", absolute(AT_FDCWD, path))) return -1;
  return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

int unlink(const char* path) noexcept { return remove_file(AT_FDCWD, path, 0); }

int unlinkat(int folder, const char* path, int flags) noexcept {
  return remove_file(folder, path, flags);
}

int remove(const char* path) noexcept {
  if (remove_file(AT_FDCWD, path, 0) == 0) return 0;
  if (errno != EISDIR) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

}  // extern "C"
