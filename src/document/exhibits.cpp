#include "document/exhibits.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "document/charts/charts.h"

namespace labreport {
namespace {

/// In the order in which they come.
std::vector<std::string> labels_in(const nlohmann::json& rows, const std::string& field) {
  std::vector<std::string> labels;
  for (const nlohmann::json& row : rows) {
    const std::string label = row.contains(field) && row[field].is_string() ? row[field] : "";
    if (!label.empty() && std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

/// The theme's signs for series, wherever the figure's file names a field of words and no scale.
void dress_series(nlohmann::json& view, const nlohmann::json& rows) {
  if (view.is_array()) {
    for (nlohmann::json& inner : view) dress_series(inner, rows);
  }
  if (!view.is_object()) return;
  for (auto& [key, inner] : view.items()) {
    const bool has_sign = key == "color" || key == "shape" || key == "strokeDash";
    if (has_sign && inner.is_object() && inner.value("type", "") == "nominal" &&
        !inner.contains("scale")) {
      const std::vector<std::string> labels = labels_in(rows, inner.value("field", ""));
      inner["scale"] = series_scale(key, labels);
    } else if (inner.is_structured() && key != "data") {
      dress_series(inner, rows);
    }
  }
}

nlohmann::json filled_spec(std::string_view file, const Dataset& dataset) {
  nlohmann::json spec = nlohmann::json::parse(file);
  const nlohmann::json rows = rows_of(dataset);
  dress_series(spec, rows);
  spec["data"] = {{"name", dataset.name}, {"values", rows}};
  return spec;
}

/// "kernels", or "kernels-512" for one variant of several.
std::string slug_of(const std::string& name, const Dataset& dataset) {
  return dataset.variant.empty() ? name : name + "-" + slug(dataset.variant);
}

TableView exhibited_table(const Exhibit& exhibit, const Dataset& dataset,
                          const std::string& title) {
  TableView table = table_of(dataset, exhibit.columns);
  table.slug = slug_of(exhibit.name, dataset);
  table.title = title;
  return table;
}

/// What stands in the table below a figure: the same data, unless the words name other.
const Dataset& table_data(const Exhibit& exhibit, const Dataset& dataset,
                          const std::vector<Dataset>& datasets) {
  if (exhibit.table.empty()) return dataset;
  for (const Dataset& other : datasets) {
    if (other.name == exhibit.table && other.variant == dataset.variant) return other;
  }
  throw Error("'" + exhibit.name + "' names a table '" + exhibit.table + "' that is no dataset");
}

}  // namespace

void place_exhibit(const Exhibit& exhibit, const std::vector<Dataset>& datasets,
                   const Filler& fill, const FigureFiles& figures, Part& part) {
  for (const Dataset& dataset : datasets) {
    if (dataset.name != exhibit.data || dataset.rows.empty()) continue;
    const std::string title = fill(exhibit.title, exhibit.name);
    TableView table = exhibited_table(exhibit, table_data(exhibit, dataset, datasets), title);
    if (!exhibit.figure) {
      (exhibit.in_drawer ? part.drawer.tables : part.tables).push_back(std::move(table));
      continue;
    }
    if (!figures) throw Error("no figure files for " + exhibit.name);
    Figure figure{.slug = table.slug,
                  .title = title,
                  .caption = fill(exhibit.caption, exhibit.name),
                  .alt = fill(exhibit.alt, exhibit.name),
                  .spec = filled_spec(figures(exhibit.name), dataset),
                  .data = std::move(table),
                  .family = dataset.family,
                  .variant = dataset.variant};
    (exhibit.in_drawer ? part.drawer.figures : part.figures).push_back(std::move(figure));
  }
}

}  // namespace labreport
