// Part (e): softmax against the GEMMs of self-attention, in time and in FLOPs.
#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/presenters.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kNear = 0.4;  // Below this share of a limit, the limit is not called the bound.
constexpr Notation kThree{Notation::kSignificant, 3};
constexpr Notation kPartShare{Notation::kPercent};

/// Rates that the run measured on the device; 0 if it did not measure them.
struct Limits {
  double bandwidth = 0, rate = 0;  ///< B/s, FLOP/s
  std::string precision;

  Limits(const RunView& view, const Profile& profile)
      : bandwidth(measured_limits(view.run()).copy_bandwidth.value_or(0)),
        rate(matrix_rate(view, profile.precision()).value_or(0)),
        precision(labreport::describe(profile.precision())) {}
  bool known() const { return bandwidth > 0 && rate > 0; }
  double ridge() const { return rate / bandwidth; }  ///< FLOP/B
};

/// Softmax and the GEMMs of one profile's self-attention, or why they were not measured.
struct Attention {
  std::string profile, words, missing;
  Work softmax = {}, scores = {}, values = {}, projections = {}, gemms = {};
  double bandwidth_share = 0;  ///< Softmax's share of the copy bandwidth; 0 if unknown.
  double rate_share = 0;       ///< The GEMMs' share of the peak rate; 0 if unknown.
  double ridge = 0;
  std::string precision = {};

  bool memory_bound() const { return softmax.intensity() < ridge && bandwidth_share >= kNear; }
  bool gemms_compute_bound() const { return gemms.intensity() >= ridge && rate_share >= kNear; }
  bool bounds_differ() const { return memory_bound() && gemms_compute_bound(); }
  bool unclear() const { return ridge > 0 && !bounds_differ(); }
  double time() const { return softmax.ms / gemms.ms; }
  double flops() const { return gemms.flops > 0 ? softmax.flops / gemms.flops : 0; }
  double all_time() const { return projections.ms > 0 ? softmax.ms / (gemms + projections).ms : 0; }
  double all_flops() const { return softmax.flops / (gemms + projections).flops; }
};

std::optional<Attention> attention_of(const RunView& view, const Profile& profile) {
  const std::vector<Work> all = attention_work(profile);
  const auto of = [&](const char* stage) { return *std::ranges::find(all, stage, &Work::part); };
  Attention attention{.profile = profile.label,
                      .words = profile.words,
                      .missing = "",
                      .softmax = of(stage::kSoftmax),
                      .scores = of(stage::kScores),
                      .values = of(stage::kValues),
                      .projections = of(stage::kProjections)};
  attention.gemms = attention.scores + attention.values + of(stage::kProducts);
  if (attention.softmax.ms <= 0 || attention.gemms.ms <= 0) return std::nullopt;
  const Limits limits(view, profile);
  attention.precision = limits.precision;
  if (!limits.known() || !profile.built_in()) return attention;
  attention.bandwidth_share = attention.softmax.bandwidth() / limits.bandwidth;
  attention.rate_share = attention.gemms.rate() / limits.rate;
  attention.ridge = limits.ridge();
  return attention;
}

std::vector<Attention> attentions(const RunView& view,
                                  const std::vector<const Profile*>& profiles) {
  std::vector<Attention> rows;
  for (const Profile* profile : profiles) {
    const std::string reason = profile->why_missing(Pass::kForward);
    if (const auto attention = attention_of(view, *profile)) {
      rows.push_back(*attention);
    } else if (!reason.empty()) {
      rows.push_back({profile->label, profile->words, reason});
    }
  }
  return rows;
}

/// Shows a value of 0 or NaN as unknown, and the reason for a row that was not measured.
template <typename Get>
Column<Attention> column(const char* name, const char* title, const char* unit, Get get,
                         Notation notation = {}) {
  const auto value = [=](const Attention& row) {
    const double number = std::invoke(get, row);
    return number > 0 ? Value(number) : Value();
  };
  return {name, title, or_reason<Attention>(value), unit, notation};
}

const std::vector<Column<Attention>>& ratio_columns() {
  using A = Attention;
  constexpr Notation kRatio{Notation::kFixed, 2};
  const auto ms = [](Work A::* work) { return [=](const A& row) { return (row.*work).ms; }; };
  static const std::vector<Column<A>> columns{
      {"profile", "Profile", &A::profile},
      column("softmax", "Softmax", "ms", ms(&A::softmax)),
      column("scores", "QKᵀ", "ms", ms(&A::scores)),
      column("values", "A·V", "ms", ms(&A::values)),
      column("time", "Time ratio", "×", &A::time, kRatio),
      column("flops", "FLOPs ratio", "%", &A::flops, kPartShare),
      column("all_time", "Time, with projections", "×", &A::all_time, kRatio),
      column("all_flops", "FLOPs, with projections", "%", &A::all_flops, kPartShare),
      column("bandwidth", "Softmax, of copy bandwidth", "%", &A::bandwidth_share, kPartShare),
      column("rate", "GEMMs, of peak rate", "%", &A::rate_share, kPartShare)};
  return columns;
}

struct RoofPart {
  std::string precision;
  Work work;
};

