#include "base/files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/messages.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_size(const fs::path& path, const std::string& size,
                              std::uintmax_t max_bytes) {
  throw InputError(path.string() + " is too large (" + size + " bytes, at most " +
                   std::to_string(max_bytes) + ")");
}

[[noreturn]] void refuse_to_read(const fs::path& path, int reason) {
  throw InputError("cannot read " + path.string() + ": " + std::strerror(reason));
}

[[noreturn]] void refuse_kind(const fs::path& path, const std::string& kind) {
  throw InputError("cannot read " + path.string() + ": it is " + kind, "put the file itself there");
}

/// `size` is only the expected size: the file may change meanwhile, and pipes and /proc report
/// none.
std::string read_to_end(int fd, const fs::path& path, std::uintmax_t max_bytes,
                        std::uintmax_t size) {
  constexpr std::size_t kChunk = 1u << 16;
  std::string bytes(size + 1, '\0');
  std::size_t filled = 0;
  for (ssize_t bytes_read = 1; bytes_read != 0;) {
    if (filled == bytes.size()) bytes.resize(filled + kChunk);
    bytes_read = ::read(fd, bytes.data() + filled, bytes.size() - filled);
    if (bytes_read < 0 && errno != EINTR) refuse_to_read(path, errno);
    filled += static_cast<std::size_t>(std::max<ssize_t>(bytes_read, 0));
    if (filled > max_bytes) refuse_size(path, "more", max_bytes);
  }
  bytes.resize(filled);
  return bytes;
}

void add_entries(const fs::path& folder, std::vector<fs::directory_entry>& entries) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  while (!error && entry != fs::directory_iterator()) {
    entries.push_back(*entry);
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored) && !entry->is_symlink(ignored);
    if (is_folder) add_entries(fs::path(entry->path()), entries);
    entry.increment(error);
  }
  if (!error || error == std::errc::no_such_file_or_directory) return;
  skip("left out: cannot read " + folder.string() + ": " + error.message());
}

}  // namespace

std::string read_file(const fs::path& path, std::uintmax_t max_bytes) {
  const Descriptor file(path, O_RDONLY | O_NOCTTY);
  if (!file.is_open()) refuse_to_read(path, errno);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw InputError("cannot read " + path.string() + ": it is a folder");
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > max_bytes) refuse_size(path, std::to_string(size), max_bytes);
  return read_to_end(file.get(), path, max_bytes, error ? 0 : size);
}

void refuse_foreign_format(const fs::path& path, const std::string& remedy) {
  constexpr std::size_t kHeadBytes = 4096;
  constexpr std::pair<std::string_view, const char*> kFormats[]{
      {"\x80\x02", "a pickle of Python, as snapshots of memory are"},
      {"\x80\x03", "a pickle of Python, as snapshots of memory are"},
      {"\x80\x04", "a pickle of Python, as snapshots of memory are"},
      {"\x80\x05", "a pickle of Python, as snapshots of memory are"},
      {"SQLite format 3", "a database of SQLite, as exports of Nsight Systems are"},
      {"PK\x03\x04", "a zip archive"},
      {"\x1f\x8b", "a gzip archive"}};
  std::string head(kHeadBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), kHeadBytes);
  head.resize(static_cast<std::size_t>(file.gcount()));
  const auto known = std::ranges::find_if(
      kFormats, [&](const auto& format) { return head.starts_with(format.first); });
  const bool is_trace = head.find("\"traceEvents\"") != head.npos ||
                        (head.starts_with('{') && head.find("\"deviceProperties\"") != head.npos);
  const char* kind = known != std::end(kFormats)    ? known->second
                     : is_trace                     ? "a trace of torch.profiler"
                     : head.find('\0') != head.npos ? "a binary file"
                                                    : nullptr;
  if (kind == nullptr) return;
  throw InputError(path.string() + " is " + kind + ", which labreport cannot read", remedy);
}

// The kind of the open file is checked, not that of the path, which another program could replace
// meanwhile. O_NONBLOCK prevents waiting at a pipe.
std::string read_plain_file(const fs::path& path, std::uintmax_t max_bytes) {
  const Descriptor file(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  if (!file.is_open() && errno == ELOOP) refuse_kind(path, "a link");
  if (!file.is_open()) refuse_to_read(path, errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) refuse_to_read(path, errno);
  if (S_ISDIR(status.st_mode)) refuse_kind(path, "a folder");
  if (!S_ISREG(status.st_mode)) refuse_kind(path, "no plain file");
  const auto size = static_cast<std::uintmax_t>(status.st_size);
  if (size > max_bytes) refuse_size(path, std::to_string(size), max_bytes);
  return read_to_end(file.get(), path, max_bytes, size);
}

std::vector<fs::directory_entry> entries_below(const fs::path& root) {
  std::vector<fs::directory_entry> entries;
  add_entries(root, entries);
  return entries;
}

}  // namespace labreport
