// Whole outputs against tests/golden/<case>/. LABREPORT_UPDATE_GOLDEN=1 rewrites them: read the
// difference before keeping it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"

namespace labreport {

inline void expect_golden(const std::string& name, const std::string& bytes) {
  const auto path = std::filesystem::path(LABREPORT_SOURCE_DIR) / "tests/golden" / name;
  if (std::getenv("LABREPORT_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    write_atomically(path, bytes);
  }
  // Not EXPECT_EQ: it would print both, megabytes for a page.
  EXPECT_TRUE(read_file(path) == bytes)
      << name << " is another; the head of golden_files.h says how to update it";
}

}  // namespace labreport
