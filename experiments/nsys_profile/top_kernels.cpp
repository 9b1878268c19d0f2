// Part (b): the kernel that takes most of the forward pass, and how often it is called.
#include "base/format.h"
#include "base/text.h"
#include "experiments/common/table_cells.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/kernels_csv.h"
#include "experiments/nsys_profile/parts.h"
#include "experiments/nsys_profile/profile_table.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::size_t kRows = 12;
constexpr Pass kTopPasses[]{Pass::kForward, Pass::kForwardBackward};

struct Counts {
  std::int64_t linear = 0;
  std::int64_t linear_expected = 0;  ///< Seven linears a layer and the output's.
  std::int64_t products = 0;
  std::int64_t products_expected = 0;  ///< Scores and mixed values, batched over heads.
  std::int64_t helpers = 0;

  bool as_expected() const { return linear == linear_expected && products == products_expected; }
};

// Earlier runs name the network's own operations, later ones ATen's.
bool in_attention(const KernelRow& row) {
  return row.operation == "aten::matmul" || row.operation == "MaskedScores" ||
         row.operation == "MixedValues";
}

bool in_linear(const KernelRow& row) {
  return row.operation == "aten::linear" || row.operation == "Linear";
}

Counts counts_of(const Profile& profile, const Rows& forward) {
  const std::int64_t layers = profile.spec.model.value_or(ModelShape{}).layers;
  Counts counts;
  counts.linear_expected = 7 * layers + 1;
  counts.products_expected = 2 * layers;
  counts.linear = instances(
      matching(forward, [](const KernelRow& row) { return row.kind == "gemm" && in_linear(row); }));
  counts.products = instances(matching(
      forward, [](const KernelRow& row) { return row.kind == "gemm" && in_attention(row); }));
  counts.helpers =
      instances(matching(forward, [](const KernelRow& row) { return row.kind == "gemm helper"; }));
  return counts;
}

void set_counts(Facts& facts, const Counts& counts) {
  facts.set("linear", format_count(counts.linear));
  facts.set("linear_expected", format_count(counts.linear_expected));
  facts.set("products", format_count(counts.products));
  facts.set("products_expected", format_count(counts.products_expected));
  facts.flag("as_expected", counts.as_expected());
}

void set_top(Facts& facts, const std::string& prefix, const Rows& rows) {
  const std::vector<KernelSum> sums = by_kernel(rows);
  const KernelSum top = sums.empty() ? KernelSum{} : sums.front();
  facts.set_markdown(prefix + "name", kernel_code(top.name));
  facts.set(prefix + "ms", format_significant(top.total));
  facts.set(prefix + "share", format_percent(sums.empty() ? 0 : top.total / total(rows)));
  facts.set(prefix + "calls", format_plural(top.instances, "time"));
}

bool same_top(const Rows& a, const Rows& b) {
  const auto first = by_kernel(a);
  const auto second = by_kernel(b);
  return !first.empty() && !second.empty() && first.front().name == second.front().name;
}

Facts top_sentence(const Profile& profile, const Rows& forward) {
  Facts facts;
  const Rows both = rows_of(profile, Pass::kForwardBackward);
  facts.set("words", profile.words);
  set_top(facts, "", forward);
  set_top(facts, "both_", both);
  facts.flag("both", !both.empty());
  facts.flag("same", same_top(forward, both));
  set_counts(facts, counts_of(profile, forward));
  return facts;
}

TableView top_table(const std::vector<Profile>& profiles) {
  TableView table{"top-kernels",
                  "The kernel with the most time",
                  {{"Profile", "", Align::kLeft},
                   {"Pass", "", Align::kLeft},
                   {"Time", "ms", Align::kRight},
                   {"Of the pass", "%", Align::kRight},
                   {"Calls", "", Align::kRight},
                   {"Kernel", "", Align::kLeft}},
                  {}};
  for (const Profile& profile : profiles) {
    add_passes(table, profile, kTopPasses, [](const Rows& rows) -> std::vector<CellView> {
      const KernelSum top = by_kernel(rows).front();
      return {ms_cell(top.total), share_cell(top.total / total(rows)), count_cell(top.instances),
              text_cell(short_kernel_name(top.name))};
    });
    add_missing(table, profile);
  }
  return table;
}

TableView counts_table(const std::vector<Profile>& profiles) {
  TableView table{"calls",
                  "Matrix products in one forward pass",
                  {{"Profile", "", Align::kLeft},
                   {"Linear layers", "", Align::kRight},
                   {"7 L + 1", "", Align::kRight},
                   {"Attention products", "", Align::kRight},
                   {"2 L", "", Align::kRight},
                   {"Helper kernels", "", Align::kRight}},
                  {}};
  for (const Profile& profile : profiles) {
    const Rows forward = rows_of(profile, Pass::kForward);
    if (forward.empty()) continue;
    const Counts counts = counts_of(profile, forward);
    RowView row{{text_cell(profile.label)}, {}, ""};
    for (const std::int64_t count : {counts.linear, counts.linear_expected, counts.products,
                                     counts.products_expected, counts.helpers}) {
      row.cells.push_back(count_cell(count));
    }
    // A processor's operators have no helpers.
    if (profile.spec.device == DeviceKind::kCpu) row.cells.back() = missing_cell();
    table.rows.push_back(std::move(row));
  }
  drop_empty_columns(table, 1);
  return table;
}

void add_nsight_tables(PartContent& part, const Profile& profile) {
  const Rows forward = rows_of(profile, Pass::kForward);
  const Rows both = rows_of(profile, Pass::kForwardBackward);
  const std::string end = ", " + profile.words;
  if (!forward.empty()) {
    part.tables.push_back(nsight_table(slug("nsight-" + profile.words),
                                       "Kernels of one forward pass" + end, forward, kRows));
  }
  if (both.empty()) return;
  part.drawer.tables.push_back(nsight_table(slug("nsight-both-" + profile.words),
                                            "Kernels of forward and backward" + end, both, kRows));
}

}  // namespace

PartContent present_top_kernels(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  add_table(part, view, profiles, top_table);
  add_table(part, view, profiles, counts_table);
  part.files = {{kKernelsFile, kernels_csv(profiles), {}}};
  std::vector<Facts> sentences;
  for (const Profile* profile : answered(view, profiles)) {
    const Rows forward = rows_of(*profile, Pass::kForward);
    if (!forward.empty()) sentences.push_back(top_sentence(*profile, forward));
    add_nsight_tables(part, *profile);
  }
  part.facts.list("profiles", std::move(sentences));
  return part;
}

}  // namespace labreport::nsys_profile
