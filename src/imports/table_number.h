// A cell's number, with what may stand beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "imports/words.h"

namespace labreport {

struct TableNumber {
  enum class Kind {
    kNumber,
    kOutOfMemory,  ///< "OOM", also with words behind it
    kMissing,      ///< empty, "-", "n/a", "NaN"
    kUnclear,      ///< ">85", "~68", a kernel's name: no number to rely on
    kWrong,        ///< what no measurement can be, or can be read in two ways: `why`
  };
  Kind kind = Kind::kMissing;
  double value = 0;                      ///< Finite, not negative.
  std::optional<double> deviation = {};  ///< Behind "±", in the same unit.
  std::optional<Unit> unit = {};
  std::string why = {};
};

/// "1,234.5", "12.3 ± 0.4 ms", "1.2e-3 s". One comma alone ("1,234", "12,5") is wrong: it may stand
/// for thousands or for decimals.
TableNumber parse_table_number(std::string_view cell);

}  // namespace labreport
