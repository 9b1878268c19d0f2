#include "analysis/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "results/shipped.h"

namespace labreport {
namespace {

/// Returns the text by which a matching pass compares cells; empty if the cell takes no part in the
/// pass.
using Key = std::function<std::optional<std::string>(const CellSpec&)>;

/// Cells of PyTorch's variants take no part, because a run has them in addition to the network's.
std::optional<std::string> id_without_implementation(CellSpec spec) {
  if (is_shipped(spec)) return std::nullopt;
  spec.implementation.clear();
  return cell_id(spec);
}

/// True for timings of warm steps. A cold first step never matches them.
bool counts_warm_steps(const CellSpec& spec) {
  return spec.kind == CellKind::kTiming && spec.warmup != 0;
}

std::optional<std::string> id_without_steps(CellSpec spec) {
  if (!counts_warm_steps(spec)) return std::nullopt;
  spec.warmup.reset();
  spec.steps.reset();
  return cell_id(spec);
}

std::optional<std::string> id_without_sizes(CellSpec spec) {
  if (!spec.model) return std::nullopt;
  spec.batch.reset();
  spec.model->vocab = 0;
  return counts_warm_steps(spec) ? id_without_steps(spec) : cell_id(spec);
}

/// Partners of A's cells, by A's index. A matched cell takes no part in later passes.
class Pairing {
 public:
  Pairing(const Run& a, const Run& b)
      : a_(a), b_(b), partner_(a.cells.size()), taken_(b.cells.size()) {}

  std::vector<CellPair> pass(const Key& key) {
    std::multimap<std::string, std::size_t> free;
    for (std::size_t i = 0; i < b_.cells.size(); ++i) {
      const auto name = taken_[i] ? std::nullopt : key(b_.cells[i].spec);
      if (name) free.emplace(*name, i);
    }
    std::vector<CellPair> added;
    for (std::size_t i = 0; i < a_.cells.size(); ++i) {
      const auto name = partner_[i] ? std::nullopt : key(a_.cells[i].spec);
      const auto found = name ? free.find(*name) : free.end();
      if (found == free.end()) continue;
      partner_[i] = found->second;
      taken_[found->second] = true;
      added.push_back({&a_.cells[i], &b_.cells[found->second]});
      free.erase(found);
    }
    return added;
  }

  std::vector<CellPair> pairs() const {
    std::vector<CellPair> all;
    for (std::size_t i = 0; i < a_.cells.size(); ++i) {
      all.push_back({&a_.cells[i], partner_[i] ? &b_.cells[*partner_[i]] : nullptr});
    }
    for (std::size_t i = 0; i < b_.cells.size(); ++i) {
      if (!taken_[i]) all.push_back({nullptr, &b_.cells[i]});
    }
    return all;
  }

