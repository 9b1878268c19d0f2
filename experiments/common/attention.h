// Plans cells of kind `attention` and reads their rows, for the problems that time attention alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/dataset.h"
#include "document/view.h"
#include "experiments/common/launch_costs.h"
#include "plan/planner.h"
#include "results/measured_table.h"

namespace labreport {

/// Returns the handout's head dimensions; a demonstration has only two of them.
std::vector<std::int64_t> attention_head_dims(const PlanInput& input);

/// Returns FP32 and the device's 16-bit format, or the precisions that the user named.
std::vector<Precision> attention_precisions(const PlanInput& input);

/// Plans a cell for `sweep`. If the user named contexts, they replace the sweep's lengths. The
/// caller sets precision and batch. Throws `InputError` for more than `kMaxLengths` lengths.
CellSpec attention_cell(const PlanInput& input, AttentionSweep sweep);

/// True if the cell is timed by `method` and does not belong to the problem torch_compile.
bool timed_by(const CellSpec& spec, AttentionMethod method);

/// The result of one sequence length of a cell; the length may not have run.
class AttentionRow {
 public:
  AttentionRow(const CellSpec& spec, std::int64_t length) : spec_(&spec), length_(length) {}
  /// Reads the row that the worker wrote.
  AttentionRow(const CellSpec& spec, const MeasuredRow& row);

  const CellSpec& spec() const { return *spec_; }
  const AttentionSweep& sweep() const { return *spec_->attention; }
  std::int64_t length() const { return length_; }
  bool ran() const;
  bool ran_out_of_memory() const;
  bool not_tried() const;      ///< True if a shorter length ran out of memory or took too long.
  bool not_offered() const;    ///< True if the library has no kernel for this device and dtype.
  bool is_incomplete() const;  ///< True if a pass failed or is too far from FP64's result.
  std::string failed_phase() const;  ///< The phase in which memory ran out; empty if it did not.
  std::string reason = {};           ///< Why the row has no numbers; empty if it ran.
  bool shorter_ran_out_of_memory = false;
  bool has_forward_peak = false;  ///< True if the worker recorded the forward pass's own peak.
  /// Bytes that the allocator held, in use or not, when an allocation failed; older workers did not
  /// record them.
  std::optional<double> refused_reserved_bytes = {};

  /// The first forward and backward pass of this length, in which code may compile. Only code in
  /// Python has it, and older workers did not record it.
  std::optional<double> first_pass_ms = {};

  /// The number in a column, in the column's unit; nothing if the row lacks it.
  std::optional<double> number(std::string_view column) const;
  /// A pass's time in ms; `statistic` is one of `kTimeStatistics`.
  std::optional<double> ms(std::string_view pass, std::string_view statistic = "median_ns") const;
  /// Bytes that forward saves for backward: those allocated just before backward, minus the inputs.
  /// Nothing if the inputs are larger.
  std::optional<double> saved_bytes() const;
  /// Bytes of one tensor with all attention scores: batch · heads · length² elements.
  double score_bytes() const;
  /// True if forward saves two tensors of scores, and hardly anything else: the softmax's
  /// exponentials and probabilities.
  bool saves_two_tensors_of_scores() const;

 private:
  std::string outcome() const { return measured_ ? measured_->text("outcome") : ""; }

  const CellSpec* spec_;
  std::int64_t length_;
  std::optional<MeasuredRow> measured_;
};

/// Returns what sets a pass's time in each row. `rows` are one cell's, shortest first. Twice the
/// length is at least twice the work, so kernels fill at most a longer row's time divided by the
/// ratio of lengths. The longest row has the bound of the row before it, whose kernels are shorter.
/// Empty for rows without times, and if no other row has one.
std::vector<std::optional<Bound>> bounds_by_length(const std::vector<AttentionRow>& rows,
                                                   std::string_view pass);

/// True if forward and backward together take about as long as the two apart: from a fifth to five
/// times. On an idle GPU they take 0.8 to 4 times as long, so other medians were disturbed.
bool passes_agree(const AttentionRow& row);

/// True if `row` is faster by more than the sum of both deviations; false if either has no times.
bool clearly_faster(const AttentionRow& row, const AttentionRow& other, std::string_view pass,
                    std::string_view statistic = "median_ns");

/// Returns the mean and the deviation of a pass's time in ms, or the reason why they are missing.
Value mean_time(const AttentionRow& row, std::string_view pass);

/// Returns the first row's reason that is not empty, or "not measured yet".
std::string first_reason(const std::vector<AttentionRow>& rows);

/// Returns a row for each length. An untried length's reason names the length that ended them.
std::vector<AttentionRow> attention_rows(const Cell& cell);

/// Returns the rows of all cells timed by `method` in plan order. Failed cells' rows have reasons.
std::vector<AttentionRow> attention_rows(const RunView& view, AttentionMethod method);

/// Returns the command that measures all cells of `method` again, as a table.
TableView attention_commands(const RunView& view, const std::string& problem,
                             AttentionMethod method);

}  // namespace labreport
