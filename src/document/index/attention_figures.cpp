#include "document/index/attention_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/value_rows.h"
#include "document/keyed_number.h"
#include "results/cell.h"

namespace labreport {
namespace {

constexpr double kSameTime = 1.02;  // Launches of one GPU differ by up to this factor.

bool is_plain(const std::string& implementation) {
  return implementation == describe(AttentionBackend::kEager);
}

/// True for a backend of SDPA that keeps the scores on the chip.
bool is_fused(const std::string& implementation) {
  return implementation == describe(AttentionBackend::kFlash) ||
         implementation == describe(AttentionBackend::kEfficient) ||
         implementation == describe(AttentionBackend::kCudnn);
}

bool is_16_bit(const std::string& precision) { return !precision.ends_with("32"); }

/// Returns a setting without its last words, which name the implementation: "head size 64, batch
/// 1".
std::string conditions_of(const Quantity& quantity) {
  const std::size_t comma = quantity.setting.rfind(", ");
  return comma == std::string::npos ? "" : quantity.setting.substr(0, comma);
}

/// One point of a curve over lengths.
struct AttentionPoint {
  std::string panel;           ///< "BF16" or, if conditions differ, "BF16, head size 64, batch 8"
  std::string precision;       ///< "BF16"
  std::string implementation;  ///< "SDPA flash"
  std::string device;
  std::string name;   ///< "4,096 tokens"
  Value value;        ///< Missing where memory ran out.
  bool is_first_gpu;  ///< Tells whether figures fill the mark.

  double at() const { return number_in(name); }
};

std::vector<Column<AttentionPoint>> point_columns(const char* title, const char* unit) {
  return {{"panel", "Precision", &AttentionPoint::panel},
          {"series", "Implementation", &AttentionPoint::implementation},
          {"device", "GPU", &AttentionPoint::device},
          {"name", "Length", &AttentionPoint::name},
          {"at", "Number", &AttentionPoint::at},
          {"value", title, &AttentionPoint::value, unit},
          {"fill", "Fill", [](const AttentionPoint& point) { return point.is_first_gpu ? 1 : 0; }}};
}

/// A series of one GPU, and the panel that shows it.
struct PlacedSeries {
  const GpuRuns* gpu;
  const Series* series;

  const Quantity& quantity() const { return *series->front().quantity; }
};

/// Returns the points of all series in a unit. Panels whose conditions have most series come first,
/// then 16-bit formats, and of two GPUs the leading one.
std::vector<AttentionPoint> points_in(const Topic& topic, const std::vector<GpuRuns>& gpus,
                                      const std::string& unit) {
  const std::vector<std::vector<Series>> of_gpus = series_in(topic, gpus, unit);
  std::vector<PlacedSeries> all;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const Series& series : of_gpus[gpu]) all.push_back({&gpus[gpu], &series});
  }
  if (all.empty()) return {};
  const GpuRuns* first = gpus.size() == 2 ? &gpus[leading_gpu(gpus)] : all.front().gpu;
  std::map<std::string, std::ptrdiff_t> sizes;  // The numbers of series, by conditions.
  for (const PlacedSeries& placed : all) ++sizes[conditions_of(placed.quantity())];
  std::ranges::stable_sort(all, std::greater(), [&](const PlacedSeries& placed) {
    const Quantity& quantity = placed.quantity();
    return std::tuple(sizes[conditions_of(quantity)], is_16_bit(quantity.precision),
                      placed.gpu == first);
  });
  const bool is_one_setting = sizes.size() == 1;
  std::vector<AttentionPoint> points;
  for (const PlacedSeries& placed : all) {
    const Quantity& quantity = placed.quantity();
    const std::string panel =
        quantity.precision + (is_one_setting ? "" : ", " + conditions_of(quantity));
    for (const auto& [name, value] : curve_values(*placed.series)) {
      points.push_back({panel, quantity.precision, listed_words(quantity.setting).back(),
                        placed.gpu->short_name, name, value, placed.gpu == first});
    }
  }
  return points;
}

bool ran_out(const AttentionPoint& point) { return point.value.is_missing(); }

