#include "publish/cards.h"

#include "base/error.h"
#include "writers/html/pictures.h"

namespace labreport {

std::vector<Card> make_cards(const std::vector<const Document*>& documents,
                             const std::vector<const Drawings*>& drawings, ChartTool& tool) {
  std::vector<Card> cards(documents.size());
  std::vector<std::string> svgs;
  std::vector<std::string*> pngs;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    for (const Figure* figure : figures_of(*documents[i])) {
      const auto drawing = drawings[i]->find(figure->slug);
      if (drawing == drawings[i]->end()) continue;
      std::string svg = card_drawing(drawing->second.wide);
      if (svg.empty()) continue;
      svgs.push_back(std::move(svg));
      pngs.push_back(&cards[i].png);
      cards[i].alt = figure->title;
      break;
    }
  }
  if (svgs.empty()) return cards;
  std::vector<PrintedChart> prints = tool.print(svgs);
  if (prints.size() != svgs.size()) throw Error("the chart tool made another number of prints");
  for (std::size_t i = 0; i < prints.size(); ++i) *pngs[i] = std::move(prints[i].png);
  return cards;
}

void place_card(const std::string& site_url, const std::string& folder, const Card& card,
                PageOptions& page, std::vector<SiteFile>& files) {
  if (site_url.empty()) return;
  page.address = site_url + folder;
  if (card.png.empty()) return;
  page.card_alt = card.alt;
  files.push_back({folder + kCardFile, card.png});
}

}  // namespace labreport
