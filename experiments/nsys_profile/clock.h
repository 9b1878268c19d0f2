// One step by the timer and by the profiler.
#pragma once

#include <cmath>

#include "document/document.h"
#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

/// All in ms.
struct Clock {
  std::string label;
  const ProfiledStep* step = nullptr;
  std::vector<double> timer;  ///< Unprofiled steps.
  double mean = 0;            ///< Of `timer`.
  double busy = 0;            ///< Some kernel ran.
  double span = 0;            ///< First kernel's start → last one's end.
  double profiled = 0;        ///< The profiled step, by the host's clock.

  double difference() const { return busy / mean - 1; }  ///< Negative: the profiler sees less.
  double spread() const;  ///< The timer's deviation as a share of its mean.
  double gaps() const { return span - busy; }
  /// Of the profiled step, before its first kernel and after its last one.
  double outside() const { return profiled > 0 ? profiled - span : 0; }
  double cost() const { return profiled - mean; }
  /// Kernels filled a share of the profiled span that differs by more than 5 % of it from their
  /// share of an unprofiled step.
  bool perturbed() const { return span > 0 && std::abs(busy / mean - busy / span) > 0.05; }
};

/// Inference and the fullest step; of several profiles one after the other. Points into them.
std::vector<Clock> clocks(const Profile& profile);
std::vector<Clock> clocks(const std::vector<Profile>& profiles);

/// "−0.7 %", "2.69 ×": the profiler's time against the timer's.
std::string difference_text(const Clock& clock);

TableView clocks_table(const std::vector<Profile>& profiles);
TableView split_table(const std::vector<Profile>& profiles);
/// Timer and profiler joined, for each step that the answers or the reference context hold.
Figure clocks_figure(const std::vector<Profile>& shown);

}  // namespace labreport::nsys_profile