/// Returns the facts of the panel and the GPU on which the fastest implementation gains most over
/// the one in plain operators, at the longest length of the latter. Nothing unless a GPU has both.
std::optional<Facts> fastest_attention_facts(const std::vector<AttentionPoint>& points) {
  const AttentionPoint *slow = nullptr, *fast = nullptr;
  const auto times = [](const AttentionPoint& one, const AttentionPoint& other) {
    return *one.value.number() / *other.value.number();
  };
  const std::vector<AttentionPoint> measured = only(points, std::not_fn(ran_out));
  for (const AttentionPoint& one : measured) {
    const auto shares_axes = [&](const AttentionPoint& other) {
      return std::tie(other.panel, other.device) == std::tie(one.panel, one.device);
    };
    const bool is_longest = std::ranges::none_of(measured, [&](const AttentionPoint& other) {
      return shares_axes(other) && is_plain(other.implementation) && other.at() > one.at();
    });
    if (!is_plain(one.implementation) || !is_longest) continue;
    for (const AttentionPoint& other : measured) {
      if (!shares_axes(other) || other.name != one.name || times(one, other) <= 1) continue;
      if (slow == nullptr || times(one, other) > times(*slow, *fast)) slow = &one, fast = &other;
    }
  }
  if (slow == nullptr) return std::nullopt;
  const Value ratio = slow->value.over(fast->value);
  const std::string slow_ms = format_value(slow->value, brief_ms(*slow->value.number()));
  return Facts()
      .set_markdown("keyed_times", keyed_number(format_value(ratio, kThreeDigits), ratio))
      .set_markdown("keyed_slow_ms", keyed_number(slow_ms, slow->value))
      .set("precision", slow->panel)
      .set("gpu", slow->device)
      .set("name", slow->name)
      .set("fast", fast->implementation)
      .set("ms", fast->value, brief_ms(*fast->value.number()))
      .set("slow_ms", slow->value, brief_ms(*slow->value.number()))
      .set("times", times(*slow, *fast), kThreeDigits);
}

/// How many times as fast the first of two GPUs is.
struct AdvantagePoint {
  std::string panel, implementation, name;
  Value times;

  double at() const { return number_in(name); }
};

const std::vector<Column<AdvantagePoint>> kAdvantageColumns{
    {"panel", "Precision", &AdvantagePoint::panel},
    {"series", "Implementation", &AdvantagePoint::implementation},
    {"name", "Length", &AdvantagePoint::name},
    {"at", "Number", &AdvantagePoint::at},
    {"times", "Advantage", &AdvantagePoint::times, "×", {Notation::kFixed, 2}}};

/// Divides the times of the second GPU by those of the first. Empty unless there are two.
std::vector<AdvantagePoint> advantages(const std::vector<AttentionPoint>& points) {
  if (distinct(each(points, &AttentionPoint::device)).size() != 2) return {};
  std::vector<AdvantagePoint> ratios;
  for (const AttentionPoint& first : points) {
    for (const AttentionPoint& second : points) {
      const auto setting = [](const AttentionPoint& point) {
        return std::tie(point.panel, point.implementation, point.name);
      };
      const bool are_comparable = first.is_first_gpu && !second.is_first_gpu &&
                                  setting(first) == setting(second) && !ran_out(first) &&
                                  !ran_out(second);
      if (are_comparable)
        ratios.push_back(
            {first.panel, first.implementation, first.name, second.value.over(first.value)});
    }
  }
  return ratios;
}

/// "1.17 to 1.18"
std::string range_of(const std::vector<double>& ratios) {
  const auto [low, high] = std::ranges::minmax(each(ratios, format_ratio));
  return low == high ? low : low + " to " + high;
}

