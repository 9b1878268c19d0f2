#include "plan/sharding.h"

#include <algorithm>
#include <numeric>

#include "plan/editions.h"

namespace labreport {
namespace {

constexpr std::int64_t kFullWidth = 4, kHalfWidth = 2, kMoments = 2;

std::int64_t rank_count(const CellSpec& spec) { return spec.ranks.value_or(Ranks{1}).count; }

double ring_share(const CellSpec& spec) {
  const auto ranks = static_cast<double>(rank_count(spec));
  return (ranks - 1) / ranks;
}

double parameter_bytes_of(const CellSpec& spec, std::int64_t width) {
  return static_cast<double>(width * parameter_count(*spec.model));
}

}  // namespace

std::vector<ParameterSize> parameter_sizes(const ModelShape& shape) {
  const ParameterSize norm{shape.d_model, false};
  const ParameterSize square{shape.d_model * shape.d_model, true};
  const ParameterSize inner{shape.d_model * shape.d_ff, true};
  const ParameterSize tokens{shape.vocab * shape.d_model, true};
  std::vector<ParameterSize> sizes{tokens};
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    for (const auto& size : {norm, square, square, square, square, norm, inner, inner, inner}) {
      sizes.push_back(size);
    }
  }
  sizes.push_back(norm);
  sizes.push_back(tokens);
  return sizes;
}

std::vector<std::int64_t> owners(const std::vector<std::int64_t>& elements, std::int64_t ranks) {
  std::vector<std::size_t> order(elements.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return elements[i]; });
  std::vector<std::int64_t> load(static_cast<std::size_t>(ranks)), owner(elements.size());
  for (const std::size_t i : order) {
    const auto least = std::ranges::min_element(load);
    owner[i] = least - load.begin();
    *least += elements[i];
  }
  return owner;
}

double largest_share(const ModelShape& shape, std::int64_t ranks) {
  std::vector<std::int64_t> elements;
  for (const ParameterSize& size : parameter_sizes(shape)) elements.push_back(size.elements);
  std::vector<std::int64_t> load(static_cast<std::size_t>(ranks));
  const std::vector<std::int64_t> owner = owners(elements, ranks);
  for (std::size_t i = 0; i < owner.size(); ++i) {
    load[static_cast<std::size_t>(owner[i])] += elements[i];
  }
  return static_cast<double>(std::ranges::max(load)) / static_cast<double>(parameter_count(shape));
}

HeldBytes held_bytes(const CellSpec& spec) {
  const std::int64_t ranks = rank_count(spec), all = parameter_count(*spec.model);
  const Sharding sharding = spec.sharding.value_or(Sharding::kNone);
  if (sharding == Sharding::kWeights) {
    std::int64_t elements = 0;
    for (const ParameterSize& size : parameter_sizes(*spec.model)) {
      elements += size.matrix ? (size.elements + ranks - 1) / ranks : size.elements;
    }
    const std::int64_t bytes = kFullWidth * elements;
    return {.parameters = bytes, .gradients = bytes, .moments = kMoments * bytes};
  }
  const double share = sharding == Sharding::kOptimizer ? largest_share(*spec.model, ranks) : 1;
  const auto owned = static_cast<std::int64_t>(share * static_cast<double>(all) + 0.5);
  return {.parameters = kFullWidth * all,
          .gradients = kFullWidth * all,
          .moments = kMoments * kFullWidth * owned};
}

CellSpec of_one_rank(CellSpec spec) {
  spec.ranks.reset();
  spec.sharding.reset();
  return spec;
}

double sent_bytes(const CellSpec& spec) {
  const Sharding sharding = spec.sharding.value_or(Sharding::kNone);
  const double fp32 = ring_share(spec) * parameter_bytes_of(spec, kFullWidth);
  if (sharding == Sharding::kNone) return 2 * fp32;
  if (sharding == Sharding::kOptimizer) return 3 * fp32;
  const std::int64_t width = under_autocast(spec) ? kHalfWidth : kFullWidth;
  return 3 * ring_share(spec) * parameter_bytes_of(spec, width);
}

double sent_by_zero1(const CellSpec& spec) {
  return 2 * ring_share(spec) * parameter_bytes_of(spec, kFullWidth);
}

}  // namespace labreport
