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

/// Returns Markdown with each sentence on a line, and each table as its head and first row.
inline std::string golden_lines(const std::string& markdown) {
  constexpr std::size_t kFirstLines = 3;  // They are the head, the rule and the first row.
  std::string text;
  std::size_t rows = 0;
  for (const std::string& line : split(markdown + "\n", '\n')) {
    const bool is_row = line.starts_with("|");
    if (!is_row && rows > kFirstLines)
      text += "… " + std::to_string(rows - kFirstLines) + " more rows\n";
    rows = is_row ? rows + 1 : 0;
    if (line.empty() || rows == 2 || rows > kFirstLines || line.ends_with("details>")) continue;
    static const std::regex sentence_end("([^s][.?]|[^v]s[.?]) ");  // "vs. " ends no sentence.
    text +=
        (is_row || line.starts_with("**Figure") ? line
                                                : std::regex_replace(line, sentence_end, "$1\n")) +
        "\n";
  }
  return text;
}

inline void expect_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(LABREPORT_SOURCE_DIR) / "tests/golden" / name;
  if (std::getenv("LABREPORT_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    write_atomically(path, text);
  }
  const std::vector<std::string> expected =
      split(std::filesystem::exists(path) ? read_file(path) : "", '\n');
  const std::vector<std::string> actual = split(text, '\n');
  const auto [expected_line, actual_line] =
      std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
  if (expected_line == expected.end() && actual_line == actual.end()) return;
  ADD_FAILURE()
      << "tests/golden/" << name << ":" << expected_line - expected.begin() + 1 << " differs:\n- "
      << (expected_line == expected.end() ? "(end)" : *expected_line) << "\n+ "
      << (actual_line == actual.end() ? "(end)" : *actual_line)
      << "\nLABREPORT_UPDATE_GOLDEN=1 writes the file anew: read its diff before you commit it.";
}

}  // namespace labreport
