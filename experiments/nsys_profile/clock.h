// One step by the timer and by the profiler.
#pragma once

#include "experiments/nsys_profile/profile.h"
#include "report/document.h"

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
  double gaps() const { return span - busy; }
  /// Of the profiled step, before its first kernel and after its last one.
  double outside() const { return profiled > 0 ? profiled - span : 0; }
  double cost() const { return profiled - mean; }
  /// The busy share changed by more than 5 % of the step.
  bool perturbed() const { return profiled > 0 && busy / mean - busy / profiled > 0.05; }
};

/// Inference and the fullest step of each profile.
std::vector<Clock> clocks(const std::vector<const Profile*>& profiles);

TableView clocks_table(const std::vector<Profile>& profiles);
TableView split_table(const std::vector<Profile>& profiles);
/// Timer and profiler joined, for each step that the answers or the reference context hold.
Figure clocks_figure(const std::vector<const Profile*>& shown);

}  // namespace labreport::nsys_profile
