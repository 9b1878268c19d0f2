#include "plan/collectives.h"

#include <algorithm>
#include <iterator>

namespace labreport {
namespace {

constexpr std::int64_t kSmallestBytes = 1024;

}  // namespace

bool is_handout_size(std::int64_t bytes) {
  return std::ranges::find(kHandoutSizes, bytes) != std::end(kHandoutSizes);
}

std::vector<std::int64_t> all_reduce_sizes(std::int64_t largest_bytes) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = kSmallestBytes; bytes <= largest_bytes; bytes *= 2)
    sizes.push_back(bytes);
  std::ranges::copy_if(kHandoutSizes, std::back_inserter(sizes),
                       [&](std::int64_t bytes) { return bytes <= largest_bytes; });
  std::ranges::sort(sizes);
  return sizes;
}

double bus_factor(std::int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  return 2 * (n - 1) / n;
}

}  // namespace labreport
