#include "document/comparison/diff_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "embedded/document.h"
#include "plan/arithmetic.h"
#include "plan/editions.h"
#include "results/leaderboard_rung.h"

namespace labreport {

std::string cell_label(const CellSpec& spec, const std::string& size) {
  std::vector<std::string> words;
  words.push_back(!size.empty() ? size
                  : spec.model  ? fmt::format("d_model {}", spec.model->d_model)
                                : replaced(std::string(name(spec.kind)), "_", "-"));
  if (spec.context) words.push_back("context " + format_count(*spec.context));
  if (spec.precision && spec.precision != Precision::kFp32) {
    words.emplace_back(describe(*spec.precision));
  }
  if (spec.mode) words.emplace_back(describe(*spec.mode));
  if (spec.ranks) {
    words.push_back(
        fmt::format("{} ranks over {}", spec.ranks->count, describe(spec.ranks->collectives)));
  }
  if (spec.scheme) words.emplace_back(describe(*spec.scheme));
  if (spec.sharding) words.emplace_back(describe(*spec.sharding));
  if (const auto rung = leaderboard_rung(spec)) words.emplace_back(describe(*rung));
  if (spec.bucket_bytes) words.push_back(format_count(*spec.bucket_bytes) + " B");
  return join(words, ", ");
}

std::string cell_key(const ComparedRow& row, const ComparedRun& side) {
  return slug(row.cell_id) + "/" + slug(describe(row.measure)) + "/run-" +
         slug(side.device + " " + side.edition + " " + side.started_at);
}

namespace {

/// True if the compared run's summary has the time of an all-reduce among GPUs, and the GPUs set
/// it.
bool is_all_reduce_of_gpus(const GpuRuns& compared, const ComparedRow& row) {
  const Ranks& ranks = *row.spec.ranks;
  const std::string setting = fmt::format("{}, {} ranks", describe(ranks.collectives), ranks.count);
  return std::ranges::any_of(compared.runs.front()->quantities, [&](const Quantity& quantity) {
    return quantity.topic == topic::kAllReduce && quantity.setting == setting &&
           quantity.find(describe(row.measure)) != nullptr &&
           !quantity.is_set_by_cpu(describe(row.measure));
  });
}

}  // namespace

bool is_set_by_cpu(const SideRuns& runs, const ComparedRow& row) {
  const CellSpec& spec = row.spec;
  const std::array sides{&runs.compared_a, &runs.compared_b};
  if (spec.kind == CellKind::kAllReduce) {
    return spec.device == DeviceKind::kCuda && std::ranges::any_of(sides, [&](const GpuRuns* side) {
             return !side->runs.empty() && !is_all_reduce_of_gpus(*side, row);
           });
  }
  static const std::map<CellKind, const char*> kTopicOf{
      {CellKind::kTiming, topic::kTrainingStep},
      {CellKind::kCheckpointing, topic::kCheckpointing},
      {CellKind::kDataParallel, topic::kSeveralGpus},
      {CellKind::kSharding, topic::kSharding}};
  const auto topic_of_kind = kTopicOf.find(spec.kind);
  const auto parameters = known_parameter_count(spec);
  if (topic_of_kind == kTopicOf.end() || !parameters) return false;
  const std::string precision(describe(spec.precision.value_or(Precision::kFp32)));
  const auto is_bound = [&](const Quantity& quantity) {
    return quantity.topic == topic_of_kind->second &&
           (spec.kind == CellKind::kTiming ? quantity.is_set_by_cpu(describe(Measure::kStep))
                                           : !quantity.set_by_cpu.empty()) &&
           quantity.parameters == static_cast<double>(*parameters) &&
           quantity.precision == precision;
  };
  return std::ranges::any_of(sides, [&](const GpuRuns* side) {
    return !side->runs.empty() && std::ranges::any_of(side->runs.front()->quantities, is_bound);
  });
}

Value step_ms(const Comparison& comparison, const ComparedRow& row, RowSide ComparedRow::* side) {
  Value ms = *(row.*side).value / kNanosecondsPerMillisecond;
  ms.key = cell_key(row, side == &ComparedRow::a ? comparison.a : comparison.b);
  return ms;
}

Value slower_over_faster(const Value& a_ms, const Value& b_ms) {
  return *a_ms.number() > *b_ms.number() ? a_ms.over(b_ms) : b_ms.over(a_ms);
}

std::string network_words(const Comparison& comparison, const SideRuns& runs,
                          const std::string& word, double parameters) {
  bool editions_meet = comparison.a.edition != comparison.b.edition;
  for (const GpuRuns* side : {&runs.a, &runs.b}) {
    for (const RunSummary* run : side->runs) {
      const bool is_other = !run->edition.empty() && run->edition != comparison.a.edition;
      editions_meet = editions_meet || is_other;
    }
  }
  if (!editions_meet) return word;
  return network_name({runs.a, runs.b}, {.topic = "", .network = word, .parameters = parameters});
}

std::string compared_network(const Comparison& comparison, const SideRuns& runs,
                             const ComparedRow& row) {
  return network_words(comparison, runs, row.size,
                       row.spec.model ? static_cast<double>(parameter_count(*row.spec.model)) : 0);
}

std::string model_name(const ComparedRun& side) {
  return side.implementation.empty() ? "labreport’s network" : side.implementation;
}

namespace {

constexpr std::size_t kMaxDeviceName = 40;  // More characters do not fit a sentence.

/// Names the two runs of one device by edition, day or minute. The names are empty if none differs.
std::pair<std::string, std::string> run_labels(const ComparedRun& a, const ComparedRun& b) {
  constexpr std::size_t kDateLength = std::string_view("2026-05-01").size();
  constexpr std::size_t kMinuteLength = std::string_view("2026-05-01T12:34").size();
  if (a.edition != b.edition) return {a.edition, b.edition};
  for (const std::size_t length : {kDateLength, kMinuteLength}) {
    const std::string first = a.started_at.substr(0, length),
                      second = b.started_at.substr(0, length);
    if (!first.empty() && !second.empty() && first != second)
      return {replaced(first, "T", " "), replaced(second, "T", " ")};
  }
  return {};
}

}  // namespace

std::string short_device(const std::string& device) {
  const std::string name = replaced(device, "NVIDIA ", "");
  return name.substr(0, name.find(' '));
}

SideNames side_names(const Comparison& comparison) {
  const ComparedRun &a = comparison.a, &b = comparison.b;
  const bool one_device = a.device == b.device;
  if (comparison.has_two_implementations()) {
    if (!one_device) return {};
    const auto short_model_name = [](const ComparedRun& side) {
      return side.implementation.empty() ? "labreport" : name_without_digest(side.implementation);
    };
    const bool are_distinct = short_model_name(a) != short_model_name(b);
    return {model_name(a), model_name(b), are_distinct ? short_model_name(a) : model_name(a),
            are_distinct ? short_model_name(b) : model_name(b)};
  }
  if (one_device) {
    const auto [first, second] = run_labels(a, b);
    if (first.empty()) return {};
    const char* suffix = a.edition != b.edition ? " edition’s run" : "";
    const std::string prefix = a.edition != b.edition ? "the " : "the run of ";
    return {prefix + first + suffix, prefix + second + suffix, first, second};
  }
  if (a.device.empty() || b.device.empty() || a.device.size() > kMaxDeviceName ||
      b.device.size() > kMaxDeviceName) {
    return {};
  }
  std::string first = short_device(a.device), second = short_device(b.device);
  if (first == second) {
    first = replaced(a.device, "NVIDIA ", "");
    second = replaced(b.device, "NVIDIA ", "");
  }
  return {"the " + first, "the " + second, first, second};
}

std::string with_capital_the(const std::string& name) {
  return name.starts_with("the ") ? "T" + name.substr(1) : name;
}

namespace {

bool has_verdicts(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, is_judged);
}

/// Says which machines ran, and why that allows verdicts or only ratios.
std::string machine_words(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  std::string reasons = join(comparison.machines.reasons, "; ");
  for (const auto& [subject, name] : {std::pair{"A is", names.a}, std::pair{"B is", names.b}})
    reasons = replaced(reasons, subject, name + " is");
  switch (comparison.machines.relation) {
    case Relation::kSameMachine:
      return "Same machine: " + comparison.machines.equal_facts + " are equal. " +
             (has_verdicts(comparison) ? "Rows with at least three launches a side get a verdict."
              : comparison.mismatches.empty()
                  ? "Ratios, no verdicts: too few launches, three a side are needed."
                  : "Ratios, no verdicts.");
    case Relation::kSameProcessor:
      return "Same CPU model: ratios, no verdicts (" + reasons + ").";
    case Relation::kSameDeviceModel:
      return "Same model, different machine: ratios, no verdicts (" + reasons + ").";
    case Relation::kDifferentHardware:
      return "Different hardware: ratios, no verdicts.";
    case Relation::kImported:
      break;
  }
  return "Imported numbers: ratios, no verdicts (" + reasons + ").";
}

}  // namespace

