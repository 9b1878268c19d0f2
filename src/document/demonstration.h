// Marks runs on a CPU, in the same words in every format and on every page.
#pragma once

namespace labreport {

inline constexpr const char* kDemonstration = "CPU demonstration";
inline constexpr const char* kDemonstrationMeaning =
    "Tiny networks on a CPU show what a report looks like, not what a GPU does.";

}  // namespace labreport
