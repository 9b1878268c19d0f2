#include "cli/import_flags.h"

#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "cli/flags.h"
#include "plan/editions.h"

namespace labreport {
namespace {

constexpr std::size_t kLongestText = 500;

/// What the run keeps word for word.
std::string kept_text(const std::string& flag, const std::string& text) {
  if (text.size() > kLongestText || !is_utf8(text)) {
    throw InputError(flag + " is too long or no UTF-8", "give at most 500 bytes of text");
  }
  return text;
}

std::string gpu_name(const std::string& flag, const std::string& text) {
  if (text.empty()) throw InputError(flag + " is empty", "name the GPU, or leave it out");
  return kept_text(flag, text);
}

std::string checked_unit(const std::string&, const std::string& text) {
  const Unit* unit = unit_named(text);
  if (unit != nullptr && unit->time) return text;
  refuse_unknown("unit", text, std::vector<std::string>{"s", "ms", "us"});
}

template <int least>
std::string checked_number(const std::string& flag, const std::string& text) {
  return std::to_string(whole_number(flag, text, least));
}

/// A flag that says what a column would, and the check of its text.
struct FactFlag {
  Role role;
  const char* name;
  const char* help;
  std::string (*checked)(const std::string& flag, const std::string& text);
};
constexpr auto kFactFlags = std::to_array<FactFlag>({
    {Role::kGpu, "--gpu", "the GPU it was measured on, where the table does not say", gpu_name},
    {Role::kEdition, "--edition", "2025 or 2026: whose sizes the names mean",
     [](const auto&, const auto& text) { return find_edition(text).name; }},
    {Role::kUnit, "--unit", "s, ms or us, where the table does not say", checked_unit},
    {Role::kContext, "--context", "context length", checked_number<1>},
    {Role::kBatch, "--batch", "sequences a step (4)", checked_number<1>},
    {Role::kPrecision, "--precision", "fp32, tf32, bf16 or fp16",
     [](const auto&, const auto& text) { return std::string(name(parse_precision(text))); }},
    {Role::kWarmup, "--warmup", "steps before the timed ones (5)", checked_number<0>},
    {Role::kSteps, "--steps", "timed steps (10)", checked_number<1>},
    {Role::kSource, "--source-url", "kept beside the numbers: where they stand", kept_text},
});

}  // namespace

Declared ImportFlags::declared() const {
  if (file.empty()) throw InputError("import needs a file", "name one that holds a table");
  Declared said{{}, kept_text("--title", title), std::filesystem::path(file).filename().string()};
  for (const FactFlag& flag : kFactFlags) {
    const auto text = facts.find(flag.role);
    if (text != facts.end()) said.facts[flag.role] = flag.checked(flag.name, text->second);
  }
  return said;
}

Mapped ImportFlags::mapped() const {
  Mapped mapped;
  for (const std::string& map : maps) {
    const std::size_t at = map.rfind('=');
    if (at == map.npos) throw InputError("--map " + map + " has no '='", "write COLUMN=MEANING");
    const std::string meaning = map.substr(at + 1);
    if (!meaning_of(meaning)) {
      throw InputError("--map " + map + ": " + in_quotes(meaning) + " is no meaning",
                       "there are " + join(vocabulary(), ", ") +
                           "; with _std behind a time, and a precision and a unit");
    }
    if (!mapped.emplace(map.substr(0, at), meaning).second) {
      throw InputError("--map " + map + ": the column has a meaning already", "give it one");
    }
  }
  return mapped;
}

std::vector<std::size_t> ImportFlags::table_numbers() const {
  std::vector<std::size_t> numbers;
  if (tables.empty() || all_tables()) return numbers;
  for (const std::string& word : split(tables, ',')) {
    numbers.push_back(static_cast<std::size_t>(whole_number("--table", word, 1)));
  }
  return numbers;
}

void add_import_flags(CLI::App& verb, ImportFlags& flags) {
  verb.add_option("file", flags.file, "FILE: Markdown, CSV, or any text that holds a table");
  for (const FactFlag& flag : kFactFlags) {
    verb.add_option_function<std::string>(
        flag.name, [&](const std::string& text) { flags.facts[flag.role] = text; }, flag.help);
  }
  verb.add_option("--map", flags.maps,
                  "COLUMN=MEANING: what a column is that is not understood; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--table", flags.tables, "which of several tables: 2, or 1,2, or all");
  verb.add_option("--title", flags.title, "kept beside the numbers: whose they are");
  verb.add_option("--out", flags.out, "folder of runs (site/runs)");
}

}  // namespace labreport
