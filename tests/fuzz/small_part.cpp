#include "fuzz/small_part.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace labreport::fuzz {
namespace {

using nlohmann::json;

/// Returns a few cells of one kind and network, or in one of three cases of any.
json some_cells(const json& cells, Dice& dice) {
  const json& first = cells[dice.below(cells.size())];
  const bool alike = !dice.once_in(3);
  const std::size_t most = 1 + dice.below(6);
  json chosen = json::array();
  std::vector<std::size_t> numbers(cells.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  for (std::size_t i = numbers.size(); i > 1; --i) {
    std::swap(numbers[i - 1], numbers[dice.below(i)]);
  }
  std::vector<std::size_t> taken;
  for (const std::size_t i : numbers) {
    const bool same = cells[i]["kind"] == first["kind"] &&
                      cells[i]["params"].value("size", "") == first["params"].value("size", "");
    if (taken.size() < most && (!alike || same)) taken.push_back(i);
    if (cells[i]["kind"] == "limits" && dice.once_in(2)) taken.push_back(i);
  }
  std::ranges::sort(taken);
  taken.erase(std::ranges::unique(taken).begin(), taken.end());
  for (const std::size_t i : taken) chosen.push_back(cells[i]);
  return chosen;
}

/// Keeps at most `most` items, either adjacent ones or ones spread over the list.
void shorten(json& list, std::size_t most, Dice& dice) {
  if (list.size() <= most) return;
  const auto length = static_cast<std::ptrdiff_t>(list.size());
  const auto kept = static_cast<std::ptrdiff_t>(most);
  const bool is_spread = dice.once_in(2);
  const auto start = is_spread ? 0 : static_cast<std::ptrdiff_t>(dice.below(list.size() - most));
  json shorter = json::array();
  for (std::ptrdiff_t i = 0; i < kept; ++i) {
    shorter.push_back(
        std::move(list[static_cast<std::size_t>(is_spread ? i * length / kept : start + i)]));
  }
  list = std::move(shorter);
}

std::ptrdiff_t column_of(const json& table, const char* name) {
  const json& columns = table["columns"];
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const json& column) { return column["name"] == name; });
  return found == columns.end() ? -1 : found - columns.begin();
}

/// Keeps only the names of kernels that the shortened tables still have.
void shorten_names(json& names, const json& tables) {
  std::set<json> used;
  for (const json& table : tables) {
    const auto column = column_of(table, "kernel");
    if (column < 0) continue;
    for (const json& row : table["rows"]) used.insert(row[static_cast<std::size_t>(column)]);
  }
  json kept = json::array();
  for (const json& row : names["rows"]) {
    if (used.contains(row[0])) kept.push_back(row);
  }
  names["rows"] = kept;
}

/// Makes the rows of the shortened trace refer to rows of the shortened table of kernels.
void mend_trace(json& tables) {
  const auto named = [&](const char* name) {
    return std::ranges::find_if(tables, [&](const json& table) { return table["name"] == name; });
  };
  const auto trace = named("gpu_trace"), kernels = named("kernels");
  if (trace == tables.end() || kernels == tables.end() || (*kernels)["rows"].empty()) return;
  for (json& row : (*trace)["rows"]) {
    json& into = row[static_cast<std::size_t>(column_of(*trace, "row"))];
    into = into.get<std::size_t>() % (*kernels)["rows"].size();
  }
}

void shorten_launch(json& launch, Dice& dice) {
  for (json& metric : launch["metrics"]) {
    if (metric.contains("samples") && metric["samples"].size() > 20) {
      shorten(metric["samples"], 8, dice);
    }
  }
  json* names = nullptr;
  for (json& table : launch["tables"]) {
    if (table["name"] == "kernel_names") {
      names = &table;
    } else {
      shorten(table["rows"], dice.once_in(8) ? 40 : 10, dice);
    }
  }
  mend_trace(launch["tables"]);
  if (names != nullptr) shorten_names(*names, launch["tables"]);
}

}  // namespace

json small_part(const json& recorded, Dice& dice) {
  json run{{"schema_version", recorded["schema_version"]},
           {"edition", recorded["edition"]},
           {"preset", recorded["preset"]},
           {"source", recorded["source"]},
           {"sessions", recorded["sessions"]},
           {"devices", recorded["devices"]},
           {"cells", some_cells(recorded["cells"], dice)}};
  for (json& cell : run["cells"]) {
    for (json& launch : cell["launches"]) shorten_launch(launch, dice);
  }
  return run;
}

}  // namespace labreport::fuzz
