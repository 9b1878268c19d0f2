#include "publish/content_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/stamp.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;
using Clock = fs::file_time_type::clock;

constexpr auto kRenewalInterval = std::chrono::hours(24);

struct CacheFile {
  fs::path path;
  std::uintmax_t bytes = 0;
  fs::file_time_type last_used;
};

/// Returns the first line of an entry's file. It detects a file that a power cut left unfinished,
/// and the copy of another entry.
std::string seal_of(const fs::path& path, const std::string& bytes) {
  return content_hash(path.filename().string() + "\n" + bytes);
}

}  // namespace

ContentCache::ContentCache(fs::path folder, std::uintmax_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

fs::path ContentCache::path_of(const std::string& key) const { return folder_ / content_hash(key); }

std::optional<std::string> ContentCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = path_of(key);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  try {
    std::string text = read_file(path);
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string bytes = text.substr(end + 1);
    if (seal_of(path, bytes) != text.substr(0, end)) return std::nullopt;
    // Updating the time once a day suffices to tell which files are in use.
    if (Clock::now() - fs::last_write_time(path, error) > kRenewalInterval) {
      fs::last_write_time(path, Clock::now(), error);
    }
    return bytes;
  } catch (const Error&) {
    return std::nullopt;  // Another process removed the file just now.
  }
}

void ContentCache::store(const std::string& key, const std::string& bytes) const {
  if (folder_.empty()) return;
  const fs::path path = path_of(key);
  // Other processes may store the same entry now, so each first writes a separate file.
  static std::atomic<int> counter = 0;
  const fs::path unfinished = fmt::format("{}.{}.{}", path.string(), ::getpid(), ++counter);
  std::error_code error;
  fs::create_directories(folder_, error);
  try {
    write_atomically(unfinished, seal_of(path, bytes) + "\n" + bytes, Sync::kNothing);
    fs::rename(unfinished, path, error);
  } catch (const Error&) {
    fs::remove(unfinished, error);  // The next render makes the result again.
  }
}

void ContentCache::trim() const {
  std::vector<CacheFile> files;
  std::uintmax_t total = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    files.push_back({entry.path(), entry.file_size(error), entry.last_write_time(error)});
    total += files.back().bytes;
  }
  if (total <= limit_bytes_) return;
  std::ranges::sort(files, {}, &CacheFile::last_used);  // The least recently used comes first.
  for (const CacheFile& file : files) {
    if (total <= limit_bytes_ / 2) break;
    if (fs::remove(file.path, error)) total -= file.bytes;
  }
}

}  // namespace labreport
