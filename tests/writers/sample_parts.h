// Makes the pieces that sample_fixture.h puts together.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// Times in ms; an optimizer time of 0 means that the step did not fit.
struct SampleSize {
  std::string name;
  double forward, backward, optimizer, first_step;
};

const std::vector<SampleSize>& sample_sizes();

/// One dot of a chart; `text` is its tooltip.
struct Dot {
  std::string row, series;
  double value = 0;
  std::string text = {};
};

/// Makes a chart of times in ms with one line for each row.
nlohmann::json dot_chart(const std::vector<Dot>& dots);

/// Makes a section of two parts with figures, tables, flags and details.
Section sample_section();

}  // namespace labreport
