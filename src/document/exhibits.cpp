#include "document/exhibits.h"

#include <algorithm>
#include <map>

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

/// A part's datasets, as figures of one variant find them.
class FigureData {
 public:
  FigureData(const std::vector<Dataset>& datasets, const Dataset& main, std::string_view file)
      : datasets_(datasets), main_(main), file_(file) {}

  /// The rows of the dataset of that name: that of the figure's own variant, or the one for all.
  nlohmann::json rows(const std::string& name) const {
    if (name == main_.name) return in_use(rows_of(main_));
    for (const Dataset& dataset : datasets_) {
      const bool fits = dataset.variant.empty() || dataset.variant == main_.variant;
      if (dataset.name == name && fits) return in_use(rows_of(dataset));
    }
    return nlohmann::json::array();
  }

 private:
  /// Without fields that the figure's file does not mention: rows lie inside the page.
  nlohmann::json in_use(const nlohmann::json& rows) const {
    std::map<std::string, bool> mentioned;
    nlohmann::json kept = nlohmann::json::array();
    for (const nlohmann::json& row : rows) {
      nlohmann::json& fields = kept.emplace_back(nlohmann::json::object());
      for (const auto& [name, value] : row.items()) {
        const auto [found, fresh] = mentioned.try_emplace(name, false);
        if (fresh) found->second = file_.find(name) != file_.npos;
        if (found->second) fields[name] = value;
      }
    }
    return kept;
  }

  const std::vector<Dataset>& datasets_;
  const Dataset& main_;
  std::string_view file_;
};

/// A scale that names its labels alone leaves their signs to the theme.
bool is_plain_series(const std::string& channel, const nlohmann::json& encoding) {
  return (channel == "color" || channel == "shape" || channel == "strokeDash") &&
         encoding.is_object() && encoding.value("type", "") == "nominal" &&
         (!encoding.contains("scale") || !encoding["scale"].contains("range"));
}

std::vector<std::string> series_labels(const nlohmann::json& encoding, const nlohmann::json& rows) {
  if (encoding.contains("scale")) return encoding["scale"].at("domain");
  return labels_in(rows, encoding.value("field", ""));
}

/// Gives each view that names a dataset its rows, and series the theme's signs where the figure's
/// file names a field of words and no scale.
void fill_view(nlohmann::json& view, const nlohmann::json& outer, const FigureData& data) {
  if (view.is_array()) {
    for (nlohmann::json& inner : view) fill_view(inner, outer, data);
  }
  if (!view.is_object()) return;
  const bool named =
      view.contains("data") && view["data"].is_object() && view["data"].contains("name");
  if (named) view["data"]["values"] = data.rows(view["data"]["name"]);
  const nlohmann::json& rows = named ? view["data"]["values"] : outer;
  for (auto& [key, inner] : view.items()) {
    if (is_plain_series(key, inner)) {
      inner["scale"] = series_scale(key, series_labels(inner, rows));
    } else if (inner.is_structured() && key != "data") {
      fill_view(inner, rows, data);
    }
  }
}

nlohmann::json filled_spec(std::string_view file, const Dataset& dataset,
                           const std::vector<Dataset>& datasets) {
  nlohmann::json spec = nlohmann::json::parse(file);
  fill_view(spec, {}, FigureData(datasets, dataset, file));
  return spec;
}

/// "kernels", or "kernels-512" for one variant of several.
std::string slug_of(const std::string& name, const Dataset& dataset) {
  return dataset.variant.empty() ? name : name + "-" + slug(dataset.variant);
}

/// Only the page shows variants one at a time: elsewhere their titles tell them apart.
std::string titled(const std::string& title, const Dataset& dataset) {
  return dataset.variant.empty() ? title : title + ", " + dataset.variant;
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

void place_exhibit(const Exhibit& exhibit, const std::vector<Dataset>& datasets, const Filler& fill,
                   const FigureFiles& figures, Part& part) {
  const auto shown = [&](const Dataset& dataset) {
    return dataset.name == exhibit.data && !dataset.rows.empty();
  };
  const auto follows = [&](const Dataset& dataset) {
    return std::any_of(&dataset + 1, datasets.data() + datasets.size(), shown);
  };
  for (const Dataset& dataset : datasets) {
    if (!shown(dataset)) continue;
    const std::string title = titled(fill(exhibit.title, exhibit.name), dataset);
    TableView table = exhibited_table(exhibit, table_data(exhibit, dataset, datasets), title);
    if (!exhibit.figure) {
      (exhibit.in_details ? part.details.tables : part.tables).push_back(std::move(table));
      continue;
    }
    if (!figures) throw Error("no figure files for " + exhibit.name);
    Figure figure{
        .slug = table.slug,
        .title = title,
        .caption = fill(exhibit.caption, exhibit.name),
        .alt = fill(exhibit.alt, exhibit.name),
        .spec = filled_spec(figures(exhibit.name), dataset, datasets),
        .data = std::move(table),
        .family = dataset.family,
        .variant = dataset.variant,
        .in_page = fill(exhibit.in_page, exhibit.name),
        .live = dataset.live,
        .page_only = exhibit.paper == "no" || (exhibit.paper == "last" && follows(dataset))};
    (exhibit.in_details ? part.details.figures : part.figures).push_back(std::move(figure));
  }
}

}  // namespace labreport
