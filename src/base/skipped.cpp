#include "base/skipped.h"

#include <atomic>

#include "base/messages.h"

namespace labreport {
namespace {

std::atomic<bool> skipped_something = false;

}  // namespace

void skip(const std::string& line) {
  skipped_something = true;
  warn_once(line);
}

bool has_skipped() { return skipped_something; }

}  // namespace labreport
