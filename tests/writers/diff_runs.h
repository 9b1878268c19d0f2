// Makes small comparisons, one of each relation. Their numbers are invented.
#pragma once

#include <string>

#include "analysis/comparison.h"
#include "document/comparison/diff_document.h"

namespace labreport {

/// Each side has three launches; one cell is faster, one the same, one too noisy to judge.
Comparison one_machine();

/// B is another GPU; one of its steps does not fit.
Comparison two_gpus();

/// B is a published table, which has only whole steps.
Comparison gpu_and_published_table();

/// Compares like `two_gpus`, with `hostile_name` in place of each text of the runs.
Comparison hostile_comparison();

/// Returns markup, Mustache tags, Markdown and control characters, longer than a line.
std::string hostile_name();

Document document_of(const Comparison& comparison);

}  // namespace labreport
