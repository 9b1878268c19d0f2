// Which sources this program was built from.
#pragma once

#include <string_view>

namespace labreport {

struct BuildInfo {
  std::string_view version;   ///< "0.1.0"
  std::string_view revision;  ///< The commit's full id, or "unknown".
  bool dirty = false;         ///< Sources differed from that commit.
};

/// Made anew by every build, from git or from LABREPORT_REVISION ("<id>" or "<id>-dirty").
const BuildInfo& build_info();

}  // namespace labreport
