#include "experiments/nsys_profile/profile_table.h"

#include "experiments/common/table_cells.h"

namespace labreport::nsys_profile {

void add_missing(TableView& table, const Profile& profile) {
  if (profile.missing.empty()) return;
  table.rows.push_back({{text_cell(profile.label)}, {}, profile.missing});
}

void add_passes(TableView& table, const Profile& profile, std::span<const Pass> passes,
                const std::function<std::vector<CellView>(const Rows&)>& cells) {
  for (const Pass pass : passes) {
    const Rows rows = rows_of(profile, pass);
    if (rows.empty()) continue;
    RowView row{{text_cell(profile.label), text_cell(std::string(describe(pass)))}, {}, ""};
    for (CellView& cell : cells(rows)) row.cells.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
}

}  // namespace labreport::nsys_profile
