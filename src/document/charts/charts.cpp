#include "document/charts/charts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace labreport {
namespace {

constexpr std::string_view kBlue = "#1f6fb2";
constexpr std::string_view kVermilion = "#c2410c";
constexpr std::string_view kGreen = "#0b7a55";
constexpr std::string_view kPurple = "#8a3f8f";
constexpr std::string_view kAmber = "#946200";
constexpr std::string_view kTeal = "#0f7490";
constexpr std::string_view kSlate = "#5b6470";
constexpr std::string_view kRose = "#b0305c";
constexpr std::string_view kGray = "#9aa2ab";

constexpr std::array kFallback = {
    SeriesStyle{kBlue, "circle"},         SeriesStyle{kVermilion, "triangle-up"},
    SeriesStyle{kGreen, "square"},        SeriesStyle{kPurple, "diamond"},
    SeriesStyle{kAmber, "cross"},         SeriesStyle{kTeal, "triangle-down"},
    SeriesStyle{kSlate, "triangle-right"}};

using NamedStyle = std::pair<std::string_view, SeriesStyle>;

constexpr std::array kAssigned = {NamedStyle{"forward", {kBlue, "circle"}},
                                  NamedStyle{"backward", {kVermilion, "triangle-up"}},
                                  NamedStyle{"optimizer", {kGreen, "square"}},
                                  NamedStyle{"loss", {kPurple, "diamond"}},
                                  NamedStyle{"inference", {kTeal, "triangle-down"}},
                                  NamedStyle{"forward_backward", {kAmber, "cross"}},
                                  NamedStyle{"forward+backward", {kAmber, "cross"}},
                                  NamedStyle{"train_step", {kSlate, "triangle-right"}},
                                  NamedStyle{"training step", {kSlate, "triangle-right"}},
                                  NamedStyle{"step", {kSlate, "triangle-right"}},
                                  NamedStyle{"first step", {kAmber, "cross"}},
                                  NamedStyle{"steady state", {kSlate, "triangle-right"}},
                                  NamedStyle{"CUDA module loading", {kPurple, "diamond"}},
                                  NamedStyle{"cuBLAS initialization", {kRose, "square"}},
                                  NamedStyle{"allocation", {kGreen, "triangle-up"}},
                                  NamedStyle{"kernels", {kTeal, "triangle-down"}},
                                  NamedStyle{"rest", {kGray, "circle"}},
                                  NamedStyle{"kernel time", {kTeal, "triangle-down"}},
                                  NamedStyle{"peak memory", {kPurple, "diamond"}},
                                  NamedStyle{"fp32", {kBlue, "circle"}},
                                  NamedStyle{"tf32", {kTeal, "triangle-down"}},
                                  NamedStyle{"bf16", {kVermilion, "triangle-up"}},
                                  NamedStyle{"fp16", {kPurple, "diamond"}},
                                  NamedStyle{"FP32", {kBlue, "circle"}},
                                  NamedStyle{"TF32", {kTeal, "triangle-down"}},
                                  NamedStyle{"BF16", {kVermilion, "triangle-up"}},
                                  NamedStyle{"FP16", {kPurple, "diamond"}},
                                  NamedStyle{"BF16, sums rounded", {kVermilion, "triangle-up"}},
                                  NamedStyle{"BF16, FP32 statistics", {kVermilion, "triangle-up"}},
                                  NamedStyle{"FP16, sums rounded", {kPurple, "diamond"}},
                                  NamedStyle{"FP16, FP32 statistics", {kPurple, "diamond"}},
                                  NamedStyle{"small", {kTeal, "triangle-down"}},
                                  NamedStyle{"medium", {kBlue, "circle"}},
                                  NamedStyle{"large", {kPurple, "diamond"}},
                                  NamedStyle{"xl", {kVermilion, "triangle-up"}},
                                  NamedStyle{"2.7B", {kAmber, "square"}},
                                  NamedStyle{"10B", {kGreen, "cross"}},
                                  NamedStyle{"parameters", {kSlate, "triangle-right"}},
                                  NamedStyle{"before the step", {kSlate, "triangle-right"}},
                                  NamedStyle{"gradients", {kVermilion, "triangle-up"}},
                                  NamedStyle{"optimizer state", {kGreen, "square"}},
                                  NamedStyle{"inputs", {kRose, "cross"}},
                                  NamedStyle{"activations", {kBlue, "circle"}},
                                  NamedStyle{"weight copies", {kTeal, "triangle-down"}},
                                  NamedStyle{"workspace", {kAmber, "square"}},
                                  NamedStyle{"temporary", {kPurple, "diamond"}},
                                  NamedStyle{"unknown", {kGray, "cross"}},
                                  NamedStyle{"GEMM", {kBlue, "circle"}},
                                  NamedStyle{"elementwise", {kVermilion, "triangle-up"}},
                                  NamedStyle{"reduction", {kGreen, "square"}},
                                  NamedStyle{"copy", {kPurple, "diamond"}},
                                  NamedStyle{"exponential", {kTeal, "triangle-down"}},
                                  NamedStyle{"where", {kAmber, "cross"}},
                                  NamedStyle{"gather", {kRose, "cross"}},
                                  NamedStyle{"memset", {kSlate, "triangle-right"}},
                                  NamedStyle{"other", {kGray, "cross"}},
                                  NamedStyle{"saved for backward", {kBlue, "circle"}},
                                  NamedStyle{"freed in forward", {kPurple, "diamond"}},
                                  NamedStyle{"kept to the end", {kGreen, "square"}}};

nlohmann::json scale_of(const std::vector<std::string>& labels,
                        std::string_view SeriesStyle::* sign) {
  nlohmann::json range = nlohmann::json::array();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    range.push_back(series_style(labels[i], i).*sign);
  }
  return {{"domain", labels}, {"range", range}};
}

/// The first line is whole, each later one broken in its own way.
nlohmann::json dash_of(std::size_t index) {
  static const nlohmann::json dashes = {{1, 0}, {7, 3},  {2, 2}, {9, 2, 2, 2},
                                        {4, 4}, {12, 4}, {1, 4}};
  return dashes[index % dashes.size()];
}

}  // namespace

SeriesStyle series_style(std::string_view name, std::size_t index) {
  const auto found = std::ranges::find(kAssigned, name, &NamedStyle::first);
  return found != kAssigned.end() ? found->second : kFallback[index % kFallback.size()];
}

nlohmann::json series_scale(std::string_view channel, const std::vector<std::string>& labels) {
  if (channel == "color") return scale_of(labels, &SeriesStyle::color);
  if (channel == "shape") return scale_of(labels, &SeriesStyle::shape);
  nlohmann::json range = nlohmann::json::array();
  for (std::size_t i = 0; i < labels.size(); ++i) range.push_back(dash_of(i));
  return {{"domain", labels}, {"range", range}};
}

}  // namespace labreport
