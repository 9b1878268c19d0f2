// Shows the progress of a run in the terminal.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "results/run.h"

namespace labreport {

struct RunProgress {
  std::size_t done = 0;          ///< Launches, including skipped ones.
  std::size_t total = 0;         ///< Launches.
  double remaining_seconds = 0;  ///< Estimated wall time until all launches are done.
};

class ProgressDisplay {
 public:
  virtual ~ProgressDisplay() = default;
  virtual void launch_started(const CellSpec& spec, const RunProgress& progress) = 0;
  virtual void launch_finished(const CellSpec& spec, const Launch& launch,
                               const RunProgress& progress) = 0;
  virtual void tick(const RunProgress& progress) = 0;
  /// Returns the interval at which the caller should call `tick`; absent if it need not.
  virtual std::optional<std::chrono::milliseconds> tick_interval() const = 0;
};

/// Returns "timing  large  ctx 512   bf16  forward+backward".
std::string cell_words(const CellSpec& spec);

/// Returns the result of a launch: "116.71 ± 0.29 ms", "peak 65.65 GiB", or the outcome in words.
std::string result_words(const CellSpec& spec, const Launch& launch);

/// Prints one line for each finished launch. On a terminal, a live line below shows the launch that
/// started last.
class TerminalDisplay : public ProgressDisplay {
 public:
  /// Uses colors and the live line only if `stream` is a terminal that supports both.
  explicit TerminalDisplay(std::FILE* stream);
  ~TerminalDisplay() override;

  void launch_started(const CellSpec& spec, const RunProgress& progress) override;
  void launch_finished(const CellSpec& spec, const Launch& launch,
                       const RunProgress& progress) override;
  void tick(const RunProgress& progress) override;
  std::optional<std::chrono::milliseconds> tick_interval() const override;

 private:
  void clear();

  std::FILE* stream_;
  bool has_live_line_ = false;
  bool has_colors_ = false;
  std::string current_cell_;
  std::chrono::steady_clock::time_point started_at_;
};

}  // namespace labreport
