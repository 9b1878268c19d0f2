// Compiles {fmt} once, for all files that only declare it. The header-only mode adds seconds to
// each file that formats text, Debian has no static library, and the front end is carried to
// machines without the shared one. In that mode, what this file reaches of {fmt} is inline; the
// compiler keeps it as symbols, because this file is compiled by -fno-inline.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <cstdio>

namespace labreport {

void reach_fmt();  // Nobody calls it.

void reach_fmt() {
  fmt::print("{}", 1.0);
  fmt::print(stderr, "{}", fmt::format("{}", 1));
}

}  // namespace labreport
