// Plans cells of kind `attention` and reads their rows, for the problems that time attention.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/dataset.h"
#include "document/view.h"
#include "plan/planner.h"
#include "results/measured_table.h"

namespace labreport {

/// The handout's head dimensions; in a demonstration two of them.
std::vector<std::int64_t> attention_dims(const PlanInput& input);

/// FP32 and the device's 16-bit format, or the user's.
std::vector<Precision> attention_precisions(const PlanInput& input);

/// A cell of `sweep`, at the user's contexts if there are any; the caller sets precision and batch.
/// Throws `InputError` for more lengths than a cell may have.
CellSpec attention_cell(const PlanInput& input, AttentionSweep sweep);

/// True if the cell is timed by that method and does not belong to torch_compile.
bool timed_by(const CellSpec& spec, AttentionMethod method);

/// One sequence length of a cell, whether it ran or not.
class AttentionRow {
 public:
  AttentionRow(const CellSpec& spec, std::int64_t length) : spec_(&spec), length_(length) {}
  /// Reads the row that the worker wrote.
  AttentionRow(const CellSpec& spec, const MeasuredRow& row);

  const CellSpec& spec() const { return *spec_; }
  const AttentionSweep& sweep() const { return *spec_->attention; }
  std::int64_t length() const { return length_; }
  bool ran() const;
  bool ran_out() const;
  bool not_tried() const;     ///< A shorter length ran out of memory.
  bool not_offered() const;   ///< The device, the dtype or the library does not offer it.
  bool inaccurate() const;    ///< Too far from FP64 to be timed.
  std::string phase() const;  ///< The phase that ran out of memory.
  std::string reason = {};    ///< Why numbers are missing; empty if it ran.

  /// Returns nothing if the row does not have the column.
  std::optional<double> bytes(std::string_view column) const;
  /// Milliseconds of a pass, by one of `kAttentionStatistics`.
  std::optional<double> ms(std::string_view pass, std::string_view statistic = "median_ns") const;
  /// Bytes that the forward pass leaves for backward: what was allocated just before it, less the
  /// inputs.
  std::optional<double> saved() const;
  /// One tensor of all scores: batch · heads · length² elements.
  double score_bytes() const;

 private:
  std::string outcome() const { return measured_ ? measured_->text("outcome") : ""; }

  const CellSpec* spec_;
  std::int64_t length_;
  std::optional<MeasuredRow> measured_;
};

/// The pass is faster than the other's by more than the deviations of both; false if one has no
/// times.
bool clearly_faster(const AttentionRow& row, const AttentionRow& other, std::string_view pass,
                    std::string_view statistic = "median_ns");

/// Mean and deviation of a pass in milliseconds, or why they are missing.
Value mean_time(const AttentionRow& row, std::string_view pass);

/// The reason of the first row that has one, or "not measured yet".
std::string first_reason(const std::vector<AttentionRow>& rows);

/// A row for each length of one cell; one that was not tried names the length that ran out.
std::vector<AttentionRow> attention_rows(const Cell& cell);

/// The rows of all cells of one method, in plan order. A cell that failed has a row for each
/// length.
std::vector<AttentionRow> attention_rows(const RunView& view, AttentionMethod method);

/// The command that measures each precision and implementation again.
TableView attention_commands(const RunView& view, const std::string& problem,
                             AttentionMethod method);

}  // namespace labreport
