// Part (d): one tensor of the residual stream, and what the allocator adds to what is requested.
#include <algorithm>
#include <ranges>

#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/parts.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

struct Residual {
  const Profile* profile;
  std::vector<std::string> flags = {};

  double formula() const { return static_cast<double>(residual_bytes(profile->spec)); }
  /// The handout's unit, whatever the size.
  std::string mebibytes() const {
    const double number = formula() / kBytesPerMebibyte;
    return format_fixed(number, number < 1 ? 3 : 1);
  }
  std::int64_t batch() const { return profile->spec.batch.value_or(0); }
  std::int64_t width() const { return profile->spec.model.value_or(ModelShape{}).d_model; }
  /// `name`: requested or allocated.
  std::optional<double> measured(std::string_view name) const {
    for (const Step& step : profile->steps | std::views::values) {
      if (const auto bytes = step.bytes(metric::kResidual, name)) return bytes;
    }
    return std::nullopt;
  }
};

Dataset residuals(const Profiles& profiles) {
  std::vector<Residual> rows;
  bool small = false;
  for (const Profile* profile : profiles) {
    Residual& row = rows.emplace_back(Residual{profile});
    small = small || row.formula() < kBytesPerMebibyte;
    const auto bytes = row.measured(metric::kRequested);
    if (!bytes) row.flags = {"not measured"};
    if (bytes && *bytes != row.formula()) row.flags = {"does not agree"};
  }
  const ByteUnit mebibytes{"MiB", kBytesPerMebibyte, small ? 3 : 1};
  const Notation count{Notation::kCount};
  const std::vector<Column<Residual>> columns{
      {"context", "Context", [](const Residual& row) { return row.profile->place; }},
      {"batch", "Batch", &Residual::batch, "", count},
      {"width", "d_model", &Residual::width, "", count},
      {"formula", "By formula", &Residual::formula, "B", count},
      {"measured", "Measured", [](const Residual& row) { return row.measured(metric::kRequested); },
       "B", count},
      bytes_column<Residual>("mebibytes", "By formula", &Residual::formula, mebibytes)};
  return make_dataset("residuals", columns, rows);
}

/// What the allocator gives out beyond what is requested.
struct Rounding {
  std::string what;
  double requested = 0, allocated = 0;
};

std::vector<Rounding> roundings_of(const Residual& residual) {
  std::vector<Rounding> rows;
  const auto add = [&rows](const std::string& what, std::optional<double> requested,
                           std::optional<double> allocated) {
    if (requested && allocated) rows.push_back({what, *requested, *allocated});
  };
  add("one residual tensor", residual.measured(metric::kRequested),
      residual.measured(metric::kAllocated));
  for (const Step& step : residual.profile->steps | std::views::values) {
    const auto parameters = step.bytes(metric::kMemory, metric::kParameters);
    const auto rounding = step.bytes(metric::kRounding, metric::kParameters);
    if (!parameters || !rounding) continue;
    add("parameters", parameters, *parameters + *rounding);
    break;
  }
  for (const Step& step : residual.profile->steps | std::views::values) {
    if (!step.missing().empty()) continue;
    add("peak, " + mode_words(step.mode()), step.bytes(metric::kMemory, metric::kPeakRequested),
        step.bytes(metric::kMemory, metric::kPeakAllocated));
  }
  return rows;
}

Dataset roundings(const Residual& residual) {
  const std::vector<Column<Rounding>> columns{
      {"what", "What", &Rounding::what},
      {"requested", "Requested", [](const Rounding& row) { return format_bytes(row.requested); }},
      {"allocated", "Allocated", [](const Rounding& row) { return format_bytes(row.allocated); }},
      bytes_column<Rounding>("rounding", "Rounding",
                             [](const Rounding& row) { return row.allocated - row.requested; },
                             {"MiB", kBytesPerMebibyte, 1})};
  return make_dataset("roundings", columns, roundings_of(residual));
}

/// The edition's reference context; where another was asked for, the longest.
const Profile& reference(const RunView& view, const Profiles& spoken_of) {
  const auto found =
      std::ranges::find(spoken_of, view.edition().reference_context, &Profile::context);
  return found == spoken_of.end() ? *spoken_of.back() : **found;
}

}  // namespace

PartContent present_residual(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Profiles spoken_of = answered(profiles);
  const Residual shown{&reference(view, spoken_of)};
  const auto measured = shown.measured(metric::kRequested);
  const std::string bytes = measured ? format_value(*measured, {Notation::kCount}) : "";
  part.facts.set("words", shown.profile->words);
  part.facts.set("context", format_count(shown.profile->context()));
  part.facts.set("batch", format_count(shown.batch()));
  part.facts.set("width", format_count(shown.width()));
  part.facts.set("bytes", shown.formula(), {Notation::kCount});
  part.facts.set("mebibytes", shown.mebibytes());
  part.facts.when("agrees", measured == shown.formula(), "measured", bytes);
  part.facts.when("differs", measured && measured != shown.formula(), "measured", bytes);
  part.facts.flag("not_measured", !measured);
  part.datasets = {residuals(spoken_of)};
  // Without a caching allocator nothing is rounded.
  if (view.on_gpu()) part.datasets.push_back(roundings(shown));
  return part;
}

}  // namespace labreport::memory_profiling
