// The flags of `labreport import`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "imports/reading.h"

namespace labreport {

/// As written; empty optionals were not given.
struct ImportFlags {
  std::string file;
  std::optional<std::string> gpu, edition, unit, context, batch, precision, warmup, steps, tables;
  std::vector<std::string> maps;
  std::string title, source_url;
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