/// Returns the facts of the advantage at each curve's longest length, in plain operators and in
/// fused kernels. Nothing unless there are both.
std::optional<Facts> advantage_facts(const std::vector<AttentionPoint>& points) {
  const std::vector<AdvantagePoint> ratios = advantages(points);
  std::vector<double> plain, fused;
  for (const AdvantagePoint& ratio : ratios) {
    const bool is_longest = std::ranges::none_of(ratios, [&](const AdvantagePoint& other) {
      return std::tie(other.panel, other.implementation) ==
                 std::tie(ratio.panel, ratio.implementation) &&
             other.at() > ratio.at();
    });
    if (is_longest && is_plain(ratio.implementation)) plain.push_back(*ratio.times.number());
    if (is_longest && is_fused(ratio.implementation)) fused.push_back(*ratio.times.number());
  }
  if (plain.empty() || fused.empty()) return std::nullopt;
  return Facts().set("plain", range_of(plain)).set("fused", range_of(fused));
}

/// Names the GPU whose marks are filled, and the others. Nothing unless there are several.
std::optional<Facts> marks_facts(const std::vector<AttentionPoint>& points) {
  std::vector<std::string> filled, hollow;
  for (const AttentionPoint& point : points)
    (point.is_first_gpu ? filled : hollow).push_back(point.device);
  if (filled.empty() || hollow.empty()) return std::nullopt;
  return Facts().set("filled", filled.front()).set("hollow", join_words(distinct(hollow)));
}

/// True if several GPUs have the same value of a curve, and no two of them differ.
bool are_same_on_each_gpu(const std::vector<AttentionPoint>& points) {
  const std::vector<AdvantagePoint> ratios = advantages(points);
  return !ratios.empty() && std::ranges::all_of(ratios, [](const AdvantagePoint& ratio) {
    return *ratio.times.number() == 1;
  });
}

/// Returns the implementation that is fastest on a GPU, among `rows` of one precision and length.
/// Nothing unless it is faster than each other by more than launches differ. A rival whose time the
/// CPU sets may have faster kernels, so the fastest is then unknown.
std::optional<std::string> winner(const std::vector<ValueRow>& rows, std::size_t gpu) {
  const auto measured =
      only(rows, [gpu](const ValueRow& row) { return row.by_gpu[gpu].has_value(); });
  if (measured.size() < 2) return std::nullopt;
  const auto ms = [gpu](const ValueRow& row) { return *row.value(gpu, "").number(); };
  const auto best = std::ranges::min_element(measured, {}, ms);
  for (auto row = measured.begin(); row != measured.end(); ++row) {
    const bool is_beaten =
        ms(*row) > kSameTime * ms(*best) && !row->by_gpu[gpu]->quantity->is_set_by_cpu(row->name);
    if (row != best && !is_beaten) return std::nullopt;
  }
  return listed_words(best->quantity().setting).back();
}

/// Says at which lengths each implementation is fastest on all GPUs, among `rows` of one precision:
/// "SDPA math is fastest at 4,096 tokens, SDPA efficient from 8,192 tokens on". Empty if none is
/// fastest at the longest length.
std::string words_of_winners(const std::vector<ValueRow>& rows, std::size_t gpu_count) {
  struct Reign {
    std::string implementation, from, to;
  };
  std::vector<std::string> names = distinct(each(rows, &ValueRow::name));
  std::ranges::sort(names, {}, number_in);
  std::vector<Reign> reigns;
  for (const std::string& name : names) {
    const auto of_length = only(rows, [&](const ValueRow& row) { return row.name == name; });
    std::vector<std::optional<std::string>> winners;
    for (std::size_t gpu = 0; gpu < gpu_count; ++gpu) {
      const auto is_of_gpu = [gpu](const ValueRow& row) { return row.by_gpu[gpu].has_value(); };
      if (std::ranges::any_of(of_length, is_of_gpu)) winners.push_back(winner(of_length, gpu));
    }
    const auto agreed = distinct(winners);
    if (agreed.size() != 1 || !agreed.front()) continue;
    if (reigns.empty() || reigns.back().implementation != *agreed.front())
      reigns.push_back({*agreed.front(), name, name});
    reigns.back().to = name;
  }
  if (reigns.empty() || reigns.back().to != names.back()) return "";
  std::vector<std::string> words;
  for (const Reign& reign : reigns) {
    const bool is_last = &reign == &reigns.back();
    words.push_back(escape_markdown(reign.implementation) + (words.empty() ? " is fastest" : "") +
                    (is_last                  ? " from " + reign.from + " on"
                     : reign.from == reign.to ? " at " + reign.from
                                              : " from " + reign.from + " to " + reign.to));
  }
  return join_words(words);
}

