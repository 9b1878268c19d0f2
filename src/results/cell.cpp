#include "results/cell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results/run_json_keys.h"

namespace labreport {
namespace {

std::string id_text(std::int64_t number) { return std::to_string(number); }
std::string id_text(const std::string& text) { return text; }
std::string id_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, "-"));
}
template <typename Enum>
  requires std::is_enum_v<Enum>
std::string id_text(Enum value) {
  return std::string(name(value));
}
template <typename Value>
std::string id_text(const std::optional<Value>& value) {
  return id_text(*value);
}

}  // namespace

bool under_autocast(const CellSpec& spec) {
  return spec.precision == Precision::kBf16 || spec.precision == Precision::kFp16;
}

bool same_network_and_batch(const CellSpec& a, const CellSpec& b) {
  return a.implementation == b.implementation && a.model == b.model && a.context == b.context &&
         a.batch == b.batch;
}

bool same_setting(const CellSpec& a, const CellSpec& b) {
  return same_network_and_batch(a, b) && a.precision == b.precision;
}

std::string name_without_digest(const std::string& implementation) {
  return implementation.substr(0, implementation.rfind('-'));
}

bool joins_by_itself(const CellSpec& spec) {
  return spec.kind == CellKind::kLeaderboard || spec.scheme == Scheme::kOwnStep ||
         (spec.sharding && !spec.implementation.empty());
}

bool bytes_are_countable(const CellSpec& spec) {
  const auto batch = static_cast<double>(spec.batch.value_or(1));
  if (spec.attention) {
    double longest = 0;
    for (const std::int64_t length : spec.attention->lengths) {
      longest = std::max(longest, static_cast<double>(length));
    }
    const double rows = batch * static_cast<double>(spec.attention->heads) * longest;
    return 64 * rows * (longest + static_cast<double>(spec.attention->head_dim)) < 1e16;
  }
  const auto ranks = static_cast<double>(spec.ranks.value_or(Ranks{1}).count);
  if (ranks * static_cast<double>(spec.largest_bytes.value_or(0)) >= 1e16) return false;
  const ModelShape shape = spec.model.value_or(ModelShape{});
  const auto d = static_cast<double>(shape.d_model);
  const auto context = static_cast<double>(spec.context.value_or(1));
  const double tokens = batch * context;
  const double widths = d + static_cast<double>(shape.d_ff) + static_cast<double>(shape.vocab);
  const double pairs = (tokens * static_cast<double>(shape.heads) + context) * context;
  // The tensors of a block, the output layer and the loss together take at most 80 bytes for each
  // element of a weight or an activation, and 16 for each pair of tokens in each head.
  const double bytes = 80 * (tokens + d) * widths + 16 * pairs;
  return std::max(1.0, static_cast<double>(shape.layers)) * bytes < 1e16;
}

std::string cell_id(const CellSpec& spec) {
  std::string id(name(spec.kind));
  for_each_param(&spec, [&](const auto& param, const auto* value) {
    if (param.id_prefix == nullptr || value == nullptr || is_empty(*value)) return;
    id += param.id_prefix + id_text(*value);
  });
  return id;
}

}  // namespace labreport
