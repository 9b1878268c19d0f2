#include "document/figure_numbers.h"

#include <algorithm>

namespace labreport {
namespace {

/// Removes from `figures` those at the beginning that have the first one's value of `member`.
Figures take_equal(Figures& figures, std::string Figure::* member) {
  const auto end = std::ranges::find_if(
      figures, [&](const Figure& figure) { return figure.*member != figures.front().*member; });
  const Figures taken = figures.first(static_cast<std::size_t>(end - figures.begin()));
  figures = figures.subspan(taken.size());
  return taken;
}

}  // namespace

std::vector<std::vector<Figures>> figures_by_place(Figures figures) {
  std::vector<std::vector<Figures>> places;
  while (!figures.empty()) {
    Figures family = take_equal(figures, &Figure::family);
    if (family.front().family.empty()) {
      places.push_back({family});
      continue;
    }
    std::vector<Figures>& variants = places.emplace_back();
    while (!family.empty()) variants.push_back(take_equal(family, &Figure::variant));
  }
  return places;
}

void FigureNumbers::add(Figures figures, bool in_drawer) {
  std::size_t& count = in_drawer ? drawer_count_ : count_;
  for (const std::vector<Figures>& variants : figures_by_place(figures)) {
    std::size_t most_figures = 0;
    char letter = 'a';
    for (const Figures& variant : variants) {
      for (std::size_t i = 0; i < variant.size(); ++i) {
        std::string number = (in_drawer ? "A" : "") + std::to_string(count + i + 1);
        if (variants.size() > 1) number.push_back(letter);
        numbers_.emplace(variant[i].slug, number);
      }
      most_figures = std::max(most_figures, variant.size());
      ++letter;
    }
    count += most_figures;
  }
}

}  // namespace labreport