const std::vector<Column<RoofPart>> kParts{
    {"part", "Part", [](const RoofPart& row) { return row.work.part; }},
    {"precision", "Precision", &RoofPart::precision},
    {"ms", "Time", [](const RoofPart& row) { return row.work.ms; }, "ms"},
    {"flops", "FLOPs", [](const RoofPart& row) { return row.work.flops / kGiga; }, "GFLOP", kThree},
    {"bytes", "Bytes", [](const RoofPart& row) { return row.work.bytes / kBytesPerGibibyte; },
     "GiB", kThree},
    {"intensity", "Intensity", [](const RoofPart& row) { return row.work.intensity(); }, "FLOP/B",
     kThree},
    {"rate", "Rate", [](const RoofPart& row) { return row.work.rate() / kTera; }, "TFLOP/s",
     kThree}};

struct RoofPoint {
  std::string precision;
  double intensity, rate;
  std::string words;  ///< Shown beside the ridge.
};

const std::vector<Column<RoofPoint>> kRoof{{"precision", "Precision", &RoofPoint::precision},
                                           {"intensity", "Intensity", &RoofPoint::intensity},
                                           {"rate", "Rate", &RoofPoint::rate},
                                           {"words", "Limits", &RoofPoint::words}};

/// The roofline min(peak rate, intensity · bandwidth), drawn a little beyond the outermost points.
std::vector<RoofPoint> roof(const Limits& limits, const std::vector<Work>& points) {
  double left = limits.ridge(), right = left;
  for (const Work& point : points) {
    left = std::min(left, point.intensity());
    right = std::max(right, point.intensity());
  }
  const std::string words = limits.precision + " " + format_significant(limits.rate / kTera, 3) +
                            " TFLOP/s, " + format_significant(limits.bandwidth / kTera, 3) +
                            " TB/s";
  const double slope = limits.bandwidth / kTera;
  return {{limits.precision, left / 2, left / 2 * slope, ""},
          {limits.precision, limits.ridge(), limits.rate / kTera, words},
          {limits.precision, right * 4, limits.rate / kTera, ""}};
}

Facts attention_sentence(const Attention& work) {
  constexpr Notation kTwo{Notation::kSignificant, 2};
  const bool counted = work.softmax.flops > 0;
  const Facts intensities = Facts()
                                .set("softmax", work.softmax.intensity(), kTwo)
                                .set("gemms", work.gemms.intensity(), kTwo)
                                .set("ridge", work.ridge, kTwo);
  return Facts()
      .set("profile", work.words)
      .set("softmax", work.softmax.ms, kThree)
      .set("gemms", work.gemms.ms, kThree)
      .when("counted", counted, "times",
            counted ? format_significant(work.gemms.flops / work.softmax.flops, 2) : "")
      .when("apart", work.bounds_differ(), intensities)
      .flag("unclear", work.unclear());
}

/// Softmax and GEMMs have no separate times in a fused kernel, or if kernels cannot be assigned to
/// them.
Facts attention_facts(const Profiles& profiles) {
  Facts facts = profiles.facts();
  const Profile* profile = profiles.described;
  const Rows forward = profile == nullptr ? Rows() : profile->rows(Pass::kForward);
  const auto work = profile == nullptr ? std::nullopt : attention_of(profiles.view, *profile);
  const double fused = total(of_stage(forward, stage::kFused));
  const char* situation = forward.empty() ? "nothing"
                          : work          ? "one"
                          : fused > 0     ? "fused"
                                          : "untold";
  Facts sentence = work ? attention_sentence(*work) : Facts();
  if (!work && profile != nullptr) sentence.set("profile", profile->words).set("ms", fused, kThree);
  return facts.choose({"nothing", "one", "fused", "untold"}, situation, sentence);
}

}  // namespace

PartContent attention(const Profiles& profiles) {
  const RunView& view = profiles.view;
  PartContent part;
  part.facts = attention_facts(profiles);
  part.datasets = {
      make_dataset("ratios", ratio_columns(), attentions(view, profiles.in_tables)),
      make_dataset("every-ratio", ratio_columns(), attentions(view, profiles.in_details))};
  std::vector<RoofPart> parts;
  std::vector<RoofPoint> roofs;
  const Profile* half = profiles.half == profiles.described ? nullptr : profiles.half;
  for (const Profile* drawn : {profiles.described, half}) {
    if (drawn == nullptr) continue;
    const Limits limits(view, *drawn);
    std::vector<Work> points = attention_work(*drawn);
    std::ranges::move(work_around_attention(*drawn), std::back_inserter(points));
    std::erase_if(points, [](const Work& work) {  // Logarithmic axes cannot show 0.
      return work.rate() <= 0 || work.intensity() <= 0 || work.part == stage::kScaleMask;
    });
    if (!limits.known() || points.empty()) continue;
    for (const Work& work : points) parts.push_back({limits.precision, work});
    std::ranges::move(roof(limits, points), std::back_inserter(roofs));
  }
  const bool both = !parts.empty() && parts.front().precision != parts.back().precision;
  part.facts.when("both", both, "other", both ? parts.back().precision : "");
  part.datasets.push_back(make_dataset("roofline", kParts, parts));
  part.datasets.push_back(make_dataset("roof", kRoof, roofs));
  return part;
}

}  // namespace labreport::nsys_profile
