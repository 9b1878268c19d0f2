// The pieces that sample_fixture.h puts together.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// Milliseconds; an optimizer of 0 did not fit.
struct SampleSize {
  std::string name;
  double forward, backward, optimizer, first;
};

const std::vector<SampleSize>& sample_sizes();

CellView words(const std::string& text, bool muted = false);

/// Two parts with figures, tables, flags and a details.
Section sample_section();

}  // namespace labreport
