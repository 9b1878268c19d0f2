// Part (e): softmax against the GEMMs of self-attention, in time and in FLOPs.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "experiments/nsys_profile/answers.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/parts.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kMicrosecond = 1e3;  // In ns.
constexpr double kNear = 0.4;         // Of a limit: what is slower is not seen to be bound by it.
constexpr Notation kThree{Notation::kSignificant, 3};
constexpr Notation kPartShare{Notation::kPercent};

/// Sustained copies in B/s, from the `limits` cell.
std::optional<double> copy_bandwidth(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kLimits, {});
  const Launch* launch = cell == nullptr ? nullptr : ok_launch(*cell);
  const Metric* metric =
      launch == nullptr ? nullptr : launch->find(metric::kCopy, metric::kBandwidth);
  if (metric == nullptr || metric->numbers().empty()) return std::nullopt;
  return median(metric->numbers());
}

/// What the device was seen to sustain; 0 where that was not measured.
struct Limits {
  double bandwidth = 0, rate = 0;  ///< B/s, FLOP/s
  std::string precision;

  Limits(const RunView& view, const Profile& profile)
      : bandwidth(copy_bandwidth(view).value_or(0)),
        rate(matrix_rate(view, profile.precision()).value_or(0)),
        precision(labreport::describe(profile.precision())) {}
  bool known() const { return bandwidth > 0 && rate > 0; }
  double ridge() const { return rate / bandwidth; }  ///< FLOP/B
};

/// Softmax and the GEMMs of one profile's self-attention; or why it was not measured.
struct Attention {
  std::string profile, words, missing;
  Work softmax = {}, scores = {}, values = {}, gemms = {}, with_projections = {};
  double bandwidth_share = 0,
         rate_share = 0;  ///< Of softmax and the GEMMs; 0: limits not measured.
  double ridge = 0;
  std::string precision = {};

  bool memory_bound() const { return softmax.intensity() < ridge && bandwidth_share >= kNear; }
  bool gemms_compute_bound() const { return gemms.intensity() >= ridge && rate_share >= kNear; }
  /// Of what memory would allow.
  double gemm_bandwidth_share() const { return rate_share * ridge / gemms.intensity(); }
  bool gemms_memory_bound() const {
    return gemms.intensity() < ridge && gemm_bandwidth_share() >= kNear;
  }
  bool apart() const { return memory_bound() && gemms_compute_bound(); }
  bool both_memory_bound() const { return memory_bound() && gemms_memory_bound(); }
  bool unclear() const { return ridge > 0 && !apart() && !both_memory_bound(); }
};

std::optional<Attention> attention_of(const RunView& view, const Profile& profile) {
  const std::vector<Work> all = attention_work(profile);
  Attention found{profile.label,
                  profile.words,
                  "",
                  together(all, {kSoftmax}),
                  together(all, {kScores}),
                  together(all, {kValues}),
                  together(all, {kScores, kValues}),
                  together(all, {kScores, kValues, kProjections})};
  if (found.softmax.ms <= 0 || found.scores.ms <= 0 || found.values.ms <= 0) return std::nullopt;
  if (found.gemms.flops <= 0) return std::nullopt;
  const Limits limits(view, profile);
  found.precision = limits.precision;
  if (!limits.known()) return found;
  found.bandwidth_share = found.softmax.bandwidth() / limits.bandwidth;
  found.rate_share = found.gemms.rate() / limits.rate;
  found.ridge = limits.ridge();
  return found;
}

std::vector<Attention> attentions(const RunView& view,
                                  const std::vector<const Profile*>& profiles) {
  std::vector<Attention> rows;
  for (const Profile* profile : profiles) {
    const auto found = attention_of(view, *profile);
    const bool explained = !found && !profile->missing.empty();
    if (found) rows.push_back(*found);
    if (explained) rows.push_back({profile->label, profile->words, profile->missing});
  }
  return rows;
}

Column<Attention> ratio_column(const char* name, const char* title, const char* unit,
                               double Work::* what, Work Attention::* gemms, Notation notation) {
  const auto value = [=](const Attention& row) -> Value {
    return row.softmax.*what / (row.*gemms).*what;
  };
  return {name, title, or_reason<Attention>(value), unit, notation};
}

Column<Attention> of_limit(const char* name, const char* title, double Attention::* share) {
  const auto value = [=](const Attention& row) {
    return row.ridge > 0 ? Value(row.*share) : Value();
  };
  return {name, title, or_reason<Attention>(value), "%", kPartShare};
}

