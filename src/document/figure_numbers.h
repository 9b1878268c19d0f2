// Numbers the figures of a report. Figures that vary in one condition share a place and a number.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

using Figures = std::span<const Figure>;

/// Splits figures by the place in which a page shows them, and the figures of one place into its
/// variants. Figures without variants are one.
std::vector<std::vector<Figures>> figures_by_place(Figures figures);

class FigureNumbers {
 public:
  /// Numbers the next figures: "7", in a drawer "A2". Variants differ in a letter: "7a", "7b".
  void add(Figures figures, bool in_drawer);

  const std::string& of(const Figure& figure) const { return numbers_.at(figure.slug); }

 private:
  std::map<std::string, std::string> numbers_;  // by the figure's slug
  std::size_t count_ = 0, drawer_count_ = 0;
};

}  // namespace labreport
