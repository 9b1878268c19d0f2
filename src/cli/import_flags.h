// The flags of `labreport import`.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "imports/import.h"

namespace labreport {

/// As written; what was not given is absent or empty.
struct ImportFlags {
  std::string file;
  std::map<Role, std::string> facts;
  std::vector<std::string> maps;
  std::string tables, title;
  std::string out = "site/runs";

  /// Checked. Throws `InputError`.
  Declared declared() const;

  /// What `--map` says, checked: of each COLUMN the MEANING. Throws `InputError`.
  Mapped mapped() const;

  bool all_tables() const { return tables == "all"; }

  /// Numbers of tables, 1-based; empty where none were named, or all.
  std::vector<std::size_t> table_numbers() const;
};

void add_import_flags(CLI::App& verb, ImportFlags& flags);

}  // namespace labreport
