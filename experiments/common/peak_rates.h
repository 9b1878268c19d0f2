// Knows the peak rates of a run's device. MFU and the least time of a step relate to them on all
// pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/view.h"

namespace labreport {

/// True if the data sheet of the run's device gives peak rates of dense matrix products. All runs
/// of such a device have one peak.
bool has_datasheet_peak(const RunView& view);

/// Returns the data sheet's peak rate of dense matrix products in FLOP/s. Where the sheet has none,
/// returns the rate of the run's fastest GEMM; nothing if that is unknown, too.
std::optional<double> peak_flop_rate(const RunView& view, Precision precision);

/// Returns the data sheet's bandwidth of the memory in B/s. Where the sheet has none, returns what
/// a copy reached in the run; nothing if that is unknown, too.
std::optional<double> peak_bandwidth(const RunView& view);

inline constexpr std::string_view kDataSheetPeaks = "data-sheet peaks";

/// Says whose peaks the functions above return: kDataSheetPeaks, "measured peaks", or "peak rates"
/// if the sheet has only one of them.
std::string peak_words(const RunView& view, Precision precision);

}  // namespace labreport
