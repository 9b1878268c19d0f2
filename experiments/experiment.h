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

/// A problem of the handout that is a part of a problem here.
struct Alias {
  std::string_view name;    ///< "naive_ddp_benchmarking"
  std::string_view letter;  ///< "a"
};

struct Experiment {
  std::string_view name;                ///< The problem's name: "benchmarking_script"
  std::vector<std::string> parts = {};  ///< Letters, in order.
  PlanFunction plan;
  Presentation (*present)(const RunView& view);
  std::string_view words;              ///< section.md
  bool profiling = true;               ///< Belongs to the handout's profiling half, the default.
  std::string_view only_edition = {};  ///< Empty if both editions have it.
  bool several_gpus = false;           ///< Left out by default if the host has one GPU.
  std::vector<Alias> aliases = {};     ///< Handout names that also select its parts.

  bool of(std::string_view edition) const {
    return only_edition.empty() || only_edition == edition;
  }
};

}  // namespace labreport
