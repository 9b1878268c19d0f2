// Small comparisons, one of each relation. No number in them was measured.
#pragma once

#include <string>

#include "analysis/comparison.h"
#include "document/comparison/diff_document.h"

namespace labreport {

/// Three launches a side: one cell faster, one the same, one too noisy to say.
Comparison one_machine();

/// Another GPU: phases, kernels of another family, half precision, a step that does not fit.
Comparison two_gpus();

/// A published table on B's side, with whole steps only.
Comparison with_published();

/// Compares like `two_gpus`, with `hostile_name` wherever a run has words.
Comparison hostile_comparison();

/// Markup, Mustache tags, Markdown, control characters; longer than a line.
std::string hostile_name();

/// The document of a comparison whose runs are called A and B.
Document document_of(const Comparison& comparison);

}  // namespace labreport
