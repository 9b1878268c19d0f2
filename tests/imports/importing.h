// Importing a text in one call.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "imports/import.h"

namespace labreport {

/// A GPU, a context and a precision, as most tables here lack them.
inline Declared on_a_gpu() {
  return {{{Role::kGpu, "Made Up"}, {Role::kContext, "256"}, {Role::kPrecision, "fp32"}},
          "",
          "table.md"};
}

inline Declared with(Declared said, Role role, const std::string& text) {
  said.facts[role] = text;
  return said;
}

inline Declared without(Declared said, Role role) {
  said.facts.erase(role);
  return said;
}

/// Of the text's first table of measurements.
inline Imported imported(const std::string& text, const Declared& said = on_a_gpu(),
                         const Mapped& mapped = {}) {
  std::vector<UnderstoodTable> tables = understood_tables(text, said.file, mapped);
  tables.resize(1);
  check_shape(tables[0].table, said.file);
  return import_tables(tables, said);
}

inline std::vector<Run> import_text(const std::string& text, const Declared& said = on_a_gpu(),
                                    const Mapped& mapped = {}) {
  return imported(text, said, mapped).runs;
}

/// What importing says against a text; empty when it takes it.
inline std::string refusal(const std::string& text, const Declared& said = on_a_gpu(),
                           const Mapped& mapped = {}) {
  try {
    import_text(text, said, mapped);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace labreport
