// What an all-reduce moves, by arithmetic, and which sizes are measured.
#pragma once

#include <cstdint>
#include <vector>

namespace labreport {

/// The handout's sizes in bytes: 1, 10 and 100 MB and 1 GB, an MB being 10⁶ bytes.
inline constexpr std::int64_t kHandoutSizes[]{1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

bool is_handout_size(std::int64_t bytes);

/// Tensors of a sweep up to `largest` bytes, smallest first: every power of two from 1 KiB on, as
/// nccl-tests has it (`-b 1K -f 2`), and the handout's.
std::vector<std::int64_t> all_reduce_sizes(std::int64_t largest);

/// Bytes that a rank of a ring sends for each byte of the tensor, 2(n − 1)/n: what nccl-tests
/// multiplies size/time (algbw) with to have the bandwidth of the links (busbw).
double bus_factor(std::int64_t ranks);

}  // namespace labreport
