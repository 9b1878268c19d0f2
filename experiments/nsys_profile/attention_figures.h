// The figures of part (e), for one profile.
#pragma once

#include <optional>

#include "document/document.h"
#include "document/view.h"
#include "experiments/nsys_profile/attention_work.h"

namespace labreport::nsys_profile {

/// Sustained copies in B/s, from the `limits` cell.
std::optional<double> copy_bandwidth(const RunView& view);

/// Nothing where the device's limits or the stages were not measured.
std::optional<Figure> roofline_figure(const RunView& view, const Profile& profile);

/// The kernels of one layer's attention on a time axis; nothing where none were kept.
std::optional<Figure> layer_figure(const Profile& profile);

}  // namespace labreport::nsys_profile
