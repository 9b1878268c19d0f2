// Named ranges of work, reported to an observer. Without an observer they cost almost nothing.
#pragma once

#include <string_view>

namespace labreport {

class RangeObserver {
 public:
  virtual ~RangeObserver() = default;
  /// Ranges nest: the last one opened closes first.
  virtual void on_open(std::string_view name) = 0;
  virtual void on_close() = 0;
};

/// Sets the observer from construction to destruction. Throws `Error` if there already is one.
class RangeObserverScope {
 public:
  explicit RangeObserverScope(RangeObserver& observer);
  ~RangeObserverScope();
  RangeObserverScope(const RangeObserverScope&) = delete;
  RangeObserverScope& operator=(const RangeObserverScope&) = delete;
};

/// A range that is open from construction to destruction. The text of `name` must outlive it.
class Range {
 public:
  explicit Range(std::string_view name) : observer_(current_observer) {
    if (observer_) observer_->on_open(name);
  }
  ~Range() {
    if (observer_) observer_->on_close();
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

  /// Returns true if there is an observer. Ask this before you build a range's name at some cost.
  static bool has_observer() { return current_observer != nullptr; }

 private:
  friend class RangeObserverScope;
  static inline RangeObserver* current_observer = nullptr;

  RangeObserver* observer_;
};

}  // namespace labreport
