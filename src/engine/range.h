// Named ranges of work, reported to an observer. Without an observer they cost almost nothing.
#pragma once

#include <string_view>

namespace labreport {

class RangeObserver {
 public:
  virtual ~RangeObserver() = default;
  /// Ranges nest: the last one opened closes first.
  virtual void opened(std::string_view name) = 0;
  virtual void closed() = 0;
};

/// Sets the observer from construction to destruction. Throws `Error` if there already is one.
class ObservedRanges {
 public:
  explicit ObservedRanges(RangeObserver& observer);
  ~ObservedRanges();
  ObservedRanges(const ObservedRanges&) = delete;
  ObservedRanges& operator=(const ObservedRanges&) = delete;
};

/// A range that is open from construction to destruction. The text of `name` must outlive it.
class Range {
 public:
  explicit Range(std::string_view name) : observer_(current_observer) {
    if (observer_) observer_->opened(name);
  }
  ~Range() {
    if (observer_) observer_->closed();
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

  /// Returns true if there is an observer. Ask this before you build a range's name at some cost.
  static bool observed() { return current_observer != nullptr; }

 private:
  friend class ObservedRanges;
  static inline RangeObserver* current_observer = nullptr;

  RangeObserver* observer_;
};

}  // namespace labreport
