#include "base/stamp.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <ctime>
#include <optional>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

// A file system may give the same time to two changes within this many seconds: ten times the
// longest usual kernel tick.
constexpr double kTick = 0.1;

/// Writes seconds and nanoseconds instead of a date, because a file's time may lie in any year.
std::string moment(const timespec& time) {
  return fmt::format("{}.{:09}", time.tv_sec, time.tv_nsec);
}

std::optional<struct stat> plain_file(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status;
}

std::string text(const struct stat& status) {
  return fmt::format("{} {} {} {}", status.st_size, moment(status.st_mtim), moment(status.st_ctim),
                     status.st_ino);
}

/// Returns the present time if a change of the file could still get the file's present stamp; empty
/// otherwise.
std::string unsettled_mark(const struct stat& status) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const timespec& changed = status.st_ctim;
  const double age = static_cast<double>(now.tv_sec) - static_cast<double>(changed.tv_sec) +
                     1e-9 * static_cast<double>(now.tv_nsec - changed.tv_nsec);
  return age > kTick ? "" : " at " + moment(now);
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
    lines.push_back(fmt::format("{}\t{}{}\n", name, text(*status), unsettled_mark(*status)));
  }
  std::ranges::sort(lines);
  return join(lines, "");
}

}  // namespace labreport
