#include "base/stamp.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <ctime>
#include <optional>
#include <vector>

#include "base/text.h"
#include "base/walk.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

// Within so many nanoseconds a file system may give two changes the same time: ten times the
// slowest usual kernel's tick.
constexpr std::int64_t kTick = 100'000'000;

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

std::optional<struct stat> plain_file(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status;
}

std::string text(const struct stat& status) {
  return fmt::format("{} {} {} {}", status.st_size, nanoseconds(status.st_mtim),
                     nanoseconds(status.st_ctim), status.st_ino);
}

/// Empty, or different each time, for a file of which a later change could go unseen.
std::string doubt(const struct stat& status) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const bool settled = nanoseconds(now) - nanoseconds(status.st_ctim) > kTick;
  return settled ? "" : fmt::format(" at {}", nanoseconds(now));
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  const boost::uuids::name_generator_sha1 hash(boost::uuids::ns::oid());
  std::string digits = to_string(hash(bytes.data(), bytes.size()));
  std::erase(digits, '-');
  return digits;
}

std::string file_stamp(const fs::path& path) {
  const auto status = plain_file(path);
  return status ? text(*status) : "";
}

std::string folder_stamp(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const fs::directory_entry& entry : entries_below(folder)) {
    const auto status = plain_file(entry.path());
    if (!status) continue;
    const std::string name = entry.path().lexically_relative(folder).string();
    lines.push_back(fmt::format("{}\t{}{}\n", name, text(*status), doubt(*status)));
  }
  std::ranges::sort(lines);
  return join(lines, "");
}

}  // namespace labreport