std::string relation_words(const Comparison& comparison) {
  constexpr std::size_t kShortRevision = 8;
  const ComparedRun &a = comparison.a, &b = comparison.b;
  std::string words = machine_words(comparison);
  // Ratios contain the changes between the revisions, unless one run only imported its numbers.
  const bool revisions_known = !a.revision.empty() && !b.revision.empty() && a.source == b.source;
  if (revisions_known && a.revision != b.revision) {
    words +=
        fmt::format(" Measured by different revisions of labreport: {} vs. {}.",
                    a.revision.substr(0, kShortRevision), b.revision.substr(0, kShortRevision));
  }
  for (const std::string& mismatch : comparison.mismatches) {
    words += " Allowed mismatch: " + mismatch + ". Ratios compare different work.";
  }
  if (a.edition != b.edition) {
    words += " Different editions: " + a.edition + " vs. " + b.edition +
             "; networks match by their hyper-parameters.";
  }
  return words;
}

std::string method_words(const Comparison& comparison) {
  constexpr const char* kMethodPath = "src/document/comparison/method.md";
  Facts facts;
  const SideNames names = side_names(comparison);
  facts.set("a", names.a).set("b", names.b);
  facts.flag("places", !place_facts(comparison).empty());
  facts.flag("judged", has_verdicts(comparison));
  return render_words(embedded::document().at(kMethodPath), facts, kMethodPath);
}

}  // namespace labreport
