// An experiment is one problem of the handout. It plans cells and presents their results.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/facts.h"
#include "document/section.h"
#include "document/view.h"
#include "plan/planner.h"

namespace labreport {

/// The content of each part, by its letter.
using Presentation = std::map<std::string, PartContent>;

/// A problem of the handout that is only one part of an experiment.
struct Alias {
  std::string_view name;    ///< The name in the handout: "naive_ddp_benchmarking"
  std::string_view letter;  ///< The letter of the part: "a"
};

struct Experiment {
  std::string_view name;                ///< The problem's name: "benchmarking_script"
  std::vector<std::string> parts = {};  ///< The letters of the parts, in order.
  PlanFunction plan;
  Presentation (*present)(const RunView& view);
  std::string_view section_text;       ///< The text of section.md.
  bool in_profiling_half = true;       ///< True if a run that names no problems plans it.
  std::string_view only_edition = {};  ///< Empty if both editions have the problem.
  bool needs_several_gpus = false;     ///< Not planned by default on a host with one GPU.
  std::vector<Alias> aliases = {};     ///< Handout names that also select its parts.

  bool in_edition(std::string_view edition) const {
    return only_edition.empty() || only_edition == edition;
  }
};

}  // namespace labreport
