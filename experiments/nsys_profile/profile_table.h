// Rows of this problem's tables: profile by profile, pass by pass.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "document/document.h"
#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

/// Why a profile has no numbers; no row where it has all.
void add_missing(TableView& table, const Profile& profile);

/// A row for each of these passes that was measured: the profile, the pass and `cells` of its rows.
void add_passes(TableView& table, const Profile& profile, std::span<const Pass> passes,
                const std::function<std::vector<CellView>(const Rows&)>& cells);

}  // namespace labreport::nsys_profile
