#include "document/comparison/diff_labels.h"

#include <fmt/format.h>

#include <cmath>

#include "base/format.h"
#include "base/text.h"

namespace labreport {

std::string cell_label(const CellSpec& spec, const std::string& size) {
  std::vector<std::string> words;
  words.push_back(!size.empty() ? size
                  : spec.model  ? fmt::format("d_model {}", spec.model->d_model)
                                : std::string(name(spec.kind)));
  if (spec.context) words.push_back("context " + format_count(*spec.context));
  if (spec.precision && spec.precision != Precision::kFp32) {
    words.emplace_back(describe(*spec.precision));
  }
  if (spec.mode) words.emplace_back(describe(*spec.mode));
  return join(words, ", ");
}

std::string departure_words(double departure) {
  const std::string percent = format_fixed(std::abs(departure - 1) * 100, 0);
  return percent + (departure > 1 ? " % more time" : " % less time");
}

std::string model_name(const ComparedRun& side) {
  return side.model.empty() ? "labreport’s network" : side.model;
}

SideNames names_of(const Comparison& comparison) {
  constexpr std::size_t kLongest = 40;  // of what a sentence can carry
  const auto is_name = [](const std::string& name) {
    return !name.empty() && name.size() <= kLongest;
  };
  const std::string& a = comparison.a.device;
  const std::string& b = comparison.b.device;
  const bool two_models = comparison.of_two_models();
  if (two_models && a == b) return {model_name(comparison.a), model_name(comparison.b)};
  if (two_models || a == b || !is_name(a) || !is_name(b)) return {};
  return {"the " + replaced(a, "NVIDIA ", ""), "the " + replaced(b, "NVIDIA ", "")};
}

std::string at_start(const std::string& name) {
  return name.starts_with("the ") ? "T" + name.substr(1) : name;
}

}  // namespace labreport
