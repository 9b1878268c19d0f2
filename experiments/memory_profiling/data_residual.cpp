// Part (d): the size of one tensor of the residual stream.
#include <algorithm>
#include <cmath>
#include <ranges>

#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/presenters.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

struct Residual {
  const Profile* profile;
  std::vector<std::string> flags = {};

  double formula() const { return static_cast<double>(residual_bytes(profile->spec)); }
  std::int64_t batch() const { return profile->spec.batch.value_or(0); }
  std::int64_t width() const { return profile->spec.model.value_or(ModelShape{}).d_model; }
  std::optional<double> measured() const {
    for (const Step& step : profile->steps | std::views::values) {
      if (const auto bytes = step.bytes(metric::kResidual, metric::kRequested)) return bytes;
    }
    return std::nullopt;
  }
};

Dataset residuals(const Profiles& profiles) {
  std::vector<Residual> rows;
  double least = std::numeric_limits<double>::infinity();
  for (const Profile* profile : profiles) {
    Residual& row = rows.emplace_back(Residual{profile});
    least = std::min(least, row.formula());
    if (row.measured() && *row.measured() != row.formula()) row.flags = {"does not agree"};
  }
  const Notation count{Notation::kCount};
  const std::vector<Column<Residual>> columns{
      {"context", "Context", [](const Residual& row) { return row.profile->place; }, "", kNamed},
      {"formula", "By formula", &Residual::formula, "B", count},
      {"measured", "Measured", &Residual::measured, "B", count},
      bytes_column<Residual>("mebibytes", "By formula", &Residual::formula, mebibytes(least))};
  return make_dataset("residuals", columns, rows);
}

}  // namespace

PartContent present_residual(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  const Profiles described = described_profiles(profiles);
  const auto reference =
      std::ranges::find(described, view.edition().reference_context, &Profile::context);
  const Residual residual{reference == described.end() ? described.back() : *reference};
  const auto measured = residual.measured();
  const double size = residual.formula() / kBytesPerMebibyte;
  part.facts.set("size", residual.profile->spec.size);
  part.facts.set("context", format_count(residual.profile->context()));
  part.facts.set("batch", format_count(residual.batch()));
  part.facts.set("width", format_count(residual.width()));
  part.facts.set("bytes", residual.formula(), {Notation::kCount});
  part.facts.set("mebibytes",
                 std::floor(size) == size ? format_fixed(size, 0) : format_significant(size, 3));
  part.facts.flag("agrees", measured == residual.formula());
  part.facts.when("differs", measured && measured != residual.formula(), "measured",
                  measured ? format_value(*measured, {Notation::kCount}) : "");
  part.facts.flag("not_measured", !measured);
  part.datasets = {residuals(described)};
  return part;
}

}  // namespace labreport::memory_profiling
