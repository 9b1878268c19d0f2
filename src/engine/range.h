// Named stretches of work, for whoever listens: off, and then free of cost, unless asked for.
#pragma once

#include <string_view>

namespace labreport {

class RangeObserver {
 public:
  virtual ~RangeObserver() = default;
  /// Ranges nest: what opens last closes first.
  virtual void opened(std::string_view name) = 0;
  virtual void closed() = 0;
};

/// Listens until it is destroyed; at most one at a time.
class ObservedRanges {
 public:
  explicit ObservedRanges(RangeObserver& observer);
  ~ObservedRanges();
  ObservedRanges(const ObservedRanges&) = delete;
  ObservedRanges& operator=(const ObservedRanges&) = delete;
};

/// Open from construction to destruction. `name` has to outlive it.
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

  /// Whether anybody listens: what names ranges at a cost does so only then.
  static bool observed() { return current_observer != nullptr; }

 private:
  friend class ObservedRanges;
  static inline RangeObserver* current_observer = nullptr;

  RangeObserver* observer_;
};

}  // namespace labreport
