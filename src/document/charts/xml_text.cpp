#include "document/charts/xml_text.h"

#include <algorithm>
#include <utility>

#include "base/printable.h"

namespace labreport {
namespace {

std::string drawable(std::string_view text) { return printable(text, kLinesAndTabs); }

void make_names_drawable(nlohmann::json& object) {
  const auto is_drawable = [](const auto& entry) { return drawable(entry.key()) == entry.key(); };
  if (std::ranges::all_of(object.items(), is_drawable)) return;
  nlohmann::json renamed = nlohmann::json::object();
  for (auto& [name, inner] : object.items()) renamed[drawable(name)] = std::move(inner);
  object = std::move(renamed);
}

}  // namespace

void make_drawable(nlohmann::json& spec) {
  if (spec.is_string()) {
    spec = drawable(spec.get_ref<const std::string&>());
    return;
  }
  if (!spec.is_structured()) return;
  for (nlohmann::json& inner : spec) make_drawable(inner);
  if (spec.is_object()) make_names_drawable(spec);
}

}  // namespace labreport
