// Two runs side by side: every row that both or one of them has, its ratio, what may be said of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/match.h"
#include "analysis/measures.h"
#include "analysis/relation.h"
#include "analysis/verdict.h"

namespace labreport {

/// How a row stands between the two runs.
/// Unrecorded: the cell ran, but this number of it is not known.
enum class RowStanding {
  kMatched,
  kOnlyA,
  kOnlyB,
  kFailedA,
  kFailedB,
  kFailedBoth,
  kUnrecordedA,
  kUnrecordedB
};

/// The name in JSON: "matched", "only_a", …
std::string_view name(RowStanding standing);

/// One side of a row.
struct RowSide {
  std::optional<double> value = {};       ///< Geometric mean of `launches`; ns or B.
  std::vector<double> launches = {};      ///< One value each, in their order.
  std::string reason = {};                ///< Why there is no value: "out of memory in …".
  bool fits = true;                       ///< False: out of memory, or skipped as too large.
  bool unrecorded = false;                ///< It ran, but this number of it is not known.
  std::vector<std::string> flags = {};    ///< What disturbed it.
  std::optional<double> peak_share = {};  ///< Of the run's own measured matrix rate.
  std::optional<double> bandwidth_share = {};
  std::optional<double> busbw = {};  ///< Of an all-reduce, as nccl-tests has it; B/s.
};

/// What the devices' measured limits say the ratio should be.
struct Prediction {
  std::optional<double> by_peak = {};       ///< A's matrix rate over B's.
  std::optional<double> by_bandwidth = {};  ///< A's copy bandwidth over B's.
  /// The ratio over the nearer of the two where it lies outside of both by more than a tenth.
  std::optional<double> departure = {};
};

struct ComparedRow {
  std::string cell = {};  ///< The id, A's where both have one.
  std::string cell_b = {};
  std::string size = {};  ///< The label of A, else of B.
  CellSpec spec = {};
  Measure measure = Measure::kStep;
  RowStanding standing = RowStanding::kMatched;
  RowSide a = {};
  RowSide b = {};
  std::optional<double> ratio = {};  ///< B ÷ A
  /// The ratio's 95 % interval over launches; absent with fewer than three a side.
  std::optional<std::pair<double, double>> interval = {};
  Prediction prediction = {};
  std::optional<Judged> judged = {};  ///< On one machine alone.
  std::vector<std::string> remarks = {};
};

/// FP32 over another precision, on both sides.
struct SpeedupRow {
  CellSpec spec = {};  ///< In that other precision.
  std::string size = {};
  Measure measure = Measure::kStep;
  std::optional<double> a = {};
  std::optional<double> b = {};
};

/// The longest kernel of one class in a profiled step, where its family is another on either side.
struct KernelChange {
  CellSpec spec = {};
  std::string size = {};
  std::string kernel_class = {};  ///< "gemm"
  std::string a = {};             ///< The kernel's name.
  std::string b = {};
  double share_a = 0;  ///< Of the step's kernel time, in [0, 1].
  double share_b = 0;
};

/// Kernels of a profiled step, added up.
struct KernelSum {
  double ns = 0;
  double kernels = 0;

  bool operator==(const KernelSum&) const = default;
};

/// Those of one phase that serve one part of the network.
struct PlaceDifference {
  std::string phase;  ///< "forward"
  std::string
      place;  ///< "attention: softmax", see analysis/kernel_places.h; empty: the whole phase.
  KernelSum a = {}, b = {};

  double change() const { return b.ns - a.ns; }
};

/// The same profiled step on both sides.
struct StepDifference {
  CellSpec spec = {};
  std::string size = {};
  std::vector<PlaceDifference> places = {};  ///< The largest changes first.
};

/// Who a side is.
struct ComparedRun {
  std::string device = {};  ///< "NVIDIA H200"
  std::string model = {};   ///< The implementation of its user's; empty: labreport's network.
  std::string edition = {};
  std::string preset = {};
  std::string source = {};
  std::string started_at = {};  ///< Imported: empty, as what the session says of the machine.
  std::string revision = {};
  std::string driver = {};
  std::string cpu = {};
  double power_limit_watts = 0;
  double memory_bytes = 0;
  Limits limits = {};
  std::vector<std::string> titles = {};   ///< Imported: whose numbers they are, as declared.
  std::vector<std::string> sources = {};  ///< Imported: where they stand.
  std::vector<std::string> assumed = {};  ///< Imported: what the tables did not say.
};

struct Comparison {
  ComparedRun a = {};
  ComparedRun b = {};
  Related related = {};
  std::size_t matched = 0;  ///< Cells, not rows.
  std::size_t only_a = 0;
  std::size_t only_b = 0;
  std::vector<std::string> mismatches = {};  ///< Allowed by name: "batch 4 against 8".
  std::vector<ComparedRow> rows = {};        ///< In A's order, then what only B has.
  std::vector<SpeedupRow> speedups = {};
  std::vector<KernelChange> kernels = {};
  std::vector<StepDifference> differences = {};  ///< One a precision.

  bool of_two_models() const { return a.model != b.model; }
  /// Rows of the verdict.
  std::size_t count(Verdict verdict) const;

  /// Whether any row could have had another verdict than unclear.
  bool can_judge() const;
};

struct CompareOptions {
  Allowed allowed = {};
  JudgeOptions judge = {};
  std::string name_a = "A";  ///< How a refusal calls the runs.
  std::string name_b = "B";
};

/// Of a run that measures both, the user's model alone. Throws `InputError` as `match_cells` does,
/// and where the runs have no cell in common.
Comparison compare_runs(const Run& a, const Run& b, const CompareOptions& options = {});

/// The two halves of a run that measures both: labreport's network is A, the user's model B.
Comparison compare_halves(const Run& run);

/// Where imported numbers stood before: what the cells say under `name` (metric::kTitle, kSource),
/// each text once, in the cells' order.
std::vector<std::string> provenance(const Run& run, std::string_view name);

}  // namespace labreport