/// Returns a sentence for each precision. Nothing if conditions differ.
std::optional<Facts> winners_facts(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const auto rows = only(value_rows(topic.name, gpus),
                         [](const ValueRow& row) { return row.quantity().unit == "ms"; });
  const auto conditions = [](const ValueRow& row) { return conditions_of(row.quantity()); };
  if (distinct(each(rows, conditions)).size() != 1) return std::nullopt;
  const auto precision = [](const ValueRow& row) { return row.quantity().precision; };
  std::vector<std::string> precisions = distinct(each(rows, precision)), sentences;
  std::ranges::stable_sort(precisions, std::greater(), is_16_bit);
  for (const std::string& name : precisions) {
    const std::string words = words_of_winners(
        only(rows, [&](const ValueRow& row) { return precision(row) == name; }), gpus.size());
    if (!words.empty()) sentences.push_back("In " + name + ", " + words + ".");
  }
  if (sentences.empty()) return std::nullopt;
  return Facts().set_markdown("sentences", join(sentences, " "));
}

/// One attention in plain operators and in the fastest other implementation.
struct PlainAndFused {
  ValueRow plain, fused;

  /// 16 bits rank before FP32, then long sequences before short ones.
  auto rank() const {
    double least_ms = std::numeric_limits<double>::infinity();
    for (std::size_t gpu = 0; gpu < fused.by_gpu.size(); ++gpu) {
      if (fused.by_gpu[gpu]) least_ms = std::min(least_ms, *fused.value(gpu, "").number());
    }
    return std::tuple(plain.quantity().precision != "FP32", number_in(plain.name), -least_ms);
  }
};

/// Finds the first by rank of those that several GPUs have and set; nothing if there is none.
std::optional<PlainAndFused> plain_and_fused(const std::vector<ValueRow>& rows) {
  const std::string eager = ", " + std::string(describe(AttentionBackend::kEager));
  const auto variant_of = [](const ValueRow& row) {
    return std::tuple(row.name, row.quantity().precision, conditions_of(row.quantity()));
  };
  const std::vector<ValueRow> comparable = only(rows, [](const ValueRow& row) {
    return row.quantity().unit == "ms" && row.is_on_several_gpus() && !row.is_set_by_cpu();
  });
  std::optional<PlainAndFused> first;
  for (const ValueRow& plain : comparable) {
    if (!plain.quantity().setting.ends_with(eager)) continue;
    for (const ValueRow& fused : comparable) {
      if (&fused == &plain || variant_of(fused) != variant_of(plain)) continue;
      const PlainAndFused both{plain, fused};
      if (!first || both.rank() > first->rank()) first = both;
    }
  }
  return first;
}

/// Returns how many times as fast one GPU is as another in plain operators and fused. Nothing
/// unless they differ in plain operators alone.
std::optional<Facts> lost_advantage_facts(const std::optional<PlainAndFused>& both,
                                          const std::vector<GpuRuns>& gpus) {
  if (!both) return std::nullopt;
  std::vector<std::pair<double, std::size_t>> times;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    if (both->plain.by_gpu[gpu] && both->fused.by_gpu[gpu])
      times.emplace_back(*both->plain.value(gpu, "").number(), gpu);
  }
  if (times.size() < 2) return std::nullopt;
  const std::size_t fast = std::ranges::min(times).second, slow = std::ranges::max(times).second;
  const Value plain = both->plain.value(slow, "").over(both->plain.value(fast, ""));
  const Value fused = both->fused.value(slow, "").over(both->fused.value(fast, ""));
  if (*plain.number() <= kSameTime || std::abs(std::log(*fused.number())) > std::log(kSameTime))
    return std::nullopt;
  return Facts()
      .set("winner", gpus[fast].short_name)
      .set("other", gpus[slow].short_name)
      .set("tokens", both->plain.name)
      .set_markdown("plain_times", keyed_ratio(plain))
      .set("implementation", listed_words(both->fused.quantity().setting).back())
      .set_markdown("fused_times", keyed_ratio(fused));
}

