// Bytes in running text, which needs fewer digits than a table.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "base/format.h"

namespace labreport {

/// Three significant digits: "12.7 GiB", "109 GiB", "400 MiB".
inline std::string prose_bytes(double bytes) {
  for (const auto& [unit, name] :
       {std::pair(kBytesPerGibibyte, " GiB"), {kBytesPerMebibyte, " MiB"}, {1024.0, " KiB"}}) {
    if (std::abs(bytes) >= unit) return format_significant(bytes / unit, 3) + name;
  }
  return format_fixed(bytes, 0) + " B";
}

}  // namespace labreport
