// Compares whole outputs with tests/golden/: any changed word shows up as a line of a diff.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "base/files.h"
#include "base/text.h"

namespace labreport {

/// A golden form of Markdown: each sentence on its own line, a table as its head and first row.
inline std::string golden_lines(const std::string& markdown) {
  std::string text;
  std::size_t rows = 0;
  for (const std::string& line : split(markdown + "\n", '\n')) {
    const bool row = line.starts_with("|");
    if (!row && rows > 3) text += "… " + std::to_string(rows - 3) + " more rows\n";
    rows = row ? rows + 1 : 0;
    if (line.empty() || rows == 2 || rows > 3 || line.ends_with("details>")) continue;
    static const std::regex end("([^s][.?]|[^v]s[.?]) ");  // not of "vs. "
    text +=
        (row || line.starts_with("**Figure") ? line : std::regex_replace(line, end, "$1\n")) + "\n";
  }
  return text;
}

inline void expect_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(LABREPORT_SOURCE_DIR) / "tests/golden" / name;
  if (std::getenv("LABREPORT_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    write_atomically(path, text);
  }
  const std::vector<std::string> wanted =
      split(std::filesystem::exists(path) ? read_file(path) : "", '\n');
  const std::vector<std::string> got = split(text, '\n');
  const auto [want, have] = std::mismatch(wanted.begin(), wanted.end(), got.begin(), got.end());
  if (want == wanted.end() && have == got.end()) return;
  ADD_FAILURE()
      << "tests/golden/" << name << ":" << want - wanted.begin() + 1 << " differs:\n- "
      << (want == wanted.end() ? "(end)" : *want) << "\n+ " << (have == got.end() ? "(end)" : *have)
      << "\nLABREPORT_UPDATE_GOLDEN=1 writes the file anew: read its diff before you commit it.";
}

}  // namespace labreport
