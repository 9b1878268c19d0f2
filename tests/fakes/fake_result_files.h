// Leaves what a faulty worker may leave in place of its result file.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/files.h"
#include "results/run_json.h"

namespace labreport {

inline void leave_pipe(const std::string& result, const LaunchReport&) {
  mkfifo(result.c_str(), 0600);
}

inline void leave_link(const std::string& result, const LaunchReport& report) {
  write_atomically(result + ".elsewhere", to_json(report), Sync::kNothing);
  std::filesystem::create_symlink(result + ".elsewhere", result);
}

inline void leave_loop(const std::string& result, const LaunchReport&) {
  std::filesystem::create_symlink(result, result);
}

inline void leave_folder(const std::string& result, const LaunchReport&) {
  std::filesystem::create_directories(result + "/below");
}

inline void leave_endless(const std::string& result, const LaunchReport&) {
  std::ofstream(result) << "[";
  std::filesystem::resize_file(result, 1ULL << 40);
}

inline void leave_deep(const std::string& result, const LaunchReport&) {
  std::ofstream(result) << std::string(1 << 20, '[');
}

}  // namespace labreport
