#include "plan/sharding.h"

#include <algorithm>
#include <numeric>

#include "plan/editions.h"

namespace labreport {
namespace {

constexpr std::int64_t kFullWidth = 4, kHalfWidth = 2;  // bytes of an element
constexpr std::int64_t kMoments = 2;                    // AdamW's moments of a parameter

std::int64_t rank_count(const CellSpec& spec) { return spec.ranks.value_or(Ranks{1}).count; }

/// Returns (N − 1)/N, the fraction of a tensor that a rank sends in one pass around the ring.
double ring_fraction(const CellSpec& spec) {
  const auto ranks = static_cast<double>(rank_count(spec));
  return (ranks - 1) / ranks;
}

double parameter_bytes_in_width(const CellSpec& spec, std::int64_t width) {
  return static_cast<double>(width * parameter_count(*spec.model));
}

}  // namespace

std::vector<ParameterSize> parameter_sizes(const ModelShape& shape) {
  const ParameterSize norm{shape.d_model, false};
  const ParameterSize projection{shape.d_model * shape.d_model, true};
  const ParameterSize ffn_matrix{shape.d_model * shape.d_ff, true};
  const ParameterSize embedding{shape.vocab * shape.d_model, true};
  std::vector<ParameterSize> sizes{embedding};
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    for (const auto& size : {norm, projection, projection, projection, projection, norm, ffn_matrix,
                             ffn_matrix, ffn_matrix}) {
      sizes.push_back(size);
    }
  }
  sizes.push_back(norm);
  sizes.push_back(embedding);
  return sizes;
}

std::vector<std::int64_t> owner_ranks(const std::vector<std::int64_t>& elements,
                                      std::int64_t ranks) {
  std::vector<std::size_t> order(elements.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return elements[i]; });
  std::vector<std::int64_t> owned_elements(static_cast<std::size_t>(ranks)), owner(elements.size());
  for (const std::size_t i : order) {
    const auto fewest = std::ranges::min_element(owned_elements);
    owner[i] = fewest - owned_elements.begin();
    *fewest += elements[i];
  }
  return owner;
}

double largest_owned_fraction(const ModelShape& shape, std::int64_t ranks) {
  std::vector<std::int64_t> elements;
  for (const ParameterSize& size : parameter_sizes(shape)) elements.push_back(size.elements);
  std::vector<std::int64_t> owned_elements(static_cast<std::size_t>(ranks));
  const std::vector<std::int64_t> owner = owner_ranks(elements, ranks);
  for (std::size_t i = 0; i < owner.size(); ++i) {
    owned_elements[static_cast<std::size_t>(owner[i])] += elements[i];
  }
  return static_cast<double>(std::ranges::max(owned_elements)) /
         static_cast<double>(parameter_count(shape));
}

HeldBytes held_bytes(const CellSpec& spec) {
  const std::int64_t ranks = rank_count(spec), parameters = parameter_count(*spec.model);
  const Sharding sharding = spec.sharding.value_or(Sharding::kNone);
  if (sharding == Sharding::kWeights) {
    std::int64_t elements = 0;
    for (const ParameterSize& size : parameter_sizes(*spec.model)) {
      elements += size.is_matrix ? (size.elements + ranks - 1) / ranks : size.elements;
    }
    const std::int64_t bytes = kFullWidth * elements;
    return {.parameters = bytes, .gradients = bytes, .moments = kMoments * bytes};
  }
  const double owned_fraction =
      sharding == Sharding::kOptimizer ? largest_owned_fraction(*spec.model, ranks) : 1;
  const auto owned_elements =
      static_cast<std::int64_t>(owned_fraction * static_cast<double>(parameters) + 0.5);
  return {.parameters = kFullWidth * parameters,
          .gradients = kFullWidth * parameters,
          .moments = kMoments * kFullWidth * owned_elements};
}

CellSpec as_single_process(CellSpec spec) {
  spec.ranks.reset();
  spec.sharding.reset();
  return spec;
}

double sent_bytes_per_step(const CellSpec& spec) {
  const Sharding sharding = spec.sharding.value_or(Sharding::kNone);
  const double one_pass_bytes = ring_fraction(spec) * parameter_bytes_in_width(spec, kFullWidth);
  if (sharding == Sharding::kNone) return 2 * one_pass_bytes;
  if (sharding == Sharding::kOptimizer) return 3 * one_pass_bytes;
  const std::int64_t width = under_autocast(spec) ? kHalfWidth : kFullWidth;
  return 3 * ring_fraction(spec) * parameter_bytes_in_width(spec, width);
}

double zero1_sent_bytes_per_step(const CellSpec& spec) {
  return 2 * ring_fraction(spec) * parameter_bytes_in_width(spec, kFullWidth);
}

}  // namespace labreport