 private:
  const Run& a_;
  const Run& b_;
  std::vector<std::optional<std::size_t>> partner_;
  std::vector<bool> taken_;
};

/// Throws `InputError` if the field differs and that is not allowed; records an allowed difference.
void check_field(const char* field, std::optional<std::int64_t> a, std::optional<std::int64_t> b,
                 bool allowed, std::set<std::string>& differences) {
  if (a == b) return;
  const auto text = [](std::optional<std::int64_t> value) {
    return value && *value > 0 ? std::to_string(*value) : "unknown";
  };
  const std::string values = fmt::format("{} {} against {}", field, text(a), text(b));
  if (!allowed) {
    throw InputError("the runs differ: " + values,
                     fmt::format("--allow-mismatch {} compares them all the same", field));
  }
  differences.insert(values);
}

std::string value_or_none(std::optional<std::int64_t> value) {
  return value ? std::to_string(*value) : "none";
}

std::string network(const CellSpec& spec) {
  if (!spec.model) return "none";
  const ModelShape& shape = *spec.model;
  return fmt::format("{}{}d_model {}, d_ff {}, {} layers, {} heads", spec.size,
                     spec.size.empty() ? "" : ": ", shape.d_model, shape.d_ff, shape.layers,
                     shape.heads);
}

struct Field {
  const char* name;
  std::string (*text)(const CellSpec&);
};

constexpr std::array kFields{
    Field{"kind", [](const CellSpec& spec) { return std::string(name(spec.kind)); }},
    Field{"device", [](const CellSpec& spec) { return std::string(name(spec.device)); }},
    Field{"network", network},
    Field{"vocab",
          [](const CellSpec& spec) {
            return spec.model ? std::to_string(spec.model->vocab) : std::string("none");
          }},
    Field{"context", [](const CellSpec& spec) { return value_or_none(spec.context); }},
    Field{"batch", [](const CellSpec& spec) { return value_or_none(spec.batch); }},
    Field{"precision",
          [](const CellSpec& spec) {
            return std::string(spec.precision ? name(*spec.precision) : "none");
          }},
    Field{"mode",
          [](const CellSpec& spec) { return std::string(spec.mode ? name(*spec.mode) : "none"); }},
    Field{"warmup", [](const CellSpec& spec) { return value_or_none(spec.warmup); }},
    Field{"steps", [](const CellSpec& spec) { return value_or_none(spec.steps); }}};

using FieldTexts = std::array<std::string, kFields.size()>;

std::vector<FieldTexts> fields_of(const Run& run) {
  std::vector<FieldTexts> all;
  for (const Cell& cell : run.cells) {
    FieldTexts& texts = all.emplace_back();
    for (std::size_t i = 0; i < kFields.size(); ++i) texts[i] = kFields[i].text(cell.spec);
  }
  return all;
}

}  // namespace

Allowed parse_allowed(const std::string& names) {
  Allowed allowed;
  if (names.empty()) return allowed;
  for (const std::string& name : split(names, ',')) {
    if (name == "batch") {
      allowed.batch = true;
    } else if (name == "vocab") {
      allowed.vocab = true;
    } else {
      refuse_unknown("field of --allow-mismatch", name, std::vector<std::string>{"batch", "vocab"});
    }
  }
  return allowed;
}

Matching match_cells(const Run& a, const Run& b, const Allowed& allowed) {
  Pairing pairing(a, b);
  pairing.pass(cell_id);
  pairing.pass(id_without_implementation);
  pairing.pass(id_without_steps);
  std::set<std::string> differences;
  for (const auto& [in_a, in_b] : pairing.pass(id_without_sizes)) {
    check_field("batch", in_a->spec.batch, in_b->spec.batch, allowed.batch, differences);
    check_field("vocab", in_a->spec.model->vocab, in_b->spec.model->vocab, allowed.vocab,
                differences);
  }
  Matching matching;
  matching.pairs = pairing.pairs();
  matching.mismatches.assign(differences.begin(), differences.end());
  for (const auto& [in_a, in_b] : matching.pairs) {
    (in_a == nullptr ? matching.only_b : in_b == nullptr ? matching.only_a : matching.matched)++;
  }
  return matching;
}

std::string most_frequent_difference(const Run& a, const Run& b) {
  const std::vector<FieldTexts> in_b = fields_of(b);
  std::array<std::size_t, kFields.size()> counts{};
  std::array<std::map<std::string, std::size_t>, kFields.size()> values;
  for (const FieldTexts& cell : fields_of(a)) {
    const auto nearest = std::ranges::min_element(in_b, {}, [&](const FieldTexts& other) {
      return std::inner_product(cell.begin(), cell.end(), other.begin(), 0, std::plus(),
                                std::not_equal_to());
    });
    if (nearest == in_b.end()) return "";
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (cell[i] == (*nearest)[i]) continue;
      ++counts[i];
      ++values[i][cell[i] + " against " + (*nearest)[i]];
    }
  }
  const auto most = std::ranges::max_element(counts);
  if (*most == 0) return "";
  const auto field = static_cast<std::size_t>(most - counts.begin());
  const auto& [difference, count] =
      *std::ranges::max_element(values[field], {}, [](const auto& entry) { return entry.second; });
  return fmt::format("{} differs most often: {} (in {} of {} cells)", kFields[field].name,
                     difference, count, a.cells.size());
}

}  // namespace labreport
