// A cell's number, with what may stand beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "imports/vocabulary.h"

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
  const Unit* unit = nullptr;
  std::string why = {};
};

/// "12.3 ± 0.4 ms", "1.2e-3 s". With a comma it is wrong, which may stand for thousands or for
/// decimals; so is a unit that is not the column's, where its name holds one, else null.
TableNumber parse_table_number(std::string_view cell, const Unit* column = nullptr);

}  // namespace labreport
