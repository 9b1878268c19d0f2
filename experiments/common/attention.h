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

/// The handout's head dimensions; a demonstration has only two of them.
std::vector<std::int64_t> attention_dims(const PlanInput& input);

/// FP32 and the device's 16-bit format, or the precisions that the user named.
std::vector<Precision> attention_precisions(const PlanInput& input);

/// A cell of `sweep`; the contexts that the user named, if any, replace its lengths. The caller
/// sets precision and batch. Throws `InputError` for more lengths than a cell may have.
CellSpec attention_cell(const PlanInput& input, AttentionSweep sweep);

/// True if `method` times the cell and the cell does not belong to torch_compile.
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
  bool not_tried() const;     ///< A shorter length had run out of memory.
  bool not_offered() const;   ///< The device, the dtype or the library does not offer it.
  bool inaccurate() const;    ///< Not timed: too far from FP64's result.
  std::string phase() const;  ///< The phase that memory ran out in.
  std::string reason = {};    ///< Why numbers are missing; empty if it ran.

  /// A column in bytes; nothing if the row lacks it.
  std::optional<double> bytes(std::string_view column) const;
  /// A pass's time in ms; `statistic` is one of `kAttentionStatistics`.
  std::optional<double> ms(std::string_view pass, std::string_view statistic = "median_ns") const;
  /// Bytes that the forward pass leaves for backward: those allocated just before backward, minus
  /// the inputs.
  std::optional<double> saved() const;
  /// Bytes of one tensor with all scores: batch · heads · length² elements.
  double score_bytes() const;

 private:
  std::string outcome() const { return measured_ ? measured_->text("outcome") : ""; }

  const CellSpec* spec_;
  std::int64_t length_;
  std::optional<MeasuredRow> measured_;
};

/// True if `row` is faster than `other` by more than both deviations; false if one has no times.
bool clearly_faster(const AttentionRow& row, const AttentionRow& other, std::string_view pass,
                    std::string_view statistic = "median_ns");

/// Mean and deviation of a pass's time in ms, or why they are missing.
Value mean_time(const AttentionRow& row, std::string_view pass);

/// The reason of the first row that has one, or "not measured yet".
std::string first_reason(const std::vector<AttentionRow>& rows);

/// A row for each length of one cell. The reason of one not tried names the length that ran out.
std::vector<AttentionRow> attention_rows(const Cell& cell);

/// The rows of all cells timed by `method`, in plan order; even failed cells have all lengths.
std::vector<AttentionRow> attention_rows(const RunView& view, AttentionMethod method);

/// The command that measures all cells of `method` again.
TableView attention_commands(const RunView& view, const std::string& problem,
                             AttentionMethod method);

}  // namespace labreport
