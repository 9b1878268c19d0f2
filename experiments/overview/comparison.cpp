#include "experiments/overview/comparison.h"

#include <algorithm>

#include "base/format.h"
#include "embedded/experiments.h"
#include "results/json_reader.h"

namespace labreport::overview {
namespace {

constexpr std::string_view kRecord = "experiments/overview/comparison.json";
constexpr const char* kRatios[]{"large_step",        "large_bf16_step", "large_memory",
                                "large_bf16_memory", "small_step",      "einsum_fp32",
                                "einsum_bf16"};

std::string_view record() {
  const auto files = embedded::experiments();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [](const EmbeddedFile& file) { return file.name == kRecord; });
  return found == files.end() ? std::string_view() : found->bytes();
}

void declare(Facts& facts) {
  facts.flag("compared", false);
  for (const char* name : {"comparison_device", "comparison_date", "comparison_command"}) {
    facts.set(name, "");
  }
  for (const char* name : kRatios) facts.set(name, "");
}

}  // namespace

void add_comparison(Facts& facts) {
  declare(facts);
  if (record().empty()) return;
  const JsonDocument document = parse_json(record(), std::string(kRecord));
  const JsonReader root(document);
  facts.flag("compared", true);
  facts.set("comparison_device", root.at("device").text());
  facts.set("comparison_date", root.at("date").text());
  facts.set_markdown("comparison_command", root.at("command").text());
  for (const char* name : kRatios) {
    facts.set(name, format_ratio(root.at("ratios").at(name).real()) + "×");
  }
}

}  // namespace labreport::overview
