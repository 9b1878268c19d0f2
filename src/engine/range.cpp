#include "engine/range.h"

#include "base/error.h"

namespace labreport {

ObservedRanges::ObservedRanges(RangeObserver& observer) {
  if (Range::current_observer) throw Error("ranges already have an observer");
  Range::current_observer = &observer;
}

ObservedRanges::~ObservedRanges() { Range::current_observer = nullptr; }

}  // namespace labreport
