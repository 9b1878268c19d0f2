// Decimals under each other in a column of formatted numbers.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// What must stand, unseen, around a right-aligned text so that its column lines up.
struct Padding {
  std::string middle;  ///< Between the value and " ± deviation".
  std::string end;
};

/// One padding a row for that column of numbers, e.g. for "12.5" beside "3.25": end "0". Texts that
/// are no numbers get none.
std::vector<Padding> align_decimals(const TableView& table, std::size_t column);

}  // namespace labreport
