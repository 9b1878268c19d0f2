// The fixed vocabulary of imported tables: what names of columns and cells mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "results/cell.h"

namespace labreport {

struct Unit {
  std::string_view name;  ///< "ms", "GiB"
  double scale;           ///< Nanoseconds or bytes in one.
  bool time;              ///< Of time, else of memory.

  bool operator==(const Unit&) const = default;
};

/// "ms", "sec", "µs", "GiB" as one word; else null. "GB" is none: it has two meanings.
const Unit* unit_named(std::string_view word);

/// "fp32", "torch.bfloat16", "full", "mixed precision bf16".
std::optional<Precision> precision_named(std::string_view text);

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
  /// "context context_length seq …": the words of a name may stand in any order.
  std::string_view names = "ignored index";
  std::optional<Subject> subject = {};      ///< Of a value; without one its row's mode says it.
  std::optional<Precision> precision = {};  ///< Of a value whose name holds one.
  const Unit* unit = nullptr;               ///< Of a value whose name holds one.
  bool deviation = false;                   ///< Of a value: the standard deviation, not the mean.
  std::string_view yes = {}, no = {};       ///< What its cells mean by them: "bf16", "fp32".

  /// As `--map` takes it: "context", "forward", "value".
  std::string_view name() const { return names.substr(0, names.find(' ')); }
};

/// Of a column's name: a parameter; or a quantity, with a statistic, a unit and a precision beside
/// it. Words stand in any order, and each must be known: "median forward" is in no vocabulary.
/// "forward" records for autograd, as a benchmarking script does; "backward" is that phase of a
/// step of forward and backward.
std::optional<Meaning> meaning_of(std::string_view name);

/// Of a row's mode: a quantity.
std::optional<Meaning> quantity_of(std::string_view name);

/// What a cell says below such a name: "True" of "forward_only" is "forward".
std::string_view cell_below(const Meaning& meaning, std::string_view cell);

/// "size", "backward_std, bf16, ms"
std::string describe(const Meaning& meaning);

/// Every name that `--map` takes, without statistic, unit and precision.
std::vector<std::string> vocabulary();

/// A row or a value left out, and why: not wrong, but nothing to keep.
class LeftOut : public Error {
 public:
  using Error::Error;
};

struct TableNumber {
  double value = 0;                      ///< Finite, not negative.
  std::optional<double> deviation = {};  ///< Behind "±", in the same unit.
  const Unit* unit = nullptr;            ///< The cell's or the column's.
  bool out_of_memory = false;            ///< "OOM", also with words behind it; no value then.
};

/// "12.3 ± 0.4 ms", "1.2e-3 s". Throws `LeftOut` for no value ("-", "n/a", "NaN") and for none to
/// rely on (">85", "~68", a kernel's name); `InputError` for what no measurement can be and for
/// what can be read in two ways: a comma, which may stand for thousands or for decimals, and a unit
/// that is not the column's, where its name holds one.
TableNumber parse_table_number(std::string_view cell, const Unit* column = nullptr);

}  // namespace labreport
