#include "orchestrate/time_limit.h"

#include <charconv>
#include <cmath>

#include "base/error.h"

namespace labreport {
namespace {

// Estimates are rough, and a launch begins with loading libraries from a disk that may be slow.
constexpr double kLeastSeconds = 600;
constexpr double kTimesTheEstimate = 20;

double parse_seconds(const std::string& text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || stop != end || !std::isfinite(seconds) || seconds <= 0) {
    throw InputError("--timeout is '" + text + "'", "give seconds, more than 0");
  }
  return seconds;
}

}  // namespace

void set_time_limit(WorkerSetup& worker, const std::optional<std::string>& timeout) {
  worker.limit_seconds = timeout ? parse_seconds(*timeout) : kLeastSeconds;
  worker.limit_per_estimate = timeout ? 0 : kTimesTheEstimate;
}

}  // namespace labreport
