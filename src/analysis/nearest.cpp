#include "analysis/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace labreport {
namespace {

std::string field_value(std::optional<std::int64_t> value) {
  return value ? std::to_string(*value) : "none";
}

std::string network(const CellSpec& spec) {
  if (!spec.model) return "none";
  const ModelShape& shape = *spec.model;
  return fmt::format("{}{}d_model {}, d_ff {}, {} layers, {} heads", spec.size,
                     spec.size.empty() ? "" : ": ", shape.d_model, shape.d_ff, shape.layers,
                     shape.heads);
}

struct Field {
  const char* name;
  std::string (*words)(const CellSpec&);
};

constexpr std::array kFields{
    Field{"kind", [](const CellSpec& spec) { return std::string(name(spec.kind)); }},
    Field{"device", [](const CellSpec& spec) { return std::string(name(spec.device)); }},
    Field{"network", network},
    Field{"vocab",
          [](const CellSpec& spec) {
            return spec.model ? std::to_string(spec.model->vocab) : std::string("none");
          }},
    Field{"context", [](const CellSpec& spec) { return field_value(spec.context); }},
    Field{"batch", [](const CellSpec& spec) { return field_value(spec.batch); }},
    Field{"precision",
          [](const CellSpec& spec) {
            return std::string(spec.precision ? name(*spec.precision) : "none");
          }},
    Field{"mode",
          [](const CellSpec& spec) { return std::string(spec.mode ? name(*spec.mode) : "none"); }},
    Field{"warmup", [](const CellSpec& spec) { return field_value(spec.warmup); }},
    Field{"steps", [](const CellSpec& spec) { return field_value(spec.steps); }}};

using Said = std::array<std::string, kFields.size()>;

std::vector<Said> fields_of(const Run& run) {
  std::vector<Said> all;
  for (const Cell& cell : run.cells) {
    Said& one = all.emplace_back();
    for (std::size_t i = 0; i < kFields.size(); ++i) one[i] = kFields[i].words(cell.spec);
  }
  return all;
}

std::size_t distance(const Said& a, const Said& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

}  // namespace

std::string most_frequent_difference(const Run& a, const Run& b) {
  const std::vector<Said> in_b = fields_of(b);
  std::array<std::size_t, kFields.size()> often{};
  std::array<std::map<std::string, std::size_t>, kFields.size()> values;
  for (const Said& cell : fields_of(a)) {
    const auto nearest = std::ranges::min_element(
        in_b, {}, [&](const Said& other) { return distance(cell, other); });
    if (nearest == in_b.end()) return "";
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (cell[i] == (*nearest)[i]) continue;
      ++often[i];
      ++values[i][cell[i] + " against " + (*nearest)[i]];
    }
  }
  const auto most = std::ranges::max_element(often);
  if (*most == 0) return "";
  const auto field = static_cast<std::size_t>(most - often.begin());
  const auto how =
      std::ranges::max_element(values[field], {}, [](const auto& v) { return v.second; });
  return fmt::format("{} differs most often: {} (in {} of {} cells)", kFields[field].name,
                     how->first, how->second, a.cells.size());
}

}  // namespace labreport
