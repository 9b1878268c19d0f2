#include "writers/remarks.h"

#include <algorithm>

#include "base/text.h"

namespace labreport {

bool has_remark_beside(const RowView& row) {
  constexpr std::size_t kMostLetters = 24, kMostLettersOfWord = 14;
  const std::string remarks = row.joined_flags();
  return !row.flags.empty() && letter_count(remarks) <= kMostLetters &&
         std::ranges::all_of(split(remarks, ' '), [](const std::string& word) {
           return letter_count(word) <= kMostLettersOfWord;
         });
}

bool has_remark_below(const RowView& row) { return !row.flags.empty() && !has_remark_beside(row); }

bool needs_remarks_column(const TableView& table) {
  return std::ranges::any_of(table.rows, has_remark_beside);
}

}  // namespace labreport
