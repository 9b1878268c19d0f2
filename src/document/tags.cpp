#include "document/tags.h"

#include <vector>

#include "base/error.h"

namespace labreport {
namespace {

/// An open section: its name, and the facts that its body may use besides the outer ones.
struct OpenSection {
  std::string name;
  std::vector<const Facts*> items;
  bool unknowable = false;  ///< An empty list: nobody can say what its items hold.
};

class TagChecker {
 public:
  TagChecker(const Facts& facts, std::string_view where) : facts_(facts), where_(where) {}

  void check(std::string_view words) {
    for (std::size_t begin = words.find("{{"); begin != std::string_view::npos;
         begin = words.find("{{", begin)) {
      const std::size_t end = words.find("}}", begin);
      if (end == std::string_view::npos) fail(words.substr(begin, 20), "is not closed");
      check_tag(std::string(words.substr(begin + 2, end - begin - 2)));
      begin = end + 2;
    }
    if (!open_.empty()) fail("#" + open_.back().name, "has no closing tag");
  }

 private:
  void check_tag(const std::string& tag) {
    const char sigil = tag.empty() ? ' ' : tag.front();
    if (sigil == '#' || sigil == '^') return open(tag.substr(1), sigil == '^');
    if (sigil == '/') return close(tag.substr(1));
    if (std::string_view("{&>=!").find(sigil) != std::string_view::npos) {
      fail(tag, "is a kind of tag that words do not use");
    }
    for (const Facts::Entry* entry : find(tag)) {
      if (!std::holds_alternative<std::string>(*entry)) fail(tag, "is not text");
    }
  }

  void open(const std::string& name, bool inverted) {
    OpenSection section{.name = name, .items = {}, .unknowable = false};
    for (const Facts::Entry* entry : find(name)) {
      if (std::holds_alternative<std::string>(*entry)) fail(name, "is text, not a flag or a list");
      const auto* list = std::get_if<std::vector<Facts>>(entry);
      if (list == nullptr || inverted) continue;
      section.unknowable = list->empty();
      for (const Facts& item : *list) section.items.push_back(&item);
    }
    open_.push_back(section);
  }

  void close(const std::string& name) {
    if (open_.empty() || open_.back().name != name) fail("/" + name, "closes what is not open");
    open_.pop_back();
  }

  /// What `name` means here: one entry an item of the innermost list that has it, else the part's.
  std::vector<const Facts::Entry*> find(const std::string& name) const {
    for (auto section = open_.rbegin(); section != open_.rend(); ++section) {
      if (section->unknowable) return {};
      const auto entries = find_in_items(*section, name);
      if (!entries.empty()) return entries;
    }
    const auto found = facts_.entries().find(name);
    if (found == facts_.entries().end()) fail(name, "names no fact");
    return {&found->second};
  }

  std::vector<const Facts::Entry*> find_in_items(const OpenSection& section,
                                                 const std::string& name) const {
    std::vector<const Facts::Entry*> entries;
    for (const Facts* item : section.items) {
      const auto found = item->entries().find(name);
      if (found != item->entries().end()) entries.push_back(&found->second);
    }
    if (!entries.empty() && entries.size() != section.items.size()) {
      fail(name, "is missing from some items of '" + section.name + "'");
    }
    return entries;
  }

  [[noreturn]] void fail(std::string_view tag, const std::string& problem) const {
    throw Error(std::string(where_) + ": the tag '" + std::string(tag) + "' " + problem,
                "name a fact that the presenter sets");
  }

  const Facts& facts_;
  std::string_view where_;
  std::vector<OpenSection> open_;
};

}  // namespace

void check_tags(std::string_view words, const Facts& facts, std::string_view where) {
  TagChecker(facts, where).check(words);
}

}  // namespace labreport
