// Puts the values that GPUs have of a topic's quantities side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/index/gpus.h"

namespace labreport {

/// One named value of one quantity on each GPU.
struct ValueRow {
  std::string network;  ///< "xl (3.4 B)"; empty if the quantity has none.
  std::string name;     ///< "step"
  std::vector<std::optional<Measurement>> by_gpu;  ///< In the GPUs' order; at least one is there.
  std::vector<bool> ran_out;  ///< In the GPUs' order: true if memory did not suffice.

  const Quantity& quantity() const;  ///< The quantity as one of the GPUs measured it.
  /// Returns the GPU's value, see `Measurement::value`. Its reason says if memory did not suffice.
  Value value(std::size_t gpu, const std::string& root) const;
  bool is_on_several_gpus() const;
  bool was_tried_on_several_gpus() const;  ///< True even if memory did not suffice on some.
  bool is_set_by_cpu() const;              ///< True if one of the values is.
  /// "xl (3.4 B), BF16, step"; `with_setting` adds "context 512, batch 4".
  std::string label(bool with_setting) const;
};

/// Returns the rows of a topic: those in one unit after another, and the larger networks first.
std::vector<ValueRow> value_rows(const std::string& topic, const std::vector<GpuRuns>& gpus);

/// Returns the setting that all rows have; empty if settings differ.
std::string common_setting(const std::vector<ValueRow>& rows);

/// Returns the name of the value with which the topic's sentence compares a value of the quantity,
/// because the others change what this one has; empty if there is none.
std::string baseline_name(const Topic& topic, const Quantity& quantity);

/// Returns the row that is the topic's finding; null if there is none. A value that the CPU sets is
/// no finding, nor is a step without communication. Rows of several GPUs win, then those in the
/// first unit, of the larger network, the whole step, a time in reduced precision, overlapped
/// all-reduces, and last what `Topic::conclusion` says.
const ValueRow* conclusive_row(const Topic& topic, const std::vector<ValueRow>& rows);

}  // namespace labreport
