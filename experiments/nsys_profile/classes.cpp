// Part (d): how the share of matrix products changes from inference to a whole step.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/table_cells.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/parts.h"
#include "experiments/nsys_profile/profile_table.h"
#include "experiments/nsys_profile/share_chart.h"

namespace labreport::nsys_profile {
namespace {

constexpr const char* kClasses[]{"gemm",      "gemm helper", "elementwise", "exponential", "where",
                                 "reduction", "copy",        "gather",      "memset",      "other"};
constexpr Pass kPasses[]{Pass::kForward, Pass::kForwardBackward, Pass::kTrainStep};

double share_of(const Rows& rows, const std::function<bool(const KernelRow&)>& wanted) {
  const double whole = total(rows);
  return whole > 0 ? total(matching(rows, wanted)) / whole : 0;
}

double class_share(const Rows& rows, std::string_view kind) {
  return share_of(rows, [kind](const KernelRow& row) { return row.kind == kind; });
}

double product_share(const Rows& rows) { return share_of(rows, is_matrix_product); }

double named_share(const Rows& rows) {
  return share_of(rows, [](const KernelRow& row) { return named_like_gemm(row.kernel); });
}

/// The fullest pass that was measured besides the forward pass.
std::optional<Pass> fullest_pass(const Profile& profile) {
  for (const Pass pass : {Pass::kTrainStep, Pass::kForwardBackward}) {
    if (!rows_of(profile, pass).empty()) return pass;
  }
  return std::nullopt;
}

/// "elementwise from 9.1 to 20.3 %": classes whose share changes by a point or more.
std::string changes(const Rows& before, const Rows& after) {
  constexpr double kPoint = 0.01;
  std::vector<std::string> words;
  for (const std::string_view kind : kClasses) {
    const double from = class_share(before, kind);
    const double to = class_share(after, kind);
    if (kind.starts_with("gemm") || std::abs(to - from) < kPoint) continue;
    words.push_back(std::string(kind) + " from " + format_percent(from) + " to " +
                    format_percent(to) + " %");
  }
  return join_words(words);
}

Facts class_sentence(const Profile& profile) {
  const Rows before = rows_of(profile, Pass::kForward);
  const auto pass = fullest_pass(profile);
  const Rows after = pass ? rows_of(profile, *pass) : Rows();
  Facts facts;
  facts.set("words", profile.words);
  facts.flag("inference", profile.inference.has_value());
  facts.set("before", format_percent(product_share(before)));
  facts.flag("compared", pass.has_value());
  facts.set("pass", pass ? describe(*pass) : "");
  facts.set("after", format_percent(product_share(after)));
  // As printed: who reads two numbers that differ is not told that they are the same.
  const bool apart = format_percent(product_share(after)) != format_percent(product_share(before));
  facts.flag("falls", pass && apart && product_share(after) < product_share(before));
  facts.flag("rises", pass && apart && product_share(after) > product_share(before));
  const std::string others = pass ? changes(before, after) : "";
  facts.flag("others", !others.empty());
  facts.set("changes", others);
  facts.set("named", format_percent(named_share(before)));
  facts.flag("differs", std::abs(named_share(before) - product_share(before)) > 0.001);
  return facts;
}

/// Few enough to tell their colours apart.
std::vector<Share> shares_of(const std::string& group, const Rows& rows) {
  const auto rest = [&](std::string_view kind) { return class_share(rows, kind); };
  return {{group, "matrix products", product_share(rows)},
          {group, "elementwise", rest("elementwise")},
          {group, "exponential", rest("exponential")},
          {group, "where", rest("where")},
          {group, "reduction", rest("reduction")},
          {group, "copy", rest("copy") + rest("gather")},
          {group, "other", rest("memset") + rest("other")}};
}

TableView classes_table(const std::vector<Profile>& profiles) {
  TableView table{"classes",
                  "Share of the device's time by class of kernel",
                  {{"Profile", "", Align::kLeft}, {"Pass", "", Align::kLeft}},
                  {}};
  for (const Share& share : shares_of("", {})) {
    table.columns.push_back({share.part, "%", Align::kRight});
  }
  for (const Profile& profile : profiles) {
    add_passes(table, profile, kPasses, [](const Rows& rows) {
      std::vector<CellView> cells;
      for (const Share& share : shares_of("", rows)) cells.push_back(share_cell(share.share));
      return cells;
    });
    add_missing(table, profile);
  }
  return table;
}

/// Those that some profile has.
std::vector<const char*> classes_of(const std::vector<Profile>& profiles) {
  std::vector<const char*> found;
  for (const char* kind : kClasses) {
    const bool known = std::ranges::any_of(profiles, [kind](const Profile& profile) {
      return std::ranges::any_of(
          kPasses, [&](Pass pass) { return class_share(rows_of(profile, pass), kind) > 0; });
    });
    if (known) found.push_back(kind);
  }
  return found;
}

TableView every_class_table(const std::vector<Profile>& profiles) {
  TableView table{"every-class",
                  "Every class by itself",
                  {{"Profile", "", Align::kLeft}, {"Pass", "", Align::kLeft}},
                  {}};
  const std::vector<const char*> kinds = classes_of(profiles);
  for (const char* kind : kinds) table.columns.push_back({kind, "%", Align::kRight});
  for (const Profile& profile : profiles) {
    add_passes(table, profile, kPasses, [&kinds](const Rows& rows) {
      std::vector<CellView> cells;
      for (const char* kind : kinds) cells.push_back(share_cell(class_share(rows, kind)));
      return cells;
    });
  }
  return table;
}

TableView pattern_table(const std::vector<Profile>& profiles) {
  TableView table{"name-pattern",
                  "Matrix products by operator and by a pattern of kernel names",
                  {{"Profile", "", Align::kLeft},
                   {"Pass", "", Align::kLeft},
                   {"By operator", "%", Align::kRight},
                   {"By name", "%", Align::kRight},
                   {"Missed by name", "%", Align::kRight},
                   {"Wrongly counted", "%", Align::kRight}},
                  {}};
  const auto missed = [](const KernelRow& row) {
    return is_matrix_product(row) && !named_like_gemm(row.kernel);
  };
  const auto wrong = [](const KernelRow& row) {
    return !is_matrix_product(row) && named_like_gemm(row.kernel);
  };
  for (const Profile& profile : profiles) {
    add_passes(table, profile, kPasses, [&](const Rows& rows) -> std::vector<CellView> {
      return {share_cell(product_share(rows)), share_cell(named_share(rows)),
              share_cell(share_of(rows, missed)), share_cell(share_of(rows, wrong))};
    });
  }
  return table;
}

bool nothing_ran(const std::vector<Profile>& shown) {
  return std::ranges::all_of(
      shown, [](const Profile& profile) { return rows_of(profile, Pass::kForward).empty(); });
}

Figure shares_figure(const std::vector<Profile>& shown) {
  std::vector<Share> shares;
  for (const Profile& profile : shown) {
    for (const Pass pass : {Pass::kForward, Pass::kTrainStep}) {
      const Rows rows = rows_of(profile, pass);
      if (rows.empty()) continue;
      const auto bar = shares_of(profile.label + " · " + std::string(describe(pass)), rows);
      shares.insert(shares.end(), bar.begin(), bar.end());
    }
  }
  Figure figure{.slug = "kernel-classes",
                .title = "Share of the device's time by class of kernel",
                .caption =
                    "Each bar is all of the device's time in one pass; matrix products hold their "
                    "helpers, copies hold gathering. Small parts carry no number.",
                .alt =
                    "A stacked bar for each profile and pass, split by class of kernel. The "
                    "table below holds the same shares.",
                .spec = share_chart(shares),
                .data = classes_table(shown)};
  figure.data.slug = "classes-data";
  return figure;
}

}  // namespace

PartContent present_classes(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  std::vector<Facts> sentences;
  for (const Profile* profile : answered(view, profiles)) {
    if (!rows_of(*profile, Pass::kForward).empty()) sentences.push_back(class_sentence(*profile));
  }
  part.facts.list("profiles", std::move(sentences));
  const std::vector<Profile> shown = spoken_of(view, profiles);
  if (!nothing_ran(shown)) part.figures = {shares_figure(shown)};
  add_table(part, view, profiles, classes_table);
  // A processor's operators have no kernel names to search.
  if (view.on_gpu()) part.drawer.tables.push_back(pattern_table(profiles));
  part.drawer.tables.push_back(every_class_table(profiles));
  return part;
}

}  // namespace labreport::nsys_profile
