#include "plan/planner.h"

namespace labreport {
namespace {

constexpr std::int64_t kDemoVocab = 512;
constexpr std::int64_t kDemoContext = 64;
constexpr std::int64_t kDemoBatch = 2;
constexpr std::size_t kQuickSizeCount = 2;

/// Returns networks that two CPU cores can train. Their names differ from the course handout's.
std::vector<Size> demo_sizes() {
  return {{"demo-1", {64, 256, 2, 2, kDemoVocab}},
          {"demo-2", {128, 512, 4, 4, kDemoVocab}},
          {"demo-3", {192, 768, 6, 6, kDemoVocab}}};
}

template <typename T>
void replace_if_selected(std::vector<T>& values, const std::vector<T>& selected) {
  if (!selected.empty()) values = selected;
}

}  // namespace

std::vector<Size> known_sizes(const Edition& edition, Preset preset) {
  return preset == Preset::kDemo ? demo_sizes() : edition.sizes;
}

Axes axes(const PlanInput& input) {
  Axes axes{.sizes = input.edition.sizes,
            .contexts = {input.edition.reference_context},
            .precisions = {Precision::kFp32}};
  if (input.preset == Preset::kQuick) axes.sizes.resize(kQuickSizeCount);
  if (input.preset == Preset::kDemo) {
    axes.sizes = demo_sizes();
    axes.contexts = {kDemoContext};
    axes.batch = kDemoBatch;
  }
  if (input.preset != Preset::kFull) {
    axes.warmup = 2;
    axes.steps = 5;
  }
  const Selection& selection = input.selection;
  replace_if_selected(axes.sizes, selection.sizes);
  replace_if_selected(axes.contexts, selection.contexts);
  replace_if_selected(axes.precisions, selection.precisions);
  axes.batch = selection.batch.value_or(axes.batch);
  axes.warmup = selection.warmup.value_or(axes.warmup);
  axes.steps = selection.steps.value_or(axes.steps);
  axes.launches = selection.launches.value_or(axes.launches);
  if (selection.vocab) {
    for (Size& size : axes.sizes) size.shape.vocab = *selection.vocab;
  }
  return axes;
}

}  // namespace labreport
