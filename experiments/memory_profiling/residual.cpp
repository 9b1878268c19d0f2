// Part (d): one tensor of the residual stream, and what the allocator adds to what is asked.
#include <ranges>

#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/parts.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

std::optional<double> measured(const Profile& profile, std::string_view name) {
  for (const Step& step : profile.steps | std::views::values) {
    const auto bytes = step.bytes(metric::kResidual, name);
    if (bytes) return bytes;
  }
  return std::nullopt;
}

/// The edition's reference context; where another was asked for, the longest.
const Profile& reference(const RunView& view, const Profiles& spoken_of) {
  const auto found =
      std::ranges::find(spoken_of, view.edition().reference_context, &Profile::context);
  return found == spoken_of.end() ? *spoken_of.back() : **found;
}

void set_numbers(Facts& facts, const Profile& profile) {
  const CellSpec& spec = profile.spec;
  const auto formula = static_cast<double>(residual_bytes(spec));
  const auto bytes = measured(profile, metric::kRequested);
  facts.set("context", format_count(profile.context()));
  facts.set("batch", format_count(spec.batch.value_or(0)));
  facts.set("width", format_count(spec.model.value_or(ModelShape{}).d_model));
  facts.set("bytes", format_count(residual_bytes(spec)));
  facts.set("mebibytes",
            format_fixed(formula / kBytesPerMebibyte, formula < kBytesPerMebibyte ? 3 : 1));
  facts.flag("measured", bytes.has_value());
  facts.set("measured_bytes", format_count(static_cast<std::int64_t>(bytes.value_or(0))));
  facts.flag("agrees", bytes == formula);
}

TableView residual_table(const Profiles& rows) {
  TableView table{"residual",
                  "One tensor of the residual stream: B · S · d_model · 4 bytes",
                  {{"Context", "", Align::kLeft},
                   {"Batch", "", Align::kRight},
                   {"d_model", "", Align::kRight},
                   {"By formula", "B", Align::kRight},
                   {"Measured", "B", Align::kRight},
                   {"By formula", "MiB", Align::kRight}},
                  {}};
  for (const Profile* profile : rows) {
    const CellSpec& spec = profile->spec;
    const auto formula = static_cast<double>(residual_bytes(spec));
    const auto bytes = measured(*profile, metric::kRequested);
    const ByteUnit mebibytes{"MiB", kBytesPerMebibyte, formula < kBytesPerMebibyte ? 3 : 1};
    RowView row{{text_cell(profile->place), count_cell(spec.batch.value_or(0)),
                 count_cell(spec.model.value_or(ModelShape{}).d_model), count_cell(formula),
                 bytes ? count_cell(*bytes) : missing_cell(), bytes_cell(formula, mebibytes)},
                {},
                ""};
    if (!bytes) row.flags.push_back("not measured");
    if (bytes && *bytes != formula) row.flags.push_back("does not agree");
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_rounding(TableView& table, const std::string& what, std::optional<double> requested,
                  std::optional<double> allocated) {
  if (!requested || !allocated) return;
  const ByteUnit mebibytes{"MiB", kBytesPerMebibyte, 1};
  table.rows.push_back(
      {{text_cell(what), text_cell(format_bytes(*requested)), text_cell(format_bytes(*allocated)),
        bytes_cell(*allocated - *requested, mebibytes)},
       {},
       ""});
}

/// What the allocator gives out beyond what tensors ask for.
TableView rounding_table(const Profile& profile) {
  TableView table{"rounding",
                  "The allocator's rounding, " + profile.words,
                  {{"What", "", Align::kLeft},
                   {"Requested", "", Align::kRight},
                   {"Allocated", "", Align::kRight},
                   {"Rounding", "MiB", Align::kRight}},
                  {}};
  add_rounding(table, "one residual tensor", measured(profile, metric::kRequested),
               measured(profile, metric::kAllocated));
  bool parameters = false;
  for (const auto& [mode, step] : profile.steps) {
    const auto requested = step.bytes(metric::kMemory, metric::kParameters);
    const auto rounding = step.bytes(metric::kRounding, metric::kParameters);
    if (requested && rounding && !parameters) {
      add_rounding(table, "parameters", requested, *requested + *rounding);
      parameters = true;
    }
  }
  for (const auto& [mode, step] : profile.steps) {
    if (!step.missing().empty()) continue;
    const auto requested = step.bytes(metric::kMemory, metric::kPeakRequested);
    add_rounding(table, "peak, " + std::string(describe(mode)), requested,
                 step.bytes(metric::kMemory, metric::kPeakAllocated));
  }
  return table;
}

}  // namespace

PartContent present_residual(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Profiles spoken_of = answered(profiles);
  const Profile& shown = reference(view, spoken_of);
  set_numbers(part.facts, shown);
  part.tables = {residual_table(spoken_of)};
  // Without a caching allocator nothing is rounded.
  if (view.on_gpu()) part.tables.push_back(rounding_table(shown));
  return part;
}

}  // namespace labreport::memory_profiling
