#include "base/stamp.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <vector>

// {fmt}'s precompiled headers leave __OPTIMIZE__ defined, and without optimization Boost 1.92 does
// not compile then.
#define BOOST_UUID_NO_SIMD
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "base/files.h"
#include "base/text.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

// A file system may give two changes within this time the same timestamp. It is ten times the
// longest usual tick of the kernel.
constexpr double kTickSeconds = 0.1;

/// Writes seconds and nanoseconds instead of a date, because a file's time may lie in any year.
std::string time_text(const timespec& time) {
  return fmt::format("{}.{:09}", time.tv_sec, time.tv_nsec);
}

std::optional<struct stat> plain_file_status(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status;
}

std::string status_text(const struct stat& status) {
  return fmt::format("{} {} {} {}", status.st_size, time_text(status.st_mtim),
                     time_text(status.st_ctim), status.st_ino);
}

/// Returns the present time if the file changed so recently that its next change could keep its
/// stamp; otherwise empty.
std::string unsettled_mark(const struct stat& status) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const timespec& change_time = status.st_ctim;
  const double age_seconds = static_cast<double>(now.tv_sec) -
                             static_cast<double>(change_time.tv_sec) +
                             1e-9 * static_cast<double>(now.tv_nsec - change_time.tv_nsec);
  return age_seconds > kTickSeconds ? "" : " at " + time_text(now);
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  const boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  std::string digits = to_string(generator(bytes.data(), bytes.size()));
  std::erase(digits, '-');
  return digits;
}

std::string file_stamp(const fs::path& path) {
  const auto status = plain_file_status(path);
  return status ? status_text(*status) : "";
}

std::string folder_stamp(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const fs::directory_entry& entry : entries_below(folder)) {
    const auto status = plain_file_status(entry.path());
    if (!status) continue;
    const std::string name = entry.path().lexically_relative(folder).string();
    lines.push_back(fmt::format("{}\t{}{}\n", name, status_text(*status), unsettled_mark(*status)));
  }
  std::ranges::sort(lines);
  return join(lines, "");
}

}  // namespace labreport
