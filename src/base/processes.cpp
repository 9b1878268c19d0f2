#include "base/processes.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "base/text.h"

namespace labreport {
namespace {

/// A line of /proc/<pid>/stat begins with these: "4711 (labreport) S 1".
struct ProcessState {
  std::string name;
  char state = 0;
  std::int64_t parent = 0;
};

std::map<std::int64_t, ProcessState> running_processes() {
  std::map<std::int64_t, ProcessState> processes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto id = parse_number<std::int64_t>(entry->path().filename().string());
    if (!id) continue;
    std::ifstream file(entry->path() / "stat");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::size_t open = text.find('('),
                      close = text.rfind(") ");  // A name may hold a bracket.
    constexpr std::size_t kToState = 2, kToParent = 4;
    if (open == text.npos || close == text.npos || close + kToParent > text.size()) continue;
    const std::string_view parent = std::string_view(text).substr(close + kToParent);
    processes[*id] = {text.substr(open + 1, close - open - 1), text[close + kToState],
                      leading_number<std::int64_t>(parent).value_or(0)};
  }
  return processes;
}

}  // namespace

std::int64_t other_labreport_processes() {
  const auto processes = running_processes();
  const std::int64_t own_parent = getppid();
  return std::ranges::count_if(processes, [&](const auto& entry) {
    const auto& [id, process] = entry;
    const auto parent = processes.find(process.parent);
    return process.state != 'Z' && process.parent != own_parent && id != own_parent &&
           parent != processes.end() && parent->second.name == "labreport";
  });
}

}  // namespace labreport
