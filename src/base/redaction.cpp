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

bool is_name_letter(char letter) { return is_alnum(letter) || letter == '_' || letter == '-'; }

/// True for a character that a user's or folder's name may hold.
bool is_path_letter(char letter) { return is_name_letter(letter) || letter == '.'; }

/// Returns '\0' at the beginning of the text.
char char_before(const std::string& text, std::size_t at) { return at == 0 ? '\0' : text[at - 1]; }

/// Replaces `name` by `replacement` wherever it is a whole word and `is_match` accepts its
/// neighbors.
void replace_words(std::string& text, const std::string& name, std::string_view replacement,
                   bool (*is_match)(char left, char right)) {
  if (name.empty()) return;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const char left = char_before(text, at);
    const std::size_t end = at + name.size();
    const char right = end == text.size() ? '\0' : text[end];
    if (is_name_letter(left) || is_name_letter(right) || !is_match(left, right)) {
      ++at;
      continue;
    }
    text.replace(at, name.size(), replacement);
    at += replacement.size();
  }
}

/// Replaces everybody's home folder: `root` and the user's name after it become "~".
void replace_homes_below(std::string& text, std::string_view root) {
  for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root, at)) {
    std::size_t end = at + root.size();
    while (end < text.size() && is_path_letter(text[end])) ++end;
    if (end == at + root.size() || is_path_letter(char_before(text, at))) {
      ++at;
      continue;
    }
    text.replace(at, end - at, "~");
    ++at;
  }
}

bool is_in_address(char left, char right) {
  return left == '/' || left == '@' || right == '/' || right == '@';
}

/// Replaces the user's name in the components of paths and in addresses, where it may be one of
/// several words: "/scratch/ada-lab" → "/scratch/USER-lab".
void replace_user(std::string& text, const std::string& name) {
  if (name.empty()) return;
  constexpr std::string_view kUser = "USER";
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    std::size_t begin = at, end = at + name.size();
    const bool is_word =
        !is_alnum(char_before(text, at)) && !(end < text.size() && is_alnum(text[end]));
    while (begin > 0 && is_path_letter(text[begin - 1])) --begin;
    while (end < text.size() && is_path_letter(text[end])) ++end;
    if (!is_word ||
        !is_in_address(char_before(text, begin), end < text.size() ? text[end] : '\0')) {
      ++at;
      continue;
    }
    text.replace(at, name.size(), kUser);
    at += kUser.size();
  }
}

/// Returns the host's first label: "node1.cluster.edu" → "node1"; empty for a number, as in
/// "10.0.0.7".
std::string short_name(const std::string& host) {
  const std::string name = host.substr(0, host.find('.'));
  return std::ranges::all_of(name, is_digit) ? "" : name;
}

std::string without_names(std::string text, const PrivateNames& names,
                          bool (*is_host_between)(char left, char right)) {
  // The home "/" of a system service names nobody. Other homes are replaced at the beginning of a
  // path: "/people/ada/x" → "~/x".
  if (names.home.size() > 1) {
    replace_words(text, names.home, "~",
                  [](char left, char right) { return left != '.' && right != '.' && left != '/'; });
  }
  for (const std::string_view root : {"/home/", "/Users/"}) replace_homes_below(text, root);
  for (const std::string& host : {names.host, short_name(names.host)}) {
    replace_words(text, host, "HOST", is_host_between);
  }
  replace_user(text, names.user);
  return text;
}

}  // namespace

PrivateNames private_names() {
  const passwd* entry = ::getpwuid(::getuid());
  const char* home = std::getenv("HOME");
  const char* user = std::getenv("USER");
  PrivateNames names;
  names.home = home != nullptr ? home : entry != nullptr ? entry->pw_dir : "";
  while (names.home.ends_with('/')) names.home.pop_back();
  names.host = host_name();
  names.user = entry != nullptr ? entry->pw_name : user != nullptr ? user : "";
  if (short_name(names.host) == "localhost") names.host.clear();
  return names;
}

std::string redacted(std::string text, const PrivateNames& names) {
  return without_names(std::move(text), names, [](char, char) { return true; });
}

std::string redacted_word(std::string word, const PrivateNames& names) {
  return without_names(std::move(word), names, is_in_address);
}

}  // namespace labreport
