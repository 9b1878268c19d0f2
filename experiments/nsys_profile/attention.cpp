// Part (e): softmax against the matrix products of self-attention, in time and in FLOPs.
#include "base/format.h"
#include "experiments/nsys_profile/attention_figures.h"
#include "experiments/nsys_profile/parts.h"
#include "experiments/nsys_profile/profile_table.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kNear = 0.1;  // Of a limit: what is slower by far is bound by something else.

struct Compared {
  Work scores, softmax, values, products, with_projections;
};

Compared compared(const std::vector<Work>& all) {
  return {together(kScores, all, {kScores}), together(kSoftmax, all, {kSoftmax}),
          together(kValues, all, {kValues}), together("QKᵀ and A·V", all, {kScores, kValues}),
          together("with projections", all, {kScores, kValues, kProjections})};
}

bool measured(const std::vector<Work>& all) {
  if (all.empty()) return false;
  const Compared work = compared(all);
  return work.softmax.ms > 0 && work.scores.ms > 0 && work.values.ms > 0;
}

void set_ratio(Facts& facts, const std::string& prefix, const Work& softmax, const Work& products) {
  facts.set(prefix + "time", format_ratio(softmax.ms / products.ms));
  facts.set(prefix + "flops", format_percent(softmax.flops / products.flops));
}

/// Evidence for what bounds either: rates against what the device was seen to sustain.
void set_bounds(Facts& facts, const RunView& view, const CellSpec& spec, const Compared& work) {
  const Precision precision = spec.precision.value_or(Precision::kFp32);
  const auto bandwidth = copy_bandwidth(view);
  const auto rate = matrix_rate(view, precision);
  const bool known = bandwidth && rate && *bandwidth > 0 && *rate > 0;
  const double ridge = known ? *rate / *bandwidth : 0;
  facts.flag("limits", known);
  facts.set("precision", labreport::describe(precision));
  facts.set("bandwidth_share", known ? format_percent(work.softmax.bandwidth() / *bandwidth) : "");
  facts.set("rate_share", known ? format_percent(work.products.rate() / *rate) : "");
  facts.set("ridge", known ? format_significant(ridge, 3) : "");
  const bool memory = known && work.softmax.intensity() < ridge;
  const bool compute = known && work.products.intensity() >= ridge;
  const bool far = known && work.softmax.bandwidth() < kNear * *bandwidth &&
                   work.products.rate() < kNear * *rate;
  facts.flag("far", far);
  facts.flag("apart", !far && memory && compute);
  facts.flag("both_memory", !far && memory && !compute);
}

Facts sentence(const RunView& view, const Profile& profile) {
  const Compared work = compared(attention_work(profile));
  Facts facts;
  facts.set("words", profile.words);
  facts.set("softmax", format_significant(work.softmax.ms));
  facts.set("scores", format_significant(work.scores.ms));
  facts.set("values", format_significant(work.values.ms));
  set_ratio(facts, "", work.softmax, work.products);
  set_ratio(facts, "all_", work.softmax, work.with_projections);
  facts.set("softmax_intensity", format_significant(work.softmax.intensity(), 2));
  facts.set("product_intensity", format_significant(work.products.intensity(), 3));
  set_bounds(facts, view, profile.spec, work);
  return facts;
}

CellView scaled_cell(double value, double unit) {
  return value > 0 ? number_cell(format_significant(value / unit, 3), value / unit)
                   : missing_cell();
}

RowView stage_row(const std::string& label, const Work& work) {
  return {{text_cell(label), text_cell(work.stage), ms_cell(work.ms), count_cell(work.calls),
           scaled_cell(work.flops, kGiga), scaled_cell(work.bytes, kBytesPerGibibyte),
           scaled_cell(work.intensity(), 1), scaled_cell(work.rate(), kTera),
           scaled_cell(work.bandwidth(), kTera)},
          {},
          ""};
}

TableView stages_table(const std::vector<const Profile*>& profiles) {
  TableView table{"attention",
                  "Self-attention in one forward pass, all layers",
                  {{"Profile", "", Align::kLeft},
                   {"Stage", "", Align::kLeft},
                   {"Time", "ms", Align::kRight},
                   {"Kernels", "", Align::kRight},
                   {"Work", "GFLOP", Align::kRight},
                   {"Moved", "GiB", Align::kRight},
                   {"Intensity", "FLOP/B", Align::kRight},
                   {"Rate", "TFLOP/s", Align::kRight},
                   {"Bandwidth", "TB/s", Align::kRight}},
                  {}};
  for (const Profile* profile : profiles) {
    for (const Work& work : attention_work(*profile)) {
      table.rows.push_back(stage_row(profile->label, work));
    }
  }
  return table;
}

TableView ratios_table(const std::vector<Profile>& profiles) {
  TableView table{"ratios",
                  "Softmax over the matrix products",
                  {{"Profile", "", Align::kLeft},
                   {"Softmax", "ms", Align::kRight},
                   {"QKᵀ and A·V", "ms", Align::kRight},
                   {"Time", "×", Align::kRight},
                   {"FLOPs", "%", Align::kRight},
                   {"Time, with projections", "×", Align::kRight},
                   {"FLOPs, with projections", "%", Align::kRight}},
                  {}};
  for (const Profile& profile : profiles) {
    const std::vector<Work> all = attention_work(profile);
    if (measured(all)) {
      const Compared work = compared(all);
      RowView row{
          {text_cell(profile.label), ms_cell(work.softmax.ms), ms_cell(work.products.ms)}, {}, ""};
      for (const Work* products : {&work.products, &work.with_projections}) {
        const double time = work.softmax.ms / products->ms;
        row.cells.push_back(number_cell(format_ratio(time), time));
        row.cells.push_back(share_cell(work.softmax.flops / products->flops));
      }
      table.rows.push_back(std::move(row));
    }
    add_missing(table, profile);
  }
  return table;
}

TableView formulas_table() {
  TableView table{
      "formulas",
      "FLOPs and bytes of one layer",
      {{"Stage", "", Align::kLeft}, {"FLOPs", "", Align::kLeft}, {"Bytes moved", "", Align::kLeft}},
      {}};
  const std::vector<std::vector<std::string>> rows{
      {kScores, "2 B S² d", "w (2 B S d + B h S²)"},
      {kScaleMask, "B h S²", "4 w B h S²"},
      {kSoftmax, "5 B h S²", "32 B h S²"},
      {kValues, "2 B S² d", "w (2 B S d + B h S²)"},
      {kProjections, "8 B S d²", "4 w (2 B S d + d²)"}};
  for (const auto& row : rows) {
    table.rows.push_back({{text_cell(row[0]), text_cell(row[1]), text_cell(row[2])}, {}, ""});
  }
  return table;
}

}  // namespace

PartContent present_attention(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  std::vector<Facts> sentences;
  const auto named = answered(view, profiles);
  for (const Profile* profile : named) {
    if (measured(attention_work(*profile))) sentences.push_back(sentence(view, *profile));
  }
  part.facts.list("profiles", std::move(sentences));
  if (const Profile* shown = foremost(named)) {
    if (auto figure = roofline_figure(view, *shown)) part.figures.push_back(std::move(*figure));
    if (auto figure = layer_figure(*shown)) part.figures.push_back(std::move(*figure));
  }
  part.tables = {stages_table(named)};
  add_table(part, view, profiles, ratios_table);
  part.drawer.tables.push_back(formulas_table());
  return part;
}

}  // namespace labreport::nsys_profile
