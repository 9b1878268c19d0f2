#include "engine/host_clock.h"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace labreport {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kOldestPlausibleNs = 3600 * kNanosecondsPerSecond;
constexpr int kStartTimeField = 22;  // field of /proc/self/stat, counted from 1
constexpr int kFirstFieldAfterName = 3;

/// Returns the clock ticks from boot to the process's start.
std::optional<std::int64_t> start_ticks() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto name_end = text.rfind(')');  // the name may contain any character
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  std::string field;
  for (int i = kFirstFieldAfterName; i < kStartTimeField; ++i) rest >> field;
  std::int64_t ticks = 0;
  if (!(rest >> ticks)) return std::nullopt;
  return ticks;
}

}  // namespace

std::int64_t host_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::optional<std::int64_t> process_age_ns() {
  const auto ticks = start_ticks();
  timespec now{};
  if (!ticks || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
  const std::int64_t start_ns = *ticks * (kNanosecondsPerSecond / sysconf(_SC_CLK_TCK));
  const std::int64_t age_ns = now.tv_sec * kNanosecondsPerSecond + now.tv_nsec - start_ns;
  if (age_ns < 0 || age_ns > kOldestPlausibleNs) return std::nullopt;
  return age_ns;
}

}  // namespace labreport