const std::vector<Column<Attention>>& ratio_columns() {
  constexpr Notation kRatio{Notation::kFixed, 2};
  static const std::vector<Column<Attention>> columns{
      {"profile", "Profile", &Attention::profile},
      {"softmax", "Softmax", or_reason<Attention>([](const auto& r) { return r.softmax.ms; }),
       "ms"},
      {"gemms", "QKᵀ and A·V", or_reason<Attention>([](const auto& r) { return r.gemms.ms; }),
       "ms"},
      ratio_column("time", "Time", "×", &Work::ms, &Attention::gemms, kRatio),
      ratio_column("flops", "FLOPs", "%", &Work::flops, &Attention::gemms, kPartShare),
      ratio_column("all_time", "Time, with projections", "×", &Work::ms,
                   &Attention::with_projections, kRatio),
      ratio_column("all_flops", "FLOPs, with projections", "%", &Work::flops,
                   &Attention::with_projections, kPartShare),
      of_limit("bandwidth", "Softmax, of copy bandwidth", &Attention::bandwidth_share),
      of_limit("rate", "GEMMs, of peak rate", &Attention::rate_share)};
  return columns;
}

struct PartRow {
  std::string profile;
  Work work;
};

const std::vector<Column<PartRow>>& part_columns() {
  const auto scaled = [](double (Work::*rate)() const, double unit) {
    return [=](const PartRow& row) {
      const double value = (row.work.*rate)();
      return value > 0 ? Value(value / unit) : Value();
    };
  };
  static const std::vector<Column<PartRow>> columns{
      {"profile", "Profile", &PartRow::profile},
      {"part", "Part", [](const PartRow& row) { return row.work.part; }},
      {"ms", "Time", [](const PartRow& row) { return row.work.ms; }, "ms"},
      {"kernels",
       "Kernels",
       [](const PartRow& row) { return row.work.calls; },
       "",
       {Notation::kCount}},
      {"flops", "FLOPs", [](const PartRow& row) { return row.work.flops / kGiga; }, "GFLOP",
       kThree},
      {"bytes", "Bytes", [](const PartRow& row) { return row.work.bytes / kBytesPerGibibyte; },
       "GiB", kThree},
      {"intensity", "Intensity", scaled(&Work::intensity, 1), "FLOP/B", kThree},
      {"rate", "Rate", scaled(&Work::rate, kTera), "TFLOP/s", kThree},
      {"bandwidth", "Bandwidth", scaled(&Work::bandwidth, kTera), "TB/s", kThree}};
  return columns;
}

/// The stages of every answered profile, and around them the parts of the figure's.
std::vector<PartRow> stages(const std::vector<const Profile*>& profiles) {
  std::vector<PartRow> rows;
  for (const Profile* profile : profiles) {
    for (Work& work : attention_work(*profile)) rows.push_back({profile->label, std::move(work)});
  }
  return rows;
}

std::vector<PartRow> roofline_points(const Profile& profile) {
  std::vector<PartRow> rows;
  for (const auto& parts : {attention_work(profile), work_around_attention(profile)}) {
    for (const Work& work : parts) {
      const bool drawable = work.rate() > 0 && work.intensity() > 0;  // the axes are logarithmic
      if (drawable && work.part != kScaleMask) rows.push_back({profile.label, work});
    }
  }
  return rows;
}

struct RoofPoint {
  double intensity, rate;
  std::string words;  ///< At the roof's right end.
};

const std::vector<Column<RoofPoint>> kRoof{{"intensity", "Intensity", &RoofPoint::intensity},
                                           {"rate", "Rate", &RoofPoint::rate},
                                           {"words", "Limits", &RoofPoint::words}};

/// min(P, I · W), a little beyond the outermost points.
std::vector<RoofPoint> roof(const Limits& limits, const std::vector<PartRow>& points) {
  double left = limits.ridge(), right = left;
  for (const PartRow& point : points) {
    left = std::min(left, point.work.intensity());
    right = std::max(right, point.work.intensity());
  }
  const std::string words = limits.precision + " " + format_significant(limits.rate / kTera, 3) +
                            " TFLOP/s, " + format_significant(limits.bandwidth / kTera, 3) +
                            " TB/s";
  const double slope = limits.bandwidth / kTera;
  return {{left / 2, left / 2 * slope, ""},
          {limits.ridge(), limits.rate / kTera, ""},
          {right * 4, limits.rate / kTera, words}};
}

/// A kernel of one layer's attention; times in µs.
struct LayerKernel {
  double start, duration;
  std::string lane, kind, kernel;
};

const std::vector<Column<LayerKernel>> kLayer{
    {"start", "Start", &LayerKernel::start, "µs"},
    {"end", "End", [](const LayerKernel& k) { return k.start + k.duration; }, "µs"},
    {"duration", "Duration", &LayerKernel::duration, "µs"},
    {"lane", "Stage", &LayerKernel::lane},
    {"class", "Class", &LayerKernel::kind},
    {"kernel", "Kernel", &LayerKernel::kernel}};

/// A projection by its own name, the rest by stage.
std::string lane_of(const std::string& module, const std::string& stage) {
  const auto slash = module.rfind('/');
  return stage == kProjections && slash != std::string::npos ? module.substr(slash + 1) : stage;
}

