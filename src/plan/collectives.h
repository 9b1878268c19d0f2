// Calculates the bytes that a rank sends in an all-reduce, and the tensor sizes that are measured.
#pragma once

#include <cstdint>
#include <vector>

namespace labreport {

/// The course handout's sizes in bytes: 1, 10 and 100 MB and 1 GB; an MB is 10⁶ bytes.
inline constexpr std::int64_t kHandoutSizes[]{1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

bool is_handout_size(std::int64_t bytes);

/// Returns the tensor sizes of a sweep in bytes, in ascending order: each power of two from 1 KiB
/// to `largest_bytes`, as in nccl-tests (`-b 1K -f 2`), and the handout's sizes up to
/// `largest_bytes`.
std::vector<std::int64_t> all_reduce_sizes(std::int64_t largest_bytes);

/// Returns 2(n − 1)/n: the bytes that each of n ranks sends in a ring for each byte of the tensor.
/// nccl-tests multiplies size/time (algbw) by this factor to get the bandwidth of the links
/// (busbw).
double bus_factor(std::int64_t ranks);

}  // namespace labreport
