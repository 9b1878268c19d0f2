// Context lengths that stand in words, not in a column.
#include "imports/reading.h"

namespace labreport {

void share_contexts(std::vector<TextTable>& tables) {
  std::set<std::int64_t> said;
  for (TextTable& table : tables) {
    table.earlier_contexts = said;
    const std::set<std::int64_t> own = contexts_in(table.nearby);
    if (said.size() < 2) said.insert(own.begin(), own.end());
  }
}

std::optional<NearbyContext> nearby_context(const TextTable& table) {
  const std::set<std::int64_t> own = contexts_in(table.nearby);
  if (own.size() == 1) return NearbyContext{*own.begin(), "from the words above the table"};
  if (!own.empty() || table.earlier_contexts.size() != 1) return std::nullopt;
  return NearbyContext{*table.earlier_contexts.begin(), "from the words above an earlier table"};
}

}  // namespace labreport
