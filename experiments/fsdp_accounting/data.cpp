// What sharded weights save, and whether they are there in time: the facts behind section.md.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/statistics.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/fsdp_accounting/gathers.h"
#include "experiments/optimizer_state_sharding_accounting/tables.h"
#include "experiments/problems.h"
#include "results/metric_names.h"

namespace labreport::fsdp_accounting {
namespace {

using optimizer_state_sharding_accounting::ExpectedStep;
using optimizer_state_sharding_accounting::ShardingScheme;
using optimizer_state_sharding_accounting::Stage;
using optimizer_state_sharding_accounting::Trained;
using optimizer_state_sharding_accounting::When;

constexpr const char* kProblem = "fsdp_accounting";
// Of its gradients what a peak holds less of lies early in backward.
constexpr double kEarly = 0.5;
constexpr double kAddsUp = 0.1;  // of a difference of steps, what its phases may miss
constexpr double kFullTolerance = 1e-6, kHalfTolerance = 1e-2;  // of losses; gradients in 16 bits

/// The high-water mark of a later step: what a peak of the whole step is.
std::optional<double> step_peak(const ShardingScheme* scheme) {
  if (scheme == nullptr) return std::nullopt;
  const Stage* stage = scheme->stage(When::kLaterStep, metric::kAfterOptimizer);
  return stage == nullptr ? std::nullopt : std::optional(stage->high_water);
}

double held_total(const ShardingScheme& scheme) {
  return static_cast<double>(held_bytes(scheme.cell->spec).total());
}

/// Against one other scheme: what the arithmetic expects, what was measured.
Facts saving(const ShardingScheme& other, const ShardingScheme& sharded) {
  const ExpectedStep others = other.expected_step(), own = sharded.expected_step();
  Facts facts;
  facts.set("other", other.words());
  facts.set("expected", format_bytes(held_total(other) - held_total(sharded)));
  facts.set("by_peaks", format_bytes(std::abs(others.bytes - own.bytes)));
  const auto before = step_peak(&other), after = step_peak(&sharded);
  const bool both = before && after;
  const bool lower = both && *after < *before;
  facts.flag("measured", both);
  facts.flag("lower", lower);
  facts.set("saved", both ? format_bytes(std::abs(*before - *after)) : "");
  facts.set("before", both ? format_bytes(*before) : "");
  facts.set("after", both ? format_bytes(*after) : "");
  return facts;
}

/// Whether the peak lies where gradients are not there yet, and what else it then spares.
void set_early(Facts& facts, const ShardingScheme* plain, const ShardingScheme& sharded) {
  const ExpectedStep own = sharded.expected_step();
  const auto gradients = static_cast<double>(held_bytes(sharded.cell->spec).gradients);
  const double copies = plain == nullptr ? 0 : plain->expected_step().copies - own.copies;
  facts.flag("early", own.gradients < kEarly * gradients);
  facts.when("copies", copies > 0, "bytes", format_bytes(copies));
}

Facts network_savings(const Trained& network) {
  const ShardingScheme& sharded = *network.find(Sharding::kWeights);
  std::vector<Facts> savings;
  for (const Sharding other : {Sharding::kOptimizer, Sharding::kNone}) {
    if (const ShardingScheme* scheme = network.find(other))
      savings.push_back(saving(*scheme, sharded));
  }
  Facts facts;
  facts.set("network", network.words);
  facts.set("held", format_bytes(held_total(sharded)));
  facts.list("savings", std::move(savings));
  set_early(facts, network.find(Sharding::kNone), sharded);
  return facts;
}

struct GatherRow {
  std::string network;
  BlockGather gather;
};

const std::vector<Column<GatherRow>> kGathers{
    {"series", "Network and pass",
     [](const GatherRow& row) { return row.network + ", " + row.gather.pass; }},
    {"network", "Network", &GatherRow::network},
    {"block", "Weights of", [](const GatherRow& row) { return row.gather.block; }},
    {"number",
     "Block",
     [](const GatherRow& row) { return Value(row.gather.number()); },
     "",
     {Notation::kCount}},
    {"pass", "Pass", [](const GatherRow& row) { return row.gather.pass; }},
    {"bytes",
     "Gathered",
     [](const GatherRow& row) { return row.gather.bytes; },
     "MiB",
     {Notation::kMebibytes}},
    {"alone",
     "Gathers alone",
     [](const GatherRow& row) { return row.gather.alone_ms; },
     "ms",
     {Notation::kSignificant, 3}},
    {"wait",
     "Waited",
     [](const GatherRow& row) { return row.gather.wait_ms; },
     "ms",
     {Notation::kSignificant, 3}},
    {"share",
     "Waited over alone",
     [](const GatherRow& row) {
       return row.gather.alone_ms > 0 ? Value(row.gather.wait_ms / row.gather.alone_ms) : Value();
     },
     "%",
     {Notation::kPercent}},
    {"layers",
     "Matrices",
     [](const GatherRow& row) { return row.gather.layers; },
     "",
     {Notation::kCount}},
    {"in_time",
     "In time",
     [](const GatherRow& row) { return row.gather.in_time; },
     "",
     {Notation::kCount}}};

std::vector<GatherRow> gather_rows(const std::vector<Trained>& networks) {
  std::vector<GatherRow> rows;
  for (const Trained& network : networks) {
    const ShardingScheme& sharded = *network.find(Sharding::kWeights);
    const Launch* launch = ok_launch(*sharded.cell);
    if (launch == nullptr) continue;
    for (const BlockGather& gather : block_gathers(*launch)) {
      rows.push_back({network.words, gather});
    }
  }
  return rows;
}

/// Which gathers of one pass were in time, and which matrices' were not.
void set_in_time(Facts& facts, const BlockGather& all, const std::vector<std::string>& late,
                 std::int64_t blocks) {
  const bool some = all.in_time > 0 && all.in_time < all.layers;
  facts.set("in_time", format_count(all.in_time)).set("layers", format_count(all.layers));
  facts.flag("all", all.in_time == all.layers).flag("none", all.in_time == 0).flag("some", some);
  const bool told = !late.empty() && std::ssize(late) < all.layers / blocks;
  facts.when("late", some && told, "matrices", join_words(late));
}

/// Of one pass of all blocks: who was in time, how much of what gathers take was hidden, and why.
std::optional<Facts> pass_facts(const Launch& launch, std::string_view pass,
                                const Trained& network) {
  const auto all = all_blocks(block_gathers(launch), pass);
  if (!all || all->alone_ms <= 0) return std::nullopt;
  const ShardingScheme* plain = network.find(Sharding::kNone);
  const double own = plain == nullptr ? 0 : plain->phase_ms(pass).value_or(0);
  const std::int64_t blocks = network.spec().model->layers;
  const auto each = [&](double ms) {
    return format_significant(ms / static_cast<double>(blocks), 3);
  };
  const bool late = all->in_time < all->layers;
  const bool queues = late && pass == metric::kBackward && all->wait_ms > all->alone_ms &&
                      network.spec().device == DeviceKind::kCuda;
  Facts facts;
  facts.set("pass", pass);
  set_in_time(facts, *all, late_matrices(launch, pass), blocks);
  facts.set("alone", each(all->alone_ms)).set("wait", each(all->wait_ms));
  facts.when("block", own > 0, "computes", each(own));
  facts.flag("queues", queues).flag("hides", late && !queues);
  facts.flag("longer", late && !queues && own > 0 && all->alone_ms > own);
  facts.set("hidden", format_percent(std::clamp(1 - all->wait_ms / all->alone_ms, 0.0, 1.0)));
  return facts;
}

std::vector<Facts> timely(const std::vector<Trained>& networks) {
  std::vector<Facts> all;
  for (const Trained& network : networks) {
    const Launch* launch = ok_launch(*network.find(Sharding::kWeights)->cell);
    if (launch == nullptr) continue;
    for (const auto pass : {metric::kForward, metric::kBackward}) {
      auto facts = pass_facts(*launch, pass, network);
      if (!facts) continue;
      facts->set("network", network.words);
      all.push_back(*facts);
    }
  }
  return all;
}

/// Tells sharding's savings and costs by phases of steps that synchronize after each. Absent where
/// these phases do not add up to the difference of the steps.
std::optional<Facts> exchange(const ShardingScheme& plain, const ShardingScheme& sharded) {
  const auto saved = [&](std::string_view phase) -> std::optional<double> {
    const auto before = plain.phase_ms(phase), after = sharded.phase_ms(phase);
    return before && after ? std::optional(*before - *after) : std::nullopt;
  };
  const auto optimizer = saved(metric::kOptimizer), reduce = saved(metric::kAllReduce);
  const auto forward = saved(metric::kForward), backward = saved(metric::kBackward);
  if (!optimizer || !reduce || !forward || !backward) return std::nullopt;
  const double passes = -*forward - *backward;
  const double whole = mean(plain.steps_ms) - mean(sharded.steps_ms);
  const bool adds_up = std::abs(*optimizer + *reduce - passes - whole) <= kAddsUp * std::abs(whole);
  if (!adds_up || *optimizer <= 0 || *reduce <= 0 || passes <= 0) return std::nullopt;
  return Facts()
      .set("optimizer", format_significant(*optimizer, 3))
      .set("reduce", format_significant(*reduce, 3))
      .set("passes", format_significant(passes, 3));
}

/// Steps with weights sharded and with nothing.
std::vector<Facts> step_facts(const std::vector<Trained>& networks) {
  std::vector<Facts> all;
  for (const Trained& network : networks) {
    const ShardingScheme* plain = network.find(Sharding::kNone);
    const ShardingScheme* sharded = network.find(Sharding::kWeights);
    if (plain == nullptr || plain->steps_ms.empty() || sharded->steps_ms.empty()) continue;
    all.emplace_back()
        .set("network", network.words)
        .set("plain", format_value(Value::mean_of(plain->steps_ms)))
        .set("sharded", format_value(Value::mean_of(sharded->steps_ms)))
        .when("exchange", exchange(*plain, *sharded));
  }
  return all;
}

void set_losses(Facts& facts, const std::vector<Trained>& networks) {
  optimizer_state_sharding_accounting::set_apart(facts, networks, Sharding::kWeights,
                                                 kFullTolerance, kHalfTolerance);
}

PartContent memory_part(const RunView& view, const std::vector<Trained>& networks) {
  PartContent part;
  std::vector<Facts> savings;
  for (const Trained& network : networks) savings.push_back(network_savings(network));
  part.facts.list("networks", std::move(savings));
  set_missing(part.facts, networks);
  set_conditions(part.facts, view, networks);
  set_losses(part.facts, networks);
  part.datasets = {points_data(networks), stacks_data(networks)};
  part.details.tables = {commands_table(view.run(), kProblem,
                                        {{"All of them", networks.front().schemes.front().cell}})};
  part.cells = view.cells(CellKind::kSharding);
  return part;
}

PartContent gathers_part(const RunView& view, const std::vector<Trained>& networks) {
  PartContent part;
  const auto found = timely(networks);
  part.facts.flag("nothing", found.empty());
  part.facts.list("passes", found);
  part.facts.list("steps_both", step_facts(networks));
  set_missing(part.facts, networks);
  set_conditions(part.facts, view, networks);
  part.datasets = {make_dataset("gathers", kGathers, gather_rows(networks)), times_data(networks)};
  part.cells = view.cells(CellKind::kSharding);
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  if (view.edition().name != "2026") return {};
  const std::vector<Trained> networks =
      optimizer_state_sharding_accounting::trained_networks(view, Sharding::kWeights);
  if (networks.empty()) return {};
  return {{"a", memory_part(view, networks)}, {"b", gathers_part(view, networks)}};
}

}  // namespace labreport::fsdp_accounting
