#include "cli/import_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "base/text.h"

namespace labreport {
namespace {

constexpr std::uintmax_t kLargestFile = 16u << 20;
constexpr std::size_t kMostListed = 12;

void check_utf8(const std::string& text, const std::string& file) {
  if (is_utf8(text)) return;
  std::size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (!is_utf8(line)) refuse_line(file, number, "it is no UTF-8", "save the file as UTF-8");
  }
}

std::string places_of(const std::vector<UnderstoodTable>& tables) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(tables.size(), kMostListed); ++i) {
    words.push_back(fmt::format("{} at line {}", i + 1, tables[i].table.line));
  }
  return join(words, ", ") + (tables.size() > kMostListed ? ", …" : "");
}

std::vector<UnderstoodTable> named(const std::vector<UnderstoodTable>& all,
                                   const std::vector<std::size_t>& numbers,
                                   const std::string& file) {
  std::vector<UnderstoodTable> chosen;
  for (const std::size_t number : numbers) {
    if (number > all.size()) {
      throw InputError(fmt::format("{} has no table {} of measurements", file, number),
                       "there are " + places_of(all));
    }
    chosen.push_back(all[number - 1]);
  }
  return chosen;
}

}  // namespace

std::vector<UnderstoodTable> choose_tables(const ImportFlags& flags, const std::string& file) {
  const std::string text = read_file(flags.file, kLargestFile);
  check_utf8(text, file);
  std::vector<UnderstoodTable> found = understood_tables(text, flags.mapped());
  if (found.empty()) {
    const std::set<std::string> names = column_names(find_tables(text));
    throw InputError(
        file + " holds no table of measurements",
        "one needs a column of sizes and one of times or peaks" +
            (names.empty() ? "" : ": --map COLUMN=MEANING says what is one of " + listed(names)));
  }
  const std::vector<std::size_t> numbers = flags.table_numbers();
  if (numbers.empty() && found.size() > 1 && !flags.all_tables()) {
    throw InputError(fmt::format("{} holds {} of measurements: {}", file,
                                 format_plural(static_cast<std::int64_t>(found.size()), "table"),
                                 places_of(found)),
                     "choose with --table 1, --table 1,2 or --table all");
  }
  if (!numbers.empty()) found = named(found, numbers, file);
  for (const UnderstoodTable& one : found) check_shape(one.table, file);
  return found;
}

}  // namespace labreport
