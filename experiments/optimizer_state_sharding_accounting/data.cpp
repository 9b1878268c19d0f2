// What a sharded optimizer saves, costs and sends: the facts behind section.md.
#include <cmath>

#include "base/format.h"
#include "base/statistics.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/optimizer_state_sharding_accounting/tables.h"
#include "experiments/problems.h"
#include "results/metric_names.h"

namespace labreport::optimizer_state_sharding_accounting {
namespace {

constexpr const char* kProblem = "optimizer_state_sharding_accounting";
constexpr double kLossTolerance = 1e-6;  // the same operations, in the same order
constexpr double kAlike = 0.01;
constexpr double kExplains = 0.5;  // of a difference, the share that a phase has to make up

struct Both {
  const Trained* network;
  const ShardingScheme* plain;
  const ShardingScheme* sharded;
};

std::vector<Both> pairs_that_ran(const std::vector<Trained>& networks) {
  std::vector<Both> pairs;
  for (const Trained& network : networks) {
    const ShardingScheme* plain = network.find(Sharding::kNone);
    const ShardingScheme* sharded = network.find(Sharding::kOptimizer);
    if (plain != nullptr && sharded != nullptr && plain->ran() && sharded->ran()) {
      pairs.push_back({&network, plain, sharded});
    }
  }
  return pairs;
}

std::string bytes_words(double bytes) { return format_bytes(bytes); }
std::string ms_words(double ms) { return format_significant(ms); }

/// "36.11 GiB and 28.67 GiB"; of what is written alike: "7.44 GiB either way".
std::string both_words(double plain, double sharded) {
  const std::string one = bytes_words(plain), other = bytes_words(sharded);
  return one == other ? one + " either way" : one + " and " + other;
}

/// Peaks at one point, with and without.
std::string peaks_words(const Both& both, When when, std::string_view point) {
  const Stage* plain = both.plain->stage(when, point);
  const Stage* sharded = both.sharded->stage(when, point);
  return plain && sharded ? both_words(plain->point.peak, sharded->point.peak) : "not known";
}

/// Before AdamW has any state, both peak within a percent of each other.
bool alike_without_state(const Both& both) {
  for (const auto& [when, point] : {std::pair(When::kModel, metric::kAfterModel),
                                    std::pair(When::kFirstStep, metric::kBeforeOptimizer)}) {
    const Stage* plain = both.plain->stage(when, point);
    const Stage* sharded = both.sharded->stage(when, point);
    if (plain == nullptr || sharded == nullptr || plain->point.optimizer > 0) return false;
    if (std::abs(sharded->point.peak / plain->point.peak - 1) > kAlike) return false;
  }
  return true;
}

/// Their words say that they are alike already.
bool written_alike(const Both& both) {
  for (const auto& [when, point] : {std::pair(When::kModel, metric::kAfterModel),
                                    std::pair(When::kFirstStep, metric::kBeforeOptimizer)}) {
    const Stage* plain = both.plain->stage(when, point);
    const Stage* sharded = both.sharded->stage(when, point);
    if (plain == nullptr || sharded == nullptr) return false;
    if (bytes_words(plain->point.peak) != bytes_words(sharded->point.peak)) return false;
  }
  return true;
}

std::optional<Facts> memory_facts(const Both& both) {
  const Stage* plain = both.plain->stage(When::kLaterStep, metric::kAfterOptimizer);
  const Stage* sharded = both.sharded->stage(When::kLaterStep, metric::kAfterOptimizer);
  if (plain == nullptr || sharded == nullptr) return std::nullopt;
  Facts facts;
  facts.set("network", both.network->words);
  facts.set("model_both", peaks_words(both, When::kModel, metric::kAfterModel));
  facts.set("first_before_both", peaks_words(both, When::kFirstStep, metric::kBeforeOptimizer));
  facts.set("before_both", peaks_words(both, When::kLaterStep, metric::kBeforeOptimizer));
  facts.set("after", bytes_words(plain->point.peak));
  facts.set("after_sharded", bytes_words(sharded->point.peak));
  facts.set("parameters", bytes_words(plain->point.parameters));
  facts.set("gradients", bytes_words(plain->point.gradients));
  facts.set("state", bytes_words(plain->point.optimizer));
  facts.set("state_sharded", bytes_words(sharded->point.optimizer));
  const double saved = plain->point.optimizer - sharded->point.optimizer;
  const double lower = plain->point.peak - sharded->point.peak;
  facts.set("lower", bytes_words(std::abs(lower)));
  facts.flag("alike", alike_without_state(both));
  facts.flag("so_written", written_alike(both));
  facts.flag("is_lower", lower > 0);
  facts.flag("explained", lower > 0 && saved >= kExplains * lower && saved <= lower / kExplains);
  return facts;
}

/// What sharding adds, and which phases account for it.
std::optional<Facts> time_facts(const Both& both) {
  if (both.plain->steps_ms.empty() || both.sharded->steps_ms.empty()) return std::nullopt;
  const double plain = mean(both.plain->steps_ms), sharded = mean(both.sharded->steps_ms);
  const double spread =
      summarize(both.plain->steps_ms).stddev + summarize(both.sharded->steps_ms).stddev;
  const auto own = both.sharded->phase_ms(metric::kOptimizer);
  const auto whole = both.plain->phase_ms(metric::kOptimizer);
  const auto broadcast = both.sharded->phase_ms(metric::kBroadcast);
  const double difference = sharded - plain;
  const bool clear = std::abs(difference) > spread;
  Facts facts;
  facts.set("network", both.network->words);
  facts.set("plain", format_value(Value::mean_of(both.plain->steps_ms)));
  facts.set("sharded", format_value(Value::mean_of(both.sharded->steps_ms)));
  facts.set("change", change_words(sharded / plain, spread / plain, kLongerThan));
  facts.flag("clear", clear);
  std::optional<Facts> phases;
  bool explained = false;
  if (own && whole && broadcast) {
    const double longer = *broadcast - (*whole - *own);
    explained =
        clear && difference * longer > 0 && std::abs(longer) >= kExplains * std::abs(difference);
    phases = Facts()
                 .set("broadcast", ms_words(*broadcast))
                 .set("own", ms_words(*own))
                 .set("whole", ms_words(*whole));
  }
  facts.when("explained", explained ? phases : std::nullopt);
  facts.when("unexplained", explained ? std::nullopt : phases);
  return facts;
}

Facts sent_facts(const Trained& network) {
  const CellSpec& spec = network.find(Sharding::kOptimizer)->cell->spec;
  const CellSpec& plain = network.schemes.front().cell->spec;
  Facts facts;
  facts.set("network", network.words);
  facts.set("sent", bytes_words(sent_bytes(spec)));
  facts.set("zero", bytes_words(sent_by_zero1(spec)));
  facts.set("plain", bytes_words(sent_bytes(plain)));
  facts.set("share", format_percent(largest_share(*spec.model, spec.ranks->count)));
  facts.set("even", format_percent(1.0 / static_cast<double>(spec.ranks->count)));
  return facts;
}

template <typename Item>
std::vector<Facts> each(const std::vector<Both>& pairs, Item (*facts)(const Both&)) {
  std::vector<Facts> all;
  for (const Both& both : pairs) {
    if (const auto found = facts(both)) all.push_back(*found);
  }
  return all;
}

TableView commands(const RunView& view, const std::vector<Trained>& networks) {
  return commands_table(view.run(), kProblem,
                        {{"All of them", networks.front().schemes.front().cell}});
}

std::vector<const Cell*> cells_of(const std::vector<Trained>& networks) {
  std::vector<const Cell*> cells;
  for (const Trained& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) cells.push_back(scheme.cell);
  }
  return cells;
}

PartContent memory_part(const RunView& view, const std::vector<Trained>& networks) {
  PartContent part;
  const auto found = each(pairs_that_ran(networks), memory_facts);
  part.facts.flag("nothing", found.empty());
  part.facts.list("networks", found);
  set_missing(part.facts, networks);
  set_conditions(part.facts, view, networks);
  part.datasets = {points_data(networks), stacks_data(networks)};
  part.details.tables = {commands(view, networks)};
  part.cells = cells_of(networks);
  return part;
}

PartContent time_part(const RunView& view, const std::vector<Trained>& networks) {
  PartContent part;
  const auto found = each(pairs_that_ran(networks), time_facts);
  part.facts.flag("nothing", found.empty());
  part.facts.list("networks", found);
  set_missing(part.facts, networks);
  set_conditions(part.facts, view, networks);
  set_apart(part.facts, networks, Sharding::kOptimizer, kLossTolerance);
  part.datasets = {times_data(networks)};
  part.cells = cells_of(networks);
  return part;
}

PartContent zero_part(const RunView& view, const std::vector<Trained>& networks) {
  PartContent part;
  std::vector<Facts> sent;
  for (const Trained& network : networks) sent.push_back(sent_facts(network));
  part.facts.list("networks", std::move(sent));
  set_conditions(part.facts, view, networks);
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  std::vector<Trained> networks = trained_networks(view, Sharding::kOptimizer);
  if (networks.empty()) return {};
  for (Trained& network : networks) {
    std::erase_if(network.schemes, [](const ShardingScheme& scheme) {
      return scheme.sharding() == Sharding::kWeights;  // fsdp_accounting's
    });
  }
  return {{"a", memory_part(view, networks)},
          {"b", time_part(view, networks)},
          {"c", zero_part(view, networks)}};
}

}  // namespace labreport::optimizer_state_sharding_accounting
