// Part (c): what the forward pass does besides matrix products, by the operator that launched it.
#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/table_cells.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/parts.h"
#include "experiments/nsys_profile/profile_table.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kNoticed = 0.01;  // Of the forward pass.
constexpr std::size_t kNamed = 6;
constexpr std::size_t kAll = 100;
constexpr std::size_t kMostListed = 5;  // Of each profile, where all are listed.

/// "aten::mul" in words; the operator's own name where there are none.
std::string operator_words(const std::string& op) {
  static const std::map<std::string, std::string> words{
      {"mul", "multiplications"}, {"add", "additions"},     {"sub", "subtractions"},
      {"div", "divisions"},       {"exp", "exponentials"},  {"where", "masking (where)"},
      {"max", "maxima"},          {"sum", "sums"},          {"mean", "means"},
      {"copy_", "copies"},        {"cat", "concatenation"}, {"pow", "squares"},
      {"sigmoid", "sigmoid"},     {"index", "gathering"},   {"neg", "negation"},
      {"rsqrt", "inverse roots"}, {"add_", "additions"},    {"ge", "comparison"}};
  std::string name = op;
  if (name.starts_with("aten::")) name.erase(0, 6);
  const auto found = words.find(name);
  return found == words.end() ? name : found->second;
}

Rows others(const Profile& profile) {
  return matching(rows_of(profile, Pass::kForward),
                  [](const KernelRow& row) { return !is_matrix_product(row); });
}

std::vector<KernelSum> by_operator(const Rows& rows) {
  return summed(rows, [](const KernelRow& row) { return row.op.empty() ? row.kernel : row.op; });
}

Facts other_sentence(const Profile& profile) {
  const double whole = total(rows_of(profile, Pass::kForward));
  const Rows rows = others(profile);
  std::vector<std::string> named;
  for (const KernelSum& sum : by_operator(rows)) {
    if (sum.total < kNoticed * whole || named.size() == kNamed) break;
    named.push_back(operator_words(sum.name) + " " + format_percent(sum.total / whole) + " % (" +
                    format_significant(sum.total, 3) + " ms, " +
                    format_plural(sum.instances, "call") + ")");
  }
  Facts facts;
  facts.set("words", profile.words);
  facts.set("share", format_percent(whole > 0 ? total(rows) / whole : 0));
  facts.set("ms", format_significant(total(rows)));
  facts.flag("named", !named.empty());
  facts.set("kernels", join_words(named));
  return facts;
}

TableView operators_table(const std::string& slug, const std::string& title) {
  return {slug,
          title,
          {{"Profile", "", Align::kLeft},
           {"Operator", "", Align::kLeft},
           {"Class", "", Align::kLeft},
           {"Time", "ms", Align::kRight},
           {"Of the forward pass", "%", Align::kRight},
           {"Calls", "", Align::kRight}},
          {}};
}

/// The `most` operators that took longest, or why there are none.
void add_operators(TableView& table, const Profile& profile, std::size_t most) {
  const double whole = total(rows_of(profile, Pass::kForward));
  std::size_t shown = 0;
  for (const KernelSum& sum : by_operator(others(profile))) {
    if (shown++ == most) break;
    table.rows.push_back(
        {{text_cell(profile.label), text_cell(sum.name), text_cell(sum.kind), ms_cell(sum.total),
          share_cell(sum.total / whole), count_cell(sum.instances)},
         {},
         ""});
  }
  add_missing(table, profile);
}

}  // namespace

PartContent present_other_kernels(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  TableView operators = operators_table("operators", "Besides the matrix products, by operator");
  std::vector<Facts> sentences;
  for (const Profile* profile : answered(view, profiles)) {
    add_operators(operators, *profile, kAll);
    if (!rows_of(*profile, Pass::kForward).empty()) sentences.push_back(other_sentence(*profile));
  }
  part.facts.list("profiles", std::move(sentences));
  part.tables = {std::move(operators)};
  TableView longest = operators_table("all-operators", "The same for every profile: the longest");
  for (const Profile& profile : profiles) add_operators(longest, profile, kMostListed);
  part.drawer.tables = {std::move(longest)};
  return part;
}

}  // namespace labreport::nsys_profile
