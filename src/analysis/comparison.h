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
#include "analysis/traced_parts.h"
#include "analysis/verdict.h"

namespace labreport {

/// Says which sides of a row have a value. kOnlyA means that only run A has the cell. kFailedA
/// means that A's cell has not succeeded yet. kUnrecordedA means that it succeeded without
/// recording this number.
enum class RowStatus {
  kMatched,
  kOnlyA,
  kOnlyB,
  kFailedA,
  kFailedB,
  kFailedBoth,
  kUnrecordedA,
  kUnrecordedB
};

template <>
inline constexpr auto kEnumNames<RowStatus> =
    enum_names<RowStatus>("status", {{RowStatus::kMatched, "matched"},
                                     {RowStatus::kOnlyA, "only_a"},
                                     {RowStatus::kOnlyB, "only_b"},
                                     {RowStatus::kFailedA, "failed_a"},
                                     {RowStatus::kFailedB, "failed_b"},
                                     {RowStatus::kFailedBoth, "failed_both"},
                                     {RowStatus::kUnrecordedA, "unrecorded_a"},
                                     {RowStatus::kUnrecordedB, "unrecorded_b"}});

struct RowSide {
  std::optional<double> value = {};        ///< Geometric mean of `launch_values`.
  std::vector<double> launch_values = {};  ///< One value for each successful launch; ns or B.
  std::string missing_reason = {};         ///< Says why `value` is missing: "out of memory in …".
  bool fits = true;                        ///< False if out of memory, or skipped as too large.
  bool unrecorded = false;                 ///< True if the cell ran without recording the number.
  std::vector<std::string> disturbances = {};  ///< "thermal slowdown", see `disturbances_of`.
  std::optional<double> busbw = {};            ///< Bus bandwidth as in nccl-tests; B/s.
  /// Lowest and highest time of a step, one deviation below and above its mean, over all that one
  /// run timed. It is present if the run measured both sides, without enough launches for verdicts.
  std::optional<std::pair<double, double>> range = {};
};

struct ComparedRow {
  std::string cell_id = {};    ///< The cell's id in A, or in B if only B has the cell.
  std::string cell_id_b = {};  ///< B's id, if both runs have the cell and the ids differ.
  std::string size = {};       ///< The network size's label in A, or in B if only B has the cell.
  CellSpec spec = {};
  Measure measure = Measure::kStep;
  RowStatus status = RowStatus::kMatched;
  RowSide a = {};
  RowSide b = {};
  std::optional<double> ratio = {};  ///< B ÷ A
  /// Welch's 95 % interval of the ratio. It is absent with fewer than three launches on a side.
  std::optional<std::pair<double, double>> interval = {};
  /// Present for a time if both runs measured on one machine and the user allowed no mismatch.
  std::optional<Judgment> judgment = {};
  std::vector<std::string> remarks = {};  ///< "B: thermal slowdown", "counted steps: 3 against 5"

  /// True if both ranges are known and have a time in common: neither side is shown to be faster.
  bool ranges_overlap() const {
    return a.range && b.range && a.range->first <= b.range->second &&
           b.range->first <= a.range->second;
  }
  /// True if a side's range is wider than 5 % of its lowest time. Equal means then do not show that
  /// the sides are equally fast.
  bool has_wide_range() const {
    const auto is_wide = [](const RowSide& side) {
      return side.range && side.range->second > 1.05 * side.range->first;
    };
    return is_wide(a) || is_wide(b);
  }
};

/// Total time and number of the kernels of one place of the network in a profiled step.
struct KernelSum {
  double ns = 0;
  double count = 0;

  bool operator==(const KernelSum&) const = default;
};

/// The kernels of both sides in one phase and one part of the network.
struct PlaceDifference {
  std::string phase;  ///< "forward"
  /// "attention: softmax", see analysis/kernel_places.h. It is empty for the whole phase.
  std::string part;
  KernelSum a = {}, b = {};

  double change_ns() const { return b.ns - a.ns; }
};

struct StepDifference {
  CellSpec spec = {};
  std::string size = {};
  std::vector<PlaceDifference> places = {};  ///< Largest changes first.
};

/// A rung of the leaderboard's, with the parts of the step that each side traced; empty if it
/// traced none.
struct TracedRung {
  CellSpec spec = {};
  std::vector<TracedPart> a = {}, b = {};
};

struct ComparedRun {
  std::string device = {};          ///< "NVIDIA H200"
  std::string implementation = {};  ///< The user's model: "Net-0a1b2c3d"; empty for labreport's.
  std::string edition = {};
  std::string preset = {};
  std::string source = {};  ///< "imported" for published numbers.
  /// Empty for imported runs, like their revision, driver and CPU.
  std::string started_at = {};
  std::string revision = {};
  std::string driver = {};
  std::string cpu = {};
  double power_limit_watts = 0;
  double memory_bytes = 0;
  Limits limits = {};
  std::vector<std::string> table_titles = {};   ///< Titles that the imported tables declare.
  std::vector<std::string> table_sources = {};  ///< Addresses from which the tables were taken.
  std::vector<std::string> assumptions = {};    ///< Assumed because the tables do not say.
};

struct Comparison {
  ComparedRun a = {};
  ComparedRun b = {};
  MachineRelation machines = {};
  std::size_t matched_cells = 0;
  std::size_t cells_only_in_a = 0;
  std::size_t cells_only_in_b = 0;
  std::vector<std::string> mismatches = {};  ///< Differences that the user allowed.
  std::vector<ComparedRow> rows = {};        ///< In A's order; rows that only B has follow.
  std::vector<StepDifference> step_differences = {};  ///< One for each precision.
  std::vector<TracedRung> traced_rungs = {};          ///< In A's order.

  bool has_two_implementations() const { return a.implementation != b.implementation; }
  std::size_t count(Verdict verdict) const;

  /// True if any row has enough undisturbed launches for a verdict other than unclear.
  bool allows_verdicts() const;
};

struct CompareOptions {
  AllowedMismatches allowed_mismatches = {};
  std::string name_a = "A";  ///< The run's name in error messages.
  std::string name_b = "B";
};

/// Compares two runs. If a run measures both labreport's network and the user's model, only the
/// user's model takes part. Throws `InputError` like match_cells(), and if no cell matches.
Comparison compare_runs(const Run& a, const Run& b, const CompareOptions& options = {});

/// Compares two halves of a run that measures both models: A is the cells of labreport's network, B
/// those of the user's model.
Comparison compare_two_models(const Run& run);

/// Returns what imported cells say of their origin under `name` (metric::kTitle, kSource,
/// kAssumed), each text once, in the cells' order.
std::vector<std::string> provenance_texts(const Run& run, std::string_view name);

}  // namespace labreport
