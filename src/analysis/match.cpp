#include "analysis/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "results/shipped_variant.h"

namespace labreport {
namespace {

/// Cells match in a pass if their keys are equal. A cell without a key takes no part in the pass.
using MatchKey = std::function<std::optional<std::string>(const CellSpec&)>;

/// Shipped variants have no key, because a run has their cells beside those of its own network.
std::optional<std::string> id_without_implementation(CellSpec spec) {
  if (is_shipped(spec)) return std::nullopt;
  spec.implementation.clear();
  return cell_id(spec);
}

/// True for timings of warm steps, which never match a cold first step.
bool times_warm_steps(const CellSpec& spec) {
  return spec.kind == CellKind::kTiming && spec.warmup != 0;
}

std::optional<std::string> id_without_steps(CellSpec spec) {
  if (!times_warm_steps(spec)) return std::nullopt;
  spec.warmup.reset();
  spec.steps.reset();
  return cell_id(spec);
}

/// do_bench repeats a faster step more often.
std::optional<std::string> id_without_repeats(CellSpec spec) {
  if (!spec.repeats) return std::nullopt;
  spec.repeats = 1;
  return cell_id(spec);
}

std::optional<std::string> id_without_batch_and_vocab(CellSpec spec) {
  if (!spec.model) return std::nullopt;
  spec.batch.reset();
  spec.model->vocab = 0;
  return times_warm_steps(spec) ? id_without_steps(spec) : cell_id(spec);
}

/// Pairs cells pass by pass. A matched cell takes no part in later passes.
class Pairing {
 public:
  Pairing(const Run& a, const Run& b)
      : a_(a), b_(b), partner_in_b_(a.cells.size()), is_matched_b_(b.cells.size()) {}

  std::vector<CellPair> add_pass(const MatchKey& key) {
    std::multimap<std::string, std::size_t> unmatched_b;  // cells of B by their keys
    for (std::size_t i = 0; i < b_.cells.size(); ++i) {
      const auto key_b = is_matched_b_[i] ? std::nullopt : key(b_.cells[i].spec);
      if (key_b) unmatched_b.emplace(*key_b, i);
    }
    std::vector<CellPair> added;
    for (std::size_t i = 0; i < a_.cells.size(); ++i) {
      const auto key_a = partner_in_b_[i] ? std::nullopt : key(a_.cells[i].spec);
      const auto found = key_a ? unmatched_b.find(*key_a) : unmatched_b.end();
      if (found == unmatched_b.end()) continue;
      partner_in_b_[i] = found->second;
      is_matched_b_[found->second] = true;
      added.push_back({&a_.cells[i], &b_.cells[found->second]});
      unmatched_b.erase(found);
    }
    return added;
  }

  std::vector<CellPair> pairs() const {
    std::vector<CellPair> all;
    for (std::size_t i = 0; i < a_.cells.size(); ++i) {
      all.push_back({&a_.cells[i], partner_in_b_[i] ? &b_.cells[*partner_in_b_[i]] : nullptr});
    }
    for (std::size_t i = 0; i < b_.cells.size(); ++i) {
      if (!is_matched_b_[i]) all.push_back({nullptr, &b_.cells[i]});
    }
    return all;
  }

 private:
  const Run& a_;
  const Run& b_;
  std::vector<std::optional<std::size_t>> partner_in_b_;  // by index of A's cell
  std::vector<bool> is_matched_b_;                        // by index of B's cell
};

/// Adds the difference to `differences` if the values differ. Throws `InputError` if they may not.
void check_field(const char* field, std::optional<std::int64_t> a, std::optional<std::int64_t> b,
                 bool may_differ, std::set<std::string>& differences) {
  if (a == b) return;
  const auto text = [](std::optional<std::int64_t> value) {
    return value && *value > 0 ? std::to_string(*value) : "unknown";
  };
  const std::string values = fmt::format("{} {} against {}", field, text(a), text(b));
  if (!may_differ) {
    throw InputError("the runs differ: " + values,
                     fmt::format("--allow-mismatch {} compares them all the same", field));
  }
  differences.insert(values);
}

std::string value_or_none(std::optional<std::int64_t> value) {
  return value ? std::to_string(*value) : "none";
}

std::string network_text(const CellSpec& spec) {
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
    Field{"network", network_text},
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

std::vector<FieldTexts> field_texts(const Run& run) {
  std::vector<FieldTexts> all;
  for (const Cell& cell : run.cells) {
    FieldTexts& texts = all.emplace_back();
    for (std::size_t i = 0; i < kFields.size(); ++i) texts[i] = kFields[i].text(cell.spec);
  }
  return all;
}

}  // namespace

AllowedMismatches parse_allowed_mismatches(const std::string& names) {
  AllowedMismatches allowed;
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

Matching match_cells(const Run& a, const Run& b, const AllowedMismatches& allowed) {
  Pairing pairing(a, b);
  pairing.add_pass(cell_id);
  pairing.add_pass(id_without_implementation);
  pairing.add_pass(id_without_steps);
  pairing.add_pass(id_without_repeats);
  std::set<std::string> differences;
  for (const auto& [a_cell, b_cell] : pairing.add_pass(id_without_batch_and_vocab)) {
    check_field("batch", a_cell->spec.batch, b_cell->spec.batch, allowed.batch, differences);
    check_field("vocab", a_cell->spec.model->vocab, b_cell->spec.model->vocab, allowed.vocab,
                differences);
  }
  Matching matching;
  matching.pairs = pairing.pairs();
  matching.mismatches.assign(differences.begin(), differences.end());
  for (const auto& [a_cell, b_cell] : matching.pairs) {
    std::size_t& count = a_cell == nullptr   ? matching.cells_only_in_b
                         : b_cell == nullptr ? matching.cells_only_in_a
                                             : matching.matched_cells;
    ++count;
  }
  return matching;
}

std::string most_frequent_difference(const Run& a, const Run& b) {
  const std::vector<FieldTexts> b_cells = field_texts(b);
  std::array<std::size_t, kFields.size()> difference_counts{};
  std::array<std::map<std::string, std::size_t>, kFields.size()> value_counts;
  for (const FieldTexts& cell : field_texts(a)) {
    const auto nearest = std::ranges::min_element(b_cells, {}, [&](const FieldTexts& other) {
      return std::inner_product(cell.begin(), cell.end(), other.begin(), 0, std::plus(),
                                std::not_equal_to());
    });
    if (nearest == b_cells.end()) return "";
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (cell[i] == (*nearest)[i]) continue;
      ++difference_counts[i];
      ++value_counts[i][cell[i] + " against " + (*nearest)[i]];
    }
  }
  const auto largest_count = std::ranges::max_element(difference_counts);
  if (*largest_count == 0) return "";
  const auto field = static_cast<std::size_t>(largest_count - difference_counts.begin());
  const auto& [difference, count] = *std::ranges::max_element(
      value_counts[field], {}, [](const auto& entry) { return entry.second; });
  return fmt::format("{} differs most often: {} (in {} of {} cells)", kFields[field].name,
                     difference, count, a.cells.size());
}

}  // namespace labreport