std::vector<LayerKernel> layer_kernels(const Launch& launch) {
  KernelNames names = kernel_names(launch);
  std::vector<LayerKernel> found;
  for (const MeasuredRow& row : measured_rows(launch, metric::kLayer)) {
    const std::string kind = row.text(column::kClass), module = row.text(column::kModule);
    const std::string stage =
        stage_of(module, row.text(column::kOperation), kind.starts_with("gemm"));
    const auto id = static_cast<std::int64_t>(row.number(column::kKernel).value_or(-1));
    found.push_back({row.number(column::kStartNs).value_or(0) / kMicrosecond,
                     row.number(column::kDurationNs).value_or(0) / kMicrosecond,
                     lane_of(module, stage), replaced(kind, "gemm", "GEMM"),
                     short_kernel_name(names[id])});
  }
  // What belongs to no stage is drawn below them.
  std::ranges::stable_partition(found, [](const auto& kernel) { return kernel.lane != kOther; });
  return found;
}

Facts attention_sentence(const Attention& work) {
  Facts facts;
  facts.set("profile", work.words);
  facts.set("precision", work.precision);
  facts.set("softmax", work.softmax.ms, {});
  facts.set("scores", work.scores.ms, {});
  facts.set("values", work.values.ms, {});
  facts.set("gemms", work.gemms.ms, {});
  facts.set("time", format_ratio(work.softmax.ms / work.gemms.ms));
  facts.set("flops", work.softmax.flops / work.gemms.flops, kPartShare);
  facts.set("all_time", format_ratio(work.softmax.ms / work.with_projections.ms));
  facts.set("all_flops", work.softmax.flops / work.with_projections.flops, kPartShare);
  facts.set("softmax_intensity", work.softmax.intensity(), {Notation::kSignificant, 2});
  facts.set("gemm_intensity", work.gemms.intensity(), kThree);
  facts.set("bandwidth_share", work.bandwidth_share, kPartShare);
  facts.set("rate_share", work.rate_share, kPartShare);
  facts.set("gemm_bandwidth_share", work.ridge > 0 ? work.gemm_bandwidth_share() : 0, kPartShare);
  facts.set("ridge", work.ridge, kThree);
  return facts;
}

void set_attention_range(Facts& facts, const std::vector<Attention>& all) {
  const auto time = [](const Attention& row) { return row.softmax.ms / row.gemms.ms; };
  const auto flops = [](const Attention& row) { return row.softmax.flops / row.gemms.flops; };
  facts.when("range", ranges<Attention>(all, {{"time", time, {Notation::kFixed, 2}, "×"},
                                              {"flops", flops, kPartShare, "%"}}));
}

/// 16 bits: the GEMMs gain and softmax does not.
void set_attention_half(Facts& facts, const Profiles& profiles) {
  const auto read = [&](const Profile* profile) {
    return profile == nullptr ? std::nullopt : attention_of(profiles.view, *profile);
  };
  const auto full = read(profiles.foremost), half = full ? read(profiles.half) : std::nullopt;
  Facts found = half ? attention_sentence(*half) : Facts();
  const bool gain =
      half && half->gemms.ms < full->gemms.ms / 2 && half->softmax.ms > 0.9 * full->softmax.ms;
  if (gain) found.set("speedup", format_factor(full->gemms.ms / half->gemms.ms));
  facts.when("half_gemms_gain", gain ? std::optional(found) : std::nullopt);
  facts.when("half", half && !gain ? std::optional(found) : std::nullopt);
}

Facts attention_facts(const Profiles& profiles) {
  auto all = attentions(profiles.view, profiles.answered);
  std::erase_if(all, [](const Attention& work) { return !work.missing.empty(); });
  Facts facts = profiles.facts(true);
  set_situations<Attention>(facts, profiles, all, attention_sentence,
                            {{"one", [](const auto&) { return true; }},
                             {"apart", &Attention::apart},
                             {"both_memory", &Attention::both_memory_bound},
                             {"unclear", &Attention::unclear}});
  set_attention_range(facts, all);
  set_attention_half(facts, profiles);
  return facts;
}

}  // namespace

PartContent attention(const Profiles& profiles) {
  const RunView& view = profiles.view;
  PartContent part;
  part.facts = attention_facts(profiles);
  part.datasets = {
      make_dataset("stages", part_columns(), stages(profiles.answered)),
      make_dataset("ratios", ratio_columns(), attentions(view, profiles.shown_in_every_precision)),
      make_dataset("every-ratio", ratio_columns(),
                   attentions(view, profiles.beyond(profiles.shown_in_every_precision)))};
  const Profile* drawn = profiles.foremost;
  if (drawn == nullptr) return part;
  const Limits limits(view, *drawn);
  const auto& step = drawn->inference ? drawn->inference : drawn->step;
  const std::vector<PartRow> points = roofline_points(*drawn);
  part.datasets.push_back(make_dataset("layer", kLayer, layer_kernels(*step->launch)));
  if (!limits.known() || points.empty()) return part;
  part.datasets.push_back(make_dataset("roofline", part_columns(), points));
  part.datasets.push_back(make_dataset("roof", kRoof, roof(limits, points)));
  return part;
}

}  // namespace labreport::nsys_profile
