#include "document/step_limits.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "document/keyed_number.h"
#include "document/section.h"
#include "embedded/document.h"

namespace labreport {
namespace {

constexpr const char* kIdle = "GPU idle";
constexpr double kMillisecondsPerSecond = 1e3;
constexpr double kTera = 1e12;
constexpr int kPageWidth = 1032;  // A page over several runs is wider than a report.

/// A drawn block. Its parts stand side by side, in ms from the step's begin.
struct DrawnBlock {
  Value step;  ///< "tuned"; missing for a step that is not.
  std::string part;
  double from_ms, to_ms;
  double flops, bytes;
  double compute_ms, memory_ms;  ///< The times of the FLOPs and of the bytes at their limits.

  double ms() const { return to_ms - from_ms; }
  double limit_ms() const { return std::max(compute_ms, memory_ms); }
  double saved_ms() const { return std::max(0.0, ms() - limit_ms()); }
  /// The share of the time that the work needs. Above 1, caches serve what should come from memory.
  double share() const { return ms() > 0 ? limit_ms() / ms() : 0; }
  std::string limit() const {
    if (part == kIdle) return "launches";
    return limit_ms() <= 0 ? "none" : compute_ms >= memory_ms ? "compute" : "bandwidth";
  }
};

const std::vector<Column<DrawnBlock>> kBlockColumns{
    {"step", "Step", &DrawnBlock::step},
    {"part", "Part", &DrawnBlock::part},
    {"from", "From", &DrawnBlock::from_ms, "ms"},
    {"to", "To", &DrawnBlock::to_ms, "ms"},
    {"ms", "Time", &DrawnBlock::ms, "ms"},
    {"flops", "FLOPs", [](const DrawnBlock& block) { return block.flops / kTera; }, "TFLOP",
     kThreeDigits},
    {"bytes", "Bytes", [](const DrawnBlock& block) { return block.bytes / kBytesPerGibibyte; },
     "GiB", kThreeDigits},
    {"needed", "At the limit", &DrawnBlock::limit_ms, "ms", kThreeDigits},
    {"share", "Share", [](const DrawnBlock& block) { return std::min(1.0, block.share()); }, "%",
     kAsPercent},
    {"limit", "Limit", &DrawnBlock::limit},
    {"saved", "Could be saved", &DrawnBlock::saved_ms, "ms", kThreeDigits}};

std::vector<DrawnBlock> drawn_blocks(const LimitedStep& step, const LimitedStep& limits) {
  std::vector<DrawnBlock> blocks;
  double end_ms = 0;
  const auto add = [&](const StepBlock& block) {
    if (block.ms <= 0) return;
    blocks.push_back({.step = step.tuned ? Value("tuned") : Value(),
                      .part = block.part,
                      .from_ms = end_ms,
                      .to_ms = end_ms + block.ms,
                      .flops = block.flops,
                      .bytes = block.bytes,
                      .compute_ms = kMillisecondsPerSecond * block.flops / limits.flop_rate,
                      .memory_ms = kMillisecondsPerSecond * block.bytes / limits.bandwidth});
    end_ms += block.ms;
  };
  for (const StepBlock& block : step.blocks) add(block);
  add({kIdle, step.ms - end_ms});
  return blocks;
}

double needed_ms(const std::vector<DrawnBlock>& blocks) {
  double sum_ms = 0;
  for (const DrawnBlock& block : blocks) sum_ms += std::min(block.limit_ms(), block.ms());
  return sum_ms;
}

/// Returns the facts of the tuned step at the limits of the GPU that ran the other step; nothing if
/// there is none.
std::optional<Facts> tuned_facts(const LimitedStep& limits, const LimitedStep* tuned) {
  if (tuned == nullptr) return std::nullopt;
  const double ms = needed_ms(drawn_blocks(*tuned, limits));
  return Facts()
      .set("needed", ms, brief_ms(ms))
      .when("sheet", tuned->data_sheet_ms > 0, "ms",
            format_value(tuned->data_sheet_ms, brief_ms(tuned->data_sheet_ms)));
}

Facts step_facts(const LimitedStep& step, const std::vector<DrawnBlock>& blocks,
                 const LimitedStep* tuned, const std::string& gpu) {
  std::vector<std::string> cached;
  for (const DrawnBlock& block : blocks) {
    constexpr double kMaxShare = 1.03;  // Bandwidths of reading and writing differ by this.
    if (block.share() > kMaxShare) cached.push_back(block.part);
  }
  const auto most = std::ranges::max_element(blocks, {}, &DrawnBlock::saved_ms);
  const auto fullest = std::ranges::max_element(blocks, {}, &DrawnBlock::limit_ms);
  return Facts()
      .set("step", step.network + (gpu.empty() ? "" : " on the " + gpu) + " in " + step.precision)
      .set("ms", step.ms, brief_ms(step.ms))
      .set("needed", needed_ms(blocks), brief_ms(needed_ms(blocks)))
      .set("most", most->part == kIdle ? "filling idle time" : most->part)
      .set("saved", most->saved_ms(), brief_ms(most->saved_ms()))
      .set("most_share", most->share(), kAsPercent)
      .set("fullest", fullest->part)
      .set("fullest_share", std::min(1.0, fullest->share()), kAsPercent)
      .when("cached", !cached.empty(), "parts", join_words(cached))
      .when("tuned", tuned_facts(step, tuned));
}

Figure figure_of(const LimitedStep& step, const LimitedStep* tuned, const std::string& gpu) {
  std::vector<DrawnBlock> blocks = drawn_blocks(step, step);
  PartContent content;
  content.facts = step_facts(step, blocks, tuned, gpu);
  if (tuned != nullptr) std::ranges::move(drawn_blocks(*tuned, step), std::back_inserter(blocks));
  content.datasets = {make_dataset("step-limits", kBlockColumns, blocks)};
  const Section section = compose_section(
      embedded::document().at("src/document/charts/step_limits.md"), {{"", std::move(content)}});
  Figure figure = section.parts.front().figures.front();
  if (tuned != nullptr) figure.spec["height"] = 400;  // Two rows of blocks need more height.
  figure.spec["params"][0]["value"] = {
      {"compute", format_significant(step.flop_rate / kTera, 3) + " TFLOP/s"},
      {"bandwidth", format_count(std::llround(step.bandwidth / 1e9)) + " GB/s"}};
  if (!gpu.empty()) figure.spec["usermeta"]["width"] = kPageWidth;
  figure.family = gpu.empty() ? "Precision" : "Step";
  figure.variant = gpu + (gpu.empty() ? "" : ", ") + step.precision;
  figure.slug += "-" + slug(figure.variant);
  figure.table.slug = figure.slug;
  return figure;
}

}  // namespace

bool LimitedStep::is_same_step(const LimitedStep& other) const {
  return std::tie(parameters, precision, setting) ==
         std::tie(other.parameters, other.precision, other.setting);
}

std::vector<Figure> step_limits_figures(const std::vector<LimitedStep>& steps,
                                        const std::string& gpu) {
  std::vector<Figure> figures;
  double largest = 0;
  for (const LimitedStep& step : steps)
    largest = step.tuned ? largest : std::max(largest, step.parameters);
  for (const LimitedStep& step : steps) {
    const auto first = [&](bool tuned) {
      const auto found = std::ranges::find_if(steps, [&](const LimitedStep& other) {
        return other.tuned == tuned && other.is_same_step(step);
      });
      return found == steps.end() ? nullptr : &*found;
    };
    if (step.parameters < largest || first(false) != &step) continue;
    figures.push_back(figure_of(step, first(true), gpu));
    figures.back().page_only = figures.size() > 1;
  }
  return figures;
}

}  // namespace labreport
