#include "cli/diff_file.h"

#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/named_file.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

bool holds(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

/// By what every comparison says, in each format.
bool is_diff(const fs::path& file) {
  const std::string text = read_file(file);
  const bool words = holds(text, " cells match, ") && holds(text, " only in A, ");
  return words || (text.starts_with("{\n  \"schema_version\": ") && holds(text, "\"only_a\": "));
}

}  // namespace

void write_diff(const std::string& text, const fs::path& file, bool force) {
  const NamedFile named = named_file(file);
  if (fs::is_regular_file(named.path) && !force && !is_diff(named.path)) {
    throw InputError(file.string() + " is in the way: it is no comparison that this program wrote",
                     "choose another --out, or overwrite it with --force");
  }
  write_named(named, text);
}

}  // namespace labreport
