// Importing a text in one call.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "imports/imported_run.h"

namespace labreport {

inline Declared on_a_gpu(std::optional<Unit> unit = std::nullopt) {
  Declared said;
  said.gpu = "Made Up";
  said.context = 256;
  said.unit = unit;
  said.file = "table.md";
  return said;
}

/// Of the text's first table.
inline Readings readings_of(const std::string& text, const Declared& said) {
  std::vector<TextTable> tables = find_tables(text);
  if (tables.empty()) throw InputError("no table");
  tables.resize(1);
  check_shape(tables[0], said.file);
  Readings found;
  const std::string edition = edition_of(tables, said, found);
  Readings read = read_table(tables[0], columns_of(tables[0]), said, edition);
  add_missing(found.missing, read.missing);
  refuse_missing(found.missing, said.file);
  return read;
}

inline std::vector<Run> import_text(const std::string& text, const Declared& said) {
  const Readings found = readings_of(text, said);
  return imported_runs(found.readings, said, found.assumed);
}

/// What importing says against a text; empty when it takes it.
inline std::string refusal(const std::string& text, const Declared& said) {
  try {
    import_text(text, said);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace labreport
