#include "base/clock.h"

#include <fmt/format.h>

#include <ctime>

#include "base/error.h"

namespace labreport {
namespace {

constexpr int kEpoch = 1900;  // std::tm counts years from this one

}  // namespace

std::string utc_text(std::int64_t seconds) {
  const std::time_t moment = seconds;
  std::tm utc{};
  const bool named = gmtime_r(&moment, &utc) != nullptr;
  if (!named || utc.tm_year < -kEpoch || utc.tm_year > 9999 - kEpoch) {
    throw InputError(fmt::format("the clock is {} seconds from 1970, in a year that has no four "
                                 "digits",
                                 seconds),
                     "set the clock");
  }
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + kEpoch, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string utc_now() { return utc_text(std::time(nullptr)); }

}  // namespace labreport
