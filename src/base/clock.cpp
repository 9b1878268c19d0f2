#include "base/clock.h"

#include <fmt/format.h>

#include <ctime>

#include "base/error.h"

namespace labreport {
namespace {

constexpr int kTmFirstYear = 1900;  // std::tm counts years from here.

}  // namespace

std::string utc_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm utc{};
  const bool has_date = gmtime_r(&time, &utc) != nullptr;
  if (!has_date || utc.tm_year < kFirstYear - kTmFirstYear ||
      utc.tm_year > kLastYear - kTmFirstYear) {
    throw InputError(fmt::format("this machine's clock is {} seconds from 1970, and runs begin "
                                 "between {} and {}",
                                 seconds, kFirstYear, kLastYear),
                     "set the clock");
  }
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + kTmFirstYear,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string utc_now() { return utc_text(std::time(nullptr)); }

}  // namespace labreport
