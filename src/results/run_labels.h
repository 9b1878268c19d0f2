// Names the editions, presets and sources that a run can have.
#pragma once

#include <string_view>

namespace labreport {

/// plan/editions.h says what each edition of the course handout asks for.
inline constexpr std::string_view kEdition2025 = "2025", kEdition2026 = "2026";
inline constexpr std::string_view kEditionNames[]{kEdition2025, kEdition2026};

/// plan/planner.h says what each preset measures. Imported runs, which had no plan, have "none".
inline constexpr std::string_view kPresetFull = "full", kPresetQuick = "quick",
                                  kPresetDemo = "demo", kPresetNone = "none";
inline constexpr std::string_view kPresetNames[]{kPresetFull, kPresetQuick, kPresetDemo,
                                                 kPresetNone};

inline constexpr std::string_view kSourceMeasured = "measured", kSourceImported = "imported";
inline constexpr std::string_view kSourceNames[]{kSourceMeasured, kSourceImported};

}  // namespace labreport
