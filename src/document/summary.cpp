#include "document/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "embedded/document.h"

namespace labreport {
namespace {

constexpr const char* kSchemaVersion = "1.0.0";

/// Names the document's problems if there are three or fewer, else the first and how many more.
std::string problem_words(const Document& document) {
  constexpr std::size_t kMaxNames = 3;
  std::vector<std::string> names;
  for (const Section& section : document.sections) {
    if (section.is_handout_problem()) names.push_back(section.problem);
  }
  if (names.size() <= kMaxNames) return join_words(names);
  return fmt::format("{} and {} more", names.front(), names.size() - 1);
}

}  // namespace

std::string RunSummary::gpu_folder() const { return folder.substr(0, folder.find('/')); }

std::string RunSummary::gpu() const {
  constexpr std::string_view kTimes = " × ";
  const std::size_t times = device.find(kTimes);
  return times == std::string::npos ? device : device.substr(times + kTimes.size());
}

std::string RunSummary::address(const std::string& anchor) const {
  return folder + "/index.html" + (anchor.empty() ? "" : "#" + anchor);
}

bool RunSummary::is_newer_than(const RunSummary& other) const {
  // ISO times compare as texts: the later one is the larger.
  return std::tie(other.started_at, folder) < std::tie(started_at, other.folder);
}

RunSummary run_summary(const Document& document, const std::string& folder,
                       const std::string& started_at) {
  RunSummary summary{.folder = folder,
                     .title = document.title,
                     .device = document.device,
                     .edition = document.edition,
                     .preset = document.preset,
                     .started_at = started_at.empty() ? document.date : started_at,
                     .revision = document.revision,
                     .outcome = document.outcome_line,
                     .demonstration = document.demonstration,
                     .reference = document.reference,
                     .incomplete = document.incomplete};
  summary.headline = document.mostly_failed ? Headline() : document.headline;
  if (summary.headline.network.empty()) summary.problems = problem_words(document);
  if (document.mostly_failed) return summary;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      if (!part.key_number.topic.empty()) summary.key_numbers.push_back(part.key_number);
    }
  }
  summary.quantities = document.quantities;
  summary.memory = document.memory;
  for (Quantity& quantity : summary.quantities) {
    // Repeated measurements differ in the fifth digit, and short numbers keep the file small.
    for (auto& [name, value] : quantity.values) value = std::stod(fmt::format("{:.5g}", value));
  }
  return summary;
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
