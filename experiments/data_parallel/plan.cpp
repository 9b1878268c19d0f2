#include "experiments/problems.h"

#include <algorithm>

#include "experiments/common/selection.h"
#include "experiments/data_parallel/scheme_tables.h"

namespace labreport::data_parallel {
namespace {

constexpr std::int64_t kReducerBucket = 25 << 20;  // c10d::kDefaultBucketBytesCap

struct Choice {
  std::string_view letter;  ///< The first part that needs the scheme.
  Scheme scheme;
  std::optional<std::int64_t> bucket = {};
};

std::vector<Choice> choices(Preset preset) {
  std::vector<Choice> all{{"a", Scheme::kNone},
                          {"a", Scheme::kPerParameter},
                          {"b", Scheme::kFlat},
                          {"c", Scheme::kOverlapped}};
  // The handout's caps in MB of 10⁶ bytes; smaller caps for a demonstration's small network.
  std::vector<std::int64_t> caps{1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
  if (preset == Preset::kDemo) caps = {100'000, 1'000'000, 10'000'000};
  for (const std::int64_t cap : caps) all.push_back({"d", Scheme::kBucketed, cap});
  all.push_back({"d", Scheme::kReducer, kReducerBucket});
  return all;
}

/// The last part that is wanted. It needs the schemes of all earlier parts too, to compare them.
std::string_view last_part(const PlanInput& input) {
  for (const std::string_view letter : {"d", "c", "b"}) {
    if (part_wanted(input, kProblem, letter)) return letter;
  }
  return "a";
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  if (input.selection.model || !mode_wanted(input, Mode::kTrainStep)) return {};
  const Axes chosen = axes(input);
  std::vector<PlannedCell> cells;
  for (const Size& size : two_rank_sizes(input, chosen)) {
    for (const Precision precision : chosen.precisions) {
      for (const std::int64_t context : chosen.contexts) {
        CellSpec spec = two_rank_cell(input, chosen, size, CellKind::kDataParallel);
        spec.precision = precision;
        spec.context = context;
        for (const Choice& choice : choices(input.preset)) {
          if (choice.letter > last_part(input)) continue;
          spec.scheme = choice.scheme;
          spec.bucket_bytes = choice.bucket;
          cells.push_back({spec, chosen.launches});
        }
      }
    }
  }
  if (last_part(input) == "d") {
    cells.push_back({distributed_communication_single_node::all_reduces(input, input.device,
                                                                        *cells.front().spec.ranks),
                     1});
  }
  return cells;
}

}  // namespace labreport::data_parallel
