// Shows the progress of a run in the terminal.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "results/run.h"

namespace labreport {

/// The progress of a run, in launches.
struct Standing {
  std::size_t done = 0;
  std::size_t total = 0;
  double left_seconds = 0;  ///< Estimated wall time until all launches are done.
};

class Progress {
 public:
  virtual ~Progress() = default;
  virtual void started(const CellSpec& spec, const Standing& standing) = 0;
  virtual void finished(const CellSpec& spec, const Launch& launch, const Standing& standing) = 0;
  virtual void tick(const Standing& standing) = 0;
  /// The interval at which `tick` is wanted; absent for never.
  virtual std::optional<std::chrono::milliseconds> tick_every() const = 0;
};

/// "timing  large  ctx 512   bf16  forward+backward"
std::string cell_words(const CellSpec& spec);

/// The result of a launch: "116.71 ± 0.29 ms", "peak 65.65 GiB", or the outcome in words.
std::string result_words(const CellSpec& spec, const Launch& launch);

/// Prints one line a finished launch; on a terminal, a live line below shows the launch that
/// started last.
class TerminalProgress : public Progress {
 public:
  /// Uses colors and the live line only if `stream` is a terminal that supports both.
  explicit TerminalProgress(std::FILE* stream);
  ~TerminalProgress() override;

  void started(const CellSpec& spec, const Standing& standing) override;
  void finished(const CellSpec& spec, const Launch& launch, const Standing& standing) override;
  void tick(const Standing& standing) override;
  std::optional<std::chrono::milliseconds> tick_every() const override;

 private:
  void clear();

  std::FILE* stream_;
  bool live_ = false;
  bool colors_ = false;
  std::string current_;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace labreport
