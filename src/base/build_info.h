// The revision of the sources that this program was built from.
#pragma once

#include <string_view>

namespace labreport {

struct BuildInfo {
  std::string_view version;   ///< "0.1.0"
  std::string_view revision;  ///< The full commit id, or "unknown".
  bool dirty = false;         ///< The sources differed from that commit.
};

/// Each build takes revision and `dirty` from LABREPORT_REVISION ("<id>" or "<id>-dirty"), from the
/// bundle that holds the sources, or from git.
const BuildInfo& build_info();

}  // namespace labreport
