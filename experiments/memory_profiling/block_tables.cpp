#include "experiments/memory_profiling/block_tables.h"

#include <algorithm>

#include "base/text.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "plan/memory.h"
#include "results/measured_table.h"
#include "results/table_shapes.h"

namespace labreport::memory_profiling {
namespace {

std::vector<Contributor> contributors_of(const Launch& launch) {
  std::vector<Contributor> found;
  for (const MeasuredRow& row : measured_rows(launch, metric::kBlock)) {
    if (row.text(column::kKind) != metric::kKept) continue;
    found.push_back({row.text(column::kModule), row.text(column::kOperation),
                     row.text(column::kOperator), row.number(column::kBytes).value_or(0),
                     row.number(column::kCount).value_or(1)});
  }
  std::ranges::stable_sort(found, std::greater(), &Contributor::bytes);
  return found;
}

}  // namespace

std::vector<Block> blocks_of(const Profiles& spoken_of) {
  std::vector<Block> found;
  for (const Profile* profile : spoken_of) {
    const Step* step = profile->trained();
    const auto kept = step == nullptr ? std::nullopt : step->bytes(metric::kBlock, metric::kKept);
    if (!kept) continue;
    found.push_back({profile, step, contributors_of(*step->launch), *kept});
  }
  if (found.size() > 2) found.erase(found.begin() + 1, found.end() - 1);
  return found;
}

TableView blocks_table(const std::vector<Block>& blocks) {
  TableView table{"block",
                  "One block's memory over its backward",
                  {{"Context", "", Align::kLeft},
                   {"Kept", "MiB", Align::kRight},
                   {"By formula", "MiB", Align::kRight},
                   {"Change over backward", "MiB", Align::kRight},
                   {"Gradients, by difference", "MiB", Align::kRight},
                   {"Gradients, counted", "MiB", Align::kRight},
                   {"4 (4 d² + 3 d d_ff + 2 d)", "MiB", Align::kRight}},
                  {}};
  const ByteUnit unit{"MiB", kBytesPerMebibyte, 1};
  for (const Block& block : blocks) {
    const CellSpec& spec = block.step->spec();
    RowView row{{text_cell(block.profile->place)}, {}, ""};
    row.cells.push_back(bytes_cell(block.kept, unit));
    row.cells.push_back(bytes_cell(static_cast<double>(kept_block_bytes(spec)), unit));
    row.cells.push_back(bytes_cell(block.change(), unit));
    row.cells.push_back(bytes_cell(block.gradients(), unit));
    row.cells.push_back(bytes_cell(block.step->bytes(metric::kBlock, metric::kGradients), unit));
    row.cells.push_back(bytes_cell(static_cast<double>(block_gradient_bytes(*spec.model)), unit));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TableView contributors_table(const Block& block) {
  TableView table{slug("kept-" + block.profile->words),
                  "What one block keeps for its backward, " + block.profile->words,
                  {{"Operation", "", Align::kLeft},
                   {"Operator", "", Align::kLeft},
                   {"Module", "", Align::kLeft},
                   {"Tensors", "", Align::kRight},
                   {"Kept", "MiB", Align::kRight},
                   {"Share", "%", Align::kRight}},
                  {}};
  const ByteUnit unit{"MiB", kBytesPerMebibyte, 1};
  for (const Contributor& one : block.contributors) {
    const double share = block.kept > 0 ? one.bytes / block.kept : 0;
    table.rows.push_back({{text_cell(one.operation), text_cell(one.op), text_cell(one.module),
                           count_cell(one.count), bytes_cell(one.bytes, unit), share_cell(share)},
                          {},
                          ""});
  }
  return table;
}

TableView formula_table(const Block& block) {
  TableView table{slug("kept-formula-" + block.profile->words),
                  "The same by arithmetic, " + block.profile->words,
                  {{"Module", "", Align::kLeft},
                   {"Tensor", "", Align::kLeft},
                   {"Bytes", "", Align::kLeft},
                   {"Kept", "MiB", Align::kRight}},
                  {}};
  for (const KeptTensor& tensor : kept_by_block(block.step->spec())) {
    const ByteUnit unit{"MiB", kBytesPerMebibyte, 2};
    table.rows.push_back(
        {{text_cell(tensor.module), text_cell(tensor.what), text_cell(tensor.formula),
          bytes_cell(static_cast<double>(tensor.bytes), unit)},
         {},
         ""});
  }
  return table;
}

}  // namespace labreport::memory_profiling
