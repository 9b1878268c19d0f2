#include "imports/reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "imports/words.h"
#include "plan/editions.h"

namespace labreport {
namespace {

/// Each thing is said once: by no two columns, by no column and a flag.
void check_columns(const UnderstoodTable& understood, const Declared& declared) {
  const auto refuse = [&](const std::string& problem, const std::string& remedy) {
    refuse_line(declared.file, understood.table.line, problem, remedy);
  };
  std::map<std::pair<Role, std::string>, std::string> names;
  for (const ImportColumn& column : understood.columns) {
    Meaning thing = column.meaning;
    thing.unit = nullptr;
    if (thing.role == Role::kIgnored) continue;
    const std::string value = thing.role == Role::kValue ? describe(thing) : "";
    const auto [first, is_new] = names.emplace(std::pair(thing.role, value), column.name);
    if (!is_new) {
      refuse(fmt::format("{} and {} both say: {}", in_quotes(first->second), in_quotes(column.name),
                         describe(column)),
             "--map COLUMN=ignored leaves one of them out");
    }
    const bool of_row = thing.role == Role::kValue && !thing.subject;
    if (of_row && find_column(understood.columns, Role::kMode) == nullptr) {
      const std::string name = in_quotes(column.name);
      refuse(name + " does not say what was timed, and no other column does",
             "say --map " + name + "=forward, or what it is");
    }
    if (declared.facts.contains(thing.role)) {
      refuse(fmt::format("{} and a flag both say: {}", in_quotes(column.name), describe(column)),
             "leave the flag out");
    }
  }
}

/// Sizes of tables that name no edition beside them, as far as some edition knows them.
std::set<std::string> named_sizes(const std::vector<UnderstoodTable>& tables) {
  std::set<std::string> names;
  for (const auto& [table, columns] : tables) {
    if (find_column(columns, Role::kEdition) != nullptr) continue;
    const auto index = static_cast<std::size_t>(find_column(columns, Role::kSize) - columns.data());
    for (const TableRow& row : table.rows) names.insert(plain_cell(row.cells.at(index)));
  }
  std::erase_if(names, [](const std::string& name) { return !is_size(name); });
  return names;
}

/// The only edition that has all of these sizes, else the first if they are the same networks in
/// each.
std::string edition_of(const std::set<std::string>& sizes, Readings& into) {
  std::vector<const Edition*> fitting;
  for (const Edition& edition : editions()) {
    const auto knows = [&](const std::string& size) {
      return size_named(edition, size) != nullptr;
    };
    if (std::ranges::all_of(sizes, knows)) fitting.push_back(&edition);
  }
  if (fitting.size() == 1) return fitting.front()->name;
  const Edition& first = editions().front();
  for (const std::string& size : sizes) {
    const auto same = [&](const Edition* edition) {
      return size_named(*edition, size)->shape == size_named(first, size)->shape;
    };
    if (!fitting.empty() && std::ranges::all_of(fitting, same)) continue;
    into.missing["--edition 2025 or --edition 2026"] =
        "the editions differ in size " + in_quotes(size);
    return first.name;
  }
  into.assumed.insert("edition " + first.name +
                      ", whose sizes these are too: --edition says otherwise");
  return first.name;
}

void refuse_missing(const Readings& readings, const std::string& file) {
  std::vector<std::string> flags;
  std::vector<std::string> problems;
  for (const auto& [flag, problem] : readings.missing) {
    flags.push_back(flag);
    problems.push_back(problem);
  }
  if (!flags.empty()) {
    throw InputError(file + ": " + join(problems, "; "), "say " + join(flags, ", and "));
  }
}

}  // namespace

Readings read_tables(const std::vector<UnderstoodTable>& tables, const Declared& declared) {
  Readings readings;
  const auto said = declared.facts.find(Role::kEdition);
  const std::set<std::string> sizes = named_sizes(tables);
  const std::string edition = said != declared.facts.end() ? said->second
                              : sizes.empty()              ? editions().front().name
                                                           : edition_of(sizes, readings);
  for (const UnderstoodTable& understood : tables) {
    check_columns(understood, declared);
    read_rows(understood, declared, edition, readings);
  }
  refuse_missing(readings, declared.file);
  return readings;
}

}  // namespace labreport
