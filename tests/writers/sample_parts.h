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

/// One dot of a chart, and the words of its tooltip.
struct Dot {
  std::string row, series;
  double value = 0;
  std::string text = {};
};

/// Dots over milliseconds, a line a row.
nlohmann::json dot_chart(const std::vector<Dot>& dots);

/// Two parts with figures, tables, flags and a details.
Section sample_section();

}  // namespace labreport
