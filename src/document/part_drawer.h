// Names the drawer of a part, which the page shows closed.
#pragma once

namespace labreport {

inline constexpr const char* kPartDrawer = "Data and method";

}  // namespace labreport
