#include "document/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "embedded/document.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

constexpr const char* kSchemaVersion = "1.0.0";

}  // namespace

std::string Quantity::words() const {
  return precision + (precision.empty() || setting.empty() ? "" : ", ") + setting;
}

const double* Quantity::find(const std::string& name) const {
  const auto found = std::ranges::find(values, name, &std::pair<std::string, double>::first);
  return found == values.end() ? nullptr : &found->second;
}

std::string Quantity::key(const std::string& name, const std::string& owner) const {
  const std::string identity = parameters > 0 ? fmt::format("{:.0f}", parameters) : network;
  std::vector<std::string> words;
  for (const std::string& text : {topic, identity, precision, setting, unit, name, owner})
    words.push_back(slug(text));
  std::erase(words, "");
  return join(words, "/");
}

bool Quantity::is_set_by_cpu(const std::string& name) const {
  return std::ranges::find(set_by_cpu, name) != set_by_cpu.end();
}

std::string Quantity::smallest() const {
  const std::pair<std::string, double>* smallest = nullptr;
  for (const auto& value : values) {
    if (!is_set_by_cpu(value.first) && (smallest == nullptr || value.second < smallest->second))
      smallest = &value;
  }
  return smallest == nullptr ? "" : smallest->first;
}

bool Quantity::matches(const Quantity& other) const {
  const bool same_network = parameters > 0 || other.parameters > 0 ? parameters == other.parameters
                                                                   : network == other.network;
  return same_network && topic == other.topic && precision == other.precision &&
         setting == other.setting && unit == other.unit;
}

std::string RunSummary::gpu_folder() const { return folder.substr(0, folder.find('/')); }

std::string RunSummary::gpu() const {
  constexpr std::string_view kTimes = " × ";
  const std::size_t times = device.find(kTimes);
  return times == std::string::npos ? device : device.substr(times + kTimes.size());
}

std::string RunSummary::address(const std::string& anchor) const {
  return folder + "/index.html" + (anchor.empty() ? "" : "#" + anchor);
}

std::string RunSummary::key(const std::string& number) const {
  return slug(number) + "/" + slug(key_owner());
}

bool RunSummary::is_newer_than(const RunSummary& other) const {
  // ISO times compare as texts: the later one is the larger.
  return std::tie(other.started_at, folder) < std::tie(started_at, other.folder);
}

std::tuple<bool, bool, bool> RunSummary::precedence() const {
  const bool times_step = !headline.network.empty();
  return {times_step, !reference, !reference || (times_step && preset == kPresetFull)};
}

std::string summary_json(const RunSummary& summary) {
  nlohmann::json json = summary;
  json["schema_version"] = kSchemaVersion;
  // Characters beyond ASCII are escaped, so that none in a run's texts is invisible in a viewer.
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string_view summary_schema() {
  return embedded::document().at("src/document/summary.schema.json");
}

}  // namespace labreport
