#include "engine/range.h"

#include "base/error.h"

namespace labreport {

RangeObserverScope::RangeObserverScope(RangeObserver& observer) {
  if (Range::current_observer) throw Error("ranges already have an observer");
  Range::current_observer = &observer;
}

RangeObserverScope::~RangeObserverScope() { Range::current_observer = nullptr; }

}  // namespace labreport
