#include "document/waterfall.h"

namespace labreport {

Dataset waterfall_data(const std::vector<WaterfallBar>& bars) {
  static const std::vector<Column<WaterfallBar>> columns{
      {"row", "Row", &WaterfallBar::row},
      {"part", "Part", &WaterfallBar::part},
      {"from", "From", &WaterfallBar::from_ms, "ms"},
      {"to", "To", &WaterfallBar::to_ms, "ms"},
      {"text", "Time", &WaterfallBar::text}};
  return make_dataset("waterfall", columns, bars);
}

}  // namespace labreport
