// Compares two runs: every row that at least one of them has, its ratio and its verdict.
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

/// Says which sides of a row have a value. Unrecorded means that the cell ran, but this number was
/// not recorded.
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

/// Returns the name in JSON: "matched", "only_a", …
std::string_view name(RowStanding standing);

struct RowSide {
  std::optional<double> value = {};       ///< Geometric mean of `launches`; ns or B.
  std::vector<double> launches = {};      ///< A value for each successful launch.
  std::string reason = {};                ///< The reason for a missing value: "out of memory in …".
  bool fits = true;                       ///< False: out of memory, or skipped as too large.
  bool unrecorded = false;                ///< The cell ran, but this number was not recorded.
  std::vector<std::string> flags = {};    ///< Disturbances of the measurement.
  std::optional<double> peak_share = {};  ///< flop/s over the run's measured rate.
  std::optional<double> bandwidth_share = {};  ///< B/s over the run's measured bandwidth.
  std::optional<double> busbw = {};            ///< Bus bandwidth as in nccl-tests; B/s.
};

/// The ratio of times, B ÷ A, that the devices' measured limits predict.
struct Prediction {
  std::optional<double> by_peak = {};       ///< A's matrix rate over B's.
  std::optional<double> by_bandwidth = {};  ///< A's copy bandwidth over B's.
  /// The measured ratio over the nearer prediction; absent unless the ratio is above both
  /// predictions by more than a factor of 1.1, or below both.
  std::optional<double> departure = {};
};

struct ComparedRow {
  std::string cell = {};    ///< The cell's id, A's if both have one.
  std::string cell_b = {};  ///< B's id, if both runs have the cell and the ids differ.
  std::string size = {};    ///< The label in A, else in B.
  CellSpec spec = {};
  Measure measure = Measure::kStep;
  RowStanding standing = RowStanding::kMatched;
  RowSide a = {};
  RowSide b = {};
  std::optional<double> ratio = {};  ///< B ÷ A
  /// The ratio's 95 % interval over launches; absent with fewer than three launches on a side.
  std::optional<std::pair<double, double>> interval = {};
  Prediction prediction = {};
  std::optional<Judged> judged = {};  ///< Present for times of one machine without `mismatches`.
  std::vector<std::string> remarks = {};
};

/// FP32's time over another precision's, in each run; above 1 if the other precision is faster.
struct SpeedupRow {
  CellSpec spec = {};  ///< The cell in the other precision.
  std::string size = {};
  Measure measure = Measure::kStep;
  std::optional<double> a = {};
  std::optional<double> b = {};
};

/// The longest kernel of one class in a profiled step, if its family differs between the sides.
struct KernelChange {
  CellSpec spec = {};
  std::string size = {};
  std::string kernel_class = {};  ///< "gemm"
  std::string a = {};             ///< The kernel's name.
  std::string b = {};
  double share_a = 0;  ///< Kernel `a`'s share of the step's kernel time, in [0, 1].
  double share_b = 0;
};

/// Total time and number of some kernels of a profiled step.
struct KernelSum {
  double ns = 0;
  double kernels = 0;

  bool operator==(const KernelSum&) const = default;
};

/// Kernel times of one phase and one part of the network.
struct PlaceDifference {
  std::string phase;  ///< "forward"
  std::string
      place;  ///< "attention: softmax", see analysis/kernel_places.h; empty for the whole phase.
  KernelSum a = {}, b = {};

  double change() const { return b.ns - a.ns; }
};

struct StepDifference {
  CellSpec spec = {};
  std::string size = {};
  std::vector<PlaceDifference> places = {};  ///< Largest changes first.
};

struct ComparedRun {
  std::string device = {};  ///< "NVIDIA H200"
  std::string model = {};   ///< The user's implementation; empty for labreport's network.
  std::string edition = {};
  std::string preset = {};
  std::string source = {};
  /// Imported runs leave this and the next three members empty.
  std::string started_at = {};
  std::string revision = {};
  std::string driver = {};
  std::string cpu = {};
  double power_limit_watts = 0;
  double memory_bytes = 0;
  Limits limits = {};
  std::vector<std::string> titles = {};   ///< Titles of imported tables, as declared.
  std::vector<std::string> sources = {};  ///< Sources of imported tables.
  std::vector<std::string> assumed = {};  ///< Assumptions of the imported tables.
};

struct Comparison {
  ComparedRun a = {};
  ComparedRun b = {};
  Related related = {};
  std::size_t matched = 0;  ///< Matched cells, not rows.
  std::size_t only_a = 0;
  std::size_t only_b = 0;
  std::vector<std::string> mismatches = {};  ///< "batch 4 against 8", which the user allows.
  std::vector<ComparedRow> rows = {};        ///< In A's order; rows that only B has follow.
  std::vector<SpeedupRow> speedups = {};
  std::vector<KernelChange> kernels = {};
  std::vector<StepDifference> differences = {};  ///< One for each precision.

  bool of_two_models() const { return a.model != b.model; }
  std::size_t count(Verdict verdict) const;

  /// True if a row could have had a verdict other than unclear.
  bool can_judge() const;
};

struct CompareOptions {
  Allowed allowed = {};
  JudgeOptions judge = {};
  std::string name_a = "A";  ///< Names of the runs in complaints.
  std::string name_b = "B";
};

/// Compares two runs. If a run measures labreport's network and the user's model, only the user's
/// model takes part. Throws `InputError` like match_cells(), and if no cell matches.
Comparison compare_runs(const Run& a, const Run& b, const CompareOptions& options = {});

/// Compares the two halves of a run that measures both models: A is labreport's network, B the
/// user's model.
Comparison compare_halves(const Run& run);

/// Returns the texts that cells of imported numbers have under `name` (metric::kTitle, kSource),
/// without repetition, in the cells' order.
std::vector<std::string> provenance(const Run& run, std::string_view name);

}  // namespace labreport
