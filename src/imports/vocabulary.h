// The fixed vocabulary of imported tables: what the names of columns, and of modes in rows, mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

struct Unit {
  std::string_view name;       ///< "ms", "GiB"
  double scale;                ///< Nanoseconds or bytes in one.
  bool time;                   ///< Of time, else of memory.
  std::string_view spellings;  ///< In lower case, a space between.
};

/// "ms", "sec", "µs", "GiB" as one word; else null. "GB" is none: it has two meanings.
const Unit* unit_named(std::string_view word);

/// "fp32", "torch.bfloat16", "full", "mixed precision bf16".
std::optional<Precision> precision_named(std::string_view text);

/// yes, true, 1 … and their opposites; nothing for other words.
std::optional<bool> parse_yes_no(std::string_view text);

/// What a column holds. Rows of different experiments are different launches; the mode of a row
/// says what its value is of, where the value's name does not; a value is a mean or a standard
/// deviation of times, or a peak.
enum class Role {
  kSize,
  kGpu,
  kEdition,
  kExperiment,
  kSource,
  kMode,
  kUnit,
  kPrecision,
  kContext,
  kBatch,
  kWarmup,
  kSteps,
  kModelWidth,
  kInnerWidth,
  kLayers,
  kHeads,
  kValue,
  kIgnored
};

/// A mode's whole step, or one phase of it, or its peak.
struct Subject {
  CellKind kind = CellKind::kTiming;
  Mode mode = Mode::kForward;
  std::string_view metric;  ///< metric::kTotal, kBackward, kOptimizer, kPeak

  bool operator==(const Subject&) const = default;
};

struct Meaning {
  Role role = Role::kIgnored;
  std::string_view name = "ignored";        ///< As `--map` takes it: "context", "forward", "value"
  std::optional<Subject> subject = {};      ///< Of a value; without one its row's mode says it.
  bool deviation = false;                   ///< Of a value: the standard deviation, not the mean.
  const Unit* unit = nullptr;               ///< Of a value whose name holds one.
  std::optional<Precision> precision = {};  ///< Of a value; of a precision: what "yes" means.
};

/// Of a column's name: a parameter by one of its spellings; or a quantity, in words of any order
/// with a statistic, a unit and a precision beside it. Every word must be known: "median forward"
/// is in no vocabulary. "forward" records for autograd, as a benchmarking script does; "backward"
/// is that phase of a step of forward and backward.
std::optional<Meaning> meaning_of(std::string_view name);

/// Of a row's mode: a quantity.
std::optional<Meaning> quantity_of(std::string_view name);

/// "size", "backward_std, bf16, ms"
std::string describe(const Meaning& meaning);

/// Every name that `--map` takes, without statistic, unit and precision.
std::vector<std::string> vocabulary();

}  // namespace labreport
