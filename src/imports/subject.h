// What a column, or a row of a long table, is a measurement of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "imports/words.h"

namespace labreport {

/// A mode's whole step, or one phase of it.
struct Subject {
  CellKind kind = CellKind::kTiming;
  Mode mode = Mode::kForward;
  std::string_view name;  ///< metric::kTotal, kBackward, kOptimizer, kPeak

  bool operator==(const Subject&) const = default;
};

/// "forward", "backward of forward+backward", "peak memory of train step"
std::string describe(const Subject& subject);

enum class Statistic { kMean, kStddev };

/// What the words of a name say; what they leave open is absent.
struct Meaning {
  std::optional<Subject> subject;
  std::optional<Statistic> statistic;
  std::optional<Unit> unit;
  std::optional<Precision> precision;
  std::string refusal;  ///< Why it is no time of a pass or step and no peak; empty when it is.
};

/// Every word must be known: a name with others means something else. "backward" is the phase of a
/// step of forward and backward; "forward" records for autograd, as a benchmarking script does.
Meaning meaning_of(const std::vector<std::string>& words);

}  // namespace labreport
