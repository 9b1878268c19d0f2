#include "base/messages.h"

#include <atomic>
#include <mutex>
#include <set>

namespace labreport {
namespace {

std::atomic<bool> skipped_something = false;

}  // namespace

void say_to(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

void warn_once(const std::string& line) {
  static std::mutex mutex;
  static std::set<std::string> written;
  const std::lock_guard lock(mutex);
  if (written.insert(line).second) say("{}\n", line);
}

void skip(const std::string& line) {
  skipped_something = true;
  warn_once(line);
}

bool has_skipped() { return skipped_something; }

}  // namespace labreport
