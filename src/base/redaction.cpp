#include "base/redaction.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/machine.h"
#include "base/text.h"

namespace labreport {
namespace {

bool is_of_a_name(char letter) { return is_alnum(letter) || letter == '_' || letter == '-'; }

/// True for characters in one component of a path.
bool is_of_a_step(char letter) { return is_of_a_name(letter) || letter == '.'; }

/// Returns the neighboring character, or '\0' at either end.
char before(const std::string& text, std::size_t at) { return at == 0 ? '\0' : text[at - 1]; }
char behind(const std::string& text, std::size_t end) {
  return end == text.size() ? '\0' : text[end];
}

bool leads(char letter) { return letter == '/' || letter == '@'; }

/// Replaces each `name` that is a whole word and whose neighboring characters `counts` accepts.
void replace_words(std::string& text, const std::string& name, std::string_view by,
                   bool (*counts)(char before, char behind)) {
  if (name.empty()) return;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const char left = before(text, at);
    const char right = behind(text, at + name.size());
    if (is_of_a_name(left) || is_of_a_name(right) || !counts(left, right)) {
      ++at;
      continue;
    }
    text.replace(at, name.size(), by);
    at += by.size();
  }
}

/// Replaces the user's own home folder at a word's beginning: "/people/ada/x" → "~/x".
void replace_home(std::string& text, const std::string& home) {
  if (home.size() < 2) return;  // a service's home may be "/"
  replace_words(text, home, "~",
                [](char left, char right) { return left != '.' && right != '.' && left != '/'; });
}

/// Replaces anybody's home folder: `root` and the user's name after it become "~".
void replace_homes_below(std::string& text, std::string_view root) {
  for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root, at)) {
    std::size_t end = at + root.size();
    while (end < text.size() && is_of_a_step(text[end])) ++end;
    if (end == at + root.size() || is_of_a_step(before(text, at))) {
      ++at;
      continue;
    }
    text.replace(at, end - at, "~");
    ++at;
  }
}

bool is_part_of_an_address(char left, char right) { return leads(left) || leads(right); }

/// Returns the host's first label: "node1.cluster.edu" → "node1"; empty for a number, as in
/// "10.0.0.7".
std::string short_name(const std::string& host) {
  const std::string name = host.substr(0, host.find('.'));
  return std::ranges::all_of(name, is_digit) ? "" : name;
}

std::string without_names(std::string text, const PrivateNames& names,
                          bool (*host_counts)(char left, char right)) {
  replace_home(text, names.home);
  for (const std::string_view root : {"/home/", "/Users/"}) replace_homes_below(text, root);
  for (const std::string& host : {names.host, short_name(names.host)}) {
    replace_words(text, host, "HOST", host_counts);
  }
  replace_words(text, names.user, "USER", is_part_of_an_address);
  return text;
}

std::string home_folder(const passwd* entry) {
  const char* variable = std::getenv("HOME");
  std::string home = variable != nullptr ? variable : entry != nullptr ? entry->pw_dir : "";
  while (home.ends_with('/')) home.pop_back();
  return home;
}

}  // namespace

PrivateNames private_names() {
  const passwd* entry = ::getpwuid(::getuid());
  const char* user = std::getenv("USER");
  PrivateNames names{.home = home_folder(entry), .user = {}, .host = host_name()};
  names.user = entry != nullptr ? entry->pw_name : user != nullptr ? user : "";
  if (short_name(names.host) == "localhost") names.host.clear();
  return names;
}

std::string redacted(std::string text, const PrivateNames& names) {
  return without_names(std::move(text), names, [](char, char) { return true; });
}

std::string redacted_word(std::string word, const PrivateNames& names) {
  return without_names(std::move(word), names, is_part_of_an_address);
}

}  // namespace labreport
