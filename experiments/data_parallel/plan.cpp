#include "experiments/problems.h"

#include "experiments/common/selection.h"
#include "experiments/data_parallel/scheme_tables.h"

namespace labreport::data_parallel {
namespace {

constexpr std::int64_t kReducerBucketBytes = 25 << 20;  // c10d::kDefaultBucketBytesCap

struct PlannedScheme {
  std::string_view first_part;  ///< The letter of the first part that needs the scheme.
  Scheme scheme;
  std::optional<std::int64_t> bucket_bytes = {};
};

/// The caps in bytes are the handout's; a demonstration's small network has smaller ones.
std::vector<std::int64_t> bucket_caps(Preset preset) {
  if (preset == Preset::kDemo) return {100'000, 1'000'000, 10'000'000};
  return {1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
}

std::vector<PlannedScheme> planned_schemes(Preset preset) {
  std::vector<PlannedScheme> all{{"a", Scheme::kNone},
                                 {"a", Scheme::kPerParameter},
                                 {"b", Scheme::kFlat},
                                 {"c", Scheme::kOverlapped}};
  for (const std::int64_t cap : bucket_caps(preset)) all.push_back({"d", Scheme::kBucketed, cap});
  all.push_back({"d", Scheme::kReducer, kReducerBucketBytes});
  return all;
}

bool measures_own_step(const PlanInput& input) {
  return input.selection.model && input.selection.model->step;
}

/// Returns the caps with which the user's step is measured; one absent cap if it takes none, or if
/// the part about caps is not wanted.
std::vector<std::optional<std::int64_t>> bucket_caps_of_own_step(const PlanInput& input) {
  const bool takes_caps = input.selection.model->step->takes_bucket_size;
  if (!takes_caps || !part_wanted(input, kProblem, "d")) return {std::nullopt};
  const std::vector<std::int64_t> caps = bucket_caps(input.preset);
  return {caps.begin(), caps.end()};
}

/// Returns the letter of the last part that the user asked for. That part compares the schemes of
/// all earlier parts.
std::string_view last_wanted_part(const PlanInput& input) {
  for (const std::string_view letter : {"d", "c", "b"}) {
    if (part_wanted(input, kProblem, letter)) return letter;
  }
  return "a";
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  const Axes chosen = axes(input);
  std::vector<PlannedCell> cells;
  for (CellSpec& spec : rank_cells(input, chosen, CellKind::kDataParallel)) {
    if (measures_own_step(input)) {
      spec.scheme = Scheme::kOwnStep;
      for (const auto bucket_bytes : bucket_caps_of_own_step(input)) {
        spec.bucket_bytes = bucket_bytes;
        cells.push_back({spec, chosen.launches});
      }
      continue;
    }
    for (const PlannedScheme& planned : planned_schemes(input.preset)) {
      // PyTorch's reducer stands beside the user's container, also without bucket caps.
      const bool is_beside_users =
          planned.scheme == Scheme::kReducer && input.selection.keeps_labreports_network;
      if (planned.first_part > last_wanted_part(input) && !is_beside_users) continue;
      spec.scheme = planned.scheme;
      spec.bucket_bytes = planned.bucket_bytes;
      cells.push_back({spec, chosen.launches});
    }
  }
  if (!cells.empty() && !measures_own_step(input) && last_wanted_part(input) == "d") {
    cells.push_back({all_reduce_cell(input, input.device, cells.front().spec.ranks->count), 1});
  }
  return cells;
}

}  // namespace labreport::data_parallel
