// What may be said of warm-up windows, by how much warm steps vary themselves.
#pragma once

#include <string>
#include <vector>

#include "experiments/benchmarking_script/windows.h"

namespace labreport::benchmarking_script {

/// A smaller change is none.
inline constexpr double kNoticeable = 0.01;

/// Some mean without warm-up is less than half or more than twice the warm one.
bool any_factor(const std::vector<WarmupRow>& rows);

/// How the mean without warm-up differs: "+2.3 % (2.7B) to +47 % (small)"; "0.07 × (a) to 2.4 ×
/// (b)" where percentages would mislead.
std::string rise_range(const std::vector<WarmupRow>& rows);

/// The largest distance of the window's mean from the warm one, over all rows, as a share.
double largest_residue(const std::vector<WarmupRow>& rows, std::size_t warmup);

/// The same in words, rounded up, since "within 0.0 %" would not be true: "0.1 %", "a factor of
/// 14".
std::string bound_words(const std::vector<WarmupRow>& rows, std::size_t warmup);

/// Rows whose mean without warm-up differs by no more than their warm steps vary.
std::vector<std::string> unclear_rows(const std::vector<WarmupRow>& rows);

/// Its step 2 lies above the warm steps by more than they vary.
bool stands_out(const WarmupRow& row);

/// Of those whose step 2 stands out, where there are any. `rows` is not empty.
const WarmupRow& slowest_second_step(const std::vector<WarmupRow>& rows);

}  // namespace labreport::benchmarking_script