std::string bytes_words(const AttentionPoint& point) {
  return format_bytes_briefly(*point.value.number() * kBytesPerMebibyte);
}

/// Returns the facts of the longest curve's two longest lengths, of which one is twice the other;
/// nothing if there are none.
std::optional<Facts> growth_of_bytes_facts(const std::vector<AttentionPoint>& points) {
  const AttentionPoint *longest = nullptr, *half = nullptr;
  for (const AttentionPoint& one : points) {
    for (const AttentionPoint& other : points) {
      const bool is_half =
          !ran_out(one) && !ran_out(other) &&
          std::tie(one.panel, one.implementation) == std::tie(other.panel, other.implementation) &&
          one.at() == 2 * other.at();
      if (is_half && (longest == nullptr || one.at() > longest->at()))
        longest = &one, half = &other;
    }
  }
  if (longest == nullptr) return std::nullopt;
  return Facts()
      .set("precision", longest->panel)
      .set("half", half->name)
      .set("half_bytes", bytes_words(*half))
      .set("length", longest->name)
      .set("length_bytes", bytes_words(*longest));
}

/// Returns the facts of the bytes that plain operators and the most frugal fused kernel keep, at
/// the longest length that one GPU has of both, in a 16-bit format if possible.
std::optional<Facts> kept_facts(const std::vector<AttentionPoint>& points) {
  const AttentionPoint *plain = nullptr, *fused = nullptr;
  const auto rank = [](const AttentionPoint& one, const AttentionPoint& other) {
    return std::tuple(is_16_bit(one.precision), one.at(), -*other.value.number());
  };
  for (const AttentionPoint& one : points) {
    for (const AttentionPoint& other : points) {
      const bool are_comparable = is_plain(one.implementation) && is_fused(other.implementation) &&
                                  !ran_out(one) && !ran_out(other) &&
                                  std::tie(one.panel, one.device, one.name) ==
                                      std::tie(other.panel, other.device, other.name);
      if (!are_comparable) continue;
      if (plain == nullptr || rank(one, other) > rank(*plain, *fused)) plain = &one, fused = &other;
    }
  }
  if (plain == nullptr) return std::nullopt;
  return Facts()
      .set("precision", plain->panel)
      .set("name", plain->name)
      .set("plain", bytes_words(*plain))
      .set("fused", bytes_words(*fused))
      .set("implementation", fused->implementation)
      .set_markdown("keyed", "**" + keyed_number(bytes_words(*fused), fused->value) + "**");
}

/// Returns the conditions that all series of a unit share: "head size 64, batch 1".
std::optional<Facts> shared_conditions(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const auto conditions = distinct(each(value_rows(topic.name, gpus), [](const ValueRow& row) {
    return conditions_of(row.quantity());
  }));
  if (conditions.size() != 1 || conditions.front().empty()) return std::nullopt;
  return Facts().set("words", conditions.front());
}

}  // namespace

TopicFigure attention_bytes_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<AttentionPoint> points = points_in(topic, gpus, "MiB");
  return {{make_dataset("attention-bytes", point_columns("Kept for backward", "MiB"), points)},
          Facts()
              .when("kept", kept_facts(points))
              .when("growth_of_bytes", growth_of_bytes_facts(points))
              .flag("same", are_same_on_each_gpu(points))
              .flag("ran_out", std::ranges::any_of(points, ran_out))};
}

TopicFigure attention_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<AttentionPoint> points = points_in(topic, gpus, "ms");
  return {
      {make_dataset("attention-times", point_columns("Forward and backward", "ms"), points),
       make_dataset("attention-advantages", kAdvantageColumns, advantages(points))},
      Facts()
          .when("fastest", fastest_attention_facts(points))
          .when("conditions", shared_conditions(topic, gpus))
          .when("marks", marks_facts(points))
          .when("apart", advantage_facts(points))
          .when("winners", winners_facts(topic, gpus))
          .when("lost", lost_advantage_facts(plain_and_fused(value_rows(topic.name, gpus)), gpus))
          .flag("ran_out", std::ranges::any_of(points, ran_out))};
}

}  // namespace labreport
