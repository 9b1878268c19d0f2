#include "cli/import_flags.h"

#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "cli/whole_number.h"
#include "imports/words.h"

namespace labreport {
namespace {

constexpr std::size_t kLongestText = 500;

std::string checked_number(const std::string& flag, const std::string& text, std::int64_t least) {
  return std::to_string(whole_number(flag, text, least));
}

/// What the run keeps word for word.
std::string kept_text(const std::string& flag, const std::string& text) {
  if (text.size() > kLongestText || !is_utf8(text)) {
    throw InputError(flag + " is too long or no UTF-8", "give at most 500 bytes of text");
  }
  return text;
}

std::string checked_unit(const std::string& text) {
  const Unit* unit = unit_named(text);
  if (unit != nullptr && unit->time) return text;
  refuse_unknown("unit", text, std::vector<std::string>{"s", "ms", "us"});
}

}  // namespace

Declared ImportFlags::declared() const {
  if (file.empty()) throw InputError("import needs a file", "name one that holds a table");
  if (gpu && gpu->empty()) throw InputError("--gpu is empty", "name the GPU, or leave it out");
  Declared said;
  const auto keep = [&](Role role, const std::optional<std::string>& flag, const auto& checked) {
    if (flag) said.facts[role] = checked(*flag);
  };
  const auto keep_number = [&](Role role, const std::string& name, const auto& flag, int least) {
    keep(role, flag, [&](const std::string& text) { return checked_number(name, text, least); });
  };
  keep(Role::kGpu, gpu, [](const std::string& text) { return kept_text("--gpu", text); });
  keep(Role::kEdition, edition, [](const std::string& text) { return find_edition(text).name; });
  keep(Role::kUnit, unit, checked_unit);
  keep(Role::kPrecision, precision,
       [](const std::string& text) { return std::string(name(parse_precision(text))); });
  keep_number(Role::kContext, "--context", context, 1);
  keep_number(Role::kBatch, "--batch", batch, 1);
  keep_number(Role::kWarmup, "--warmup", warmup, 0);
  keep_number(Role::kSteps, "--steps", steps, 1);
  if (!source_url.empty()) said.facts[Role::kSource] = kept_text("--source-url", source_url);
  said.title = kept_text("--title", title);
  said.file = std::filesystem::path(file).filename().string();
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
  if (!tables || all_tables()) return numbers;
  for (const std::string& word : split(*tables, ',')) {
    numbers.push_back(static_cast<std::size_t>(whole_number("--table", word, 1)));
  }
  return numbers;
}

void add_import_flags(CLI::App& verb, ImportFlags& flags) {
  verb.add_option("file", flags.file, "FILE: Markdown, CSV, or any text that holds a table");
  verb.add_option("--gpu", flags.gpu, "the GPU it was measured on, where the table does not say");
  verb.add_option("--edition", flags.edition, "2025 or 2026: whose sizes the names mean");
  verb.add_option("--unit", flags.unit, "s, ms or us, where the table does not say");
  verb.add_option("--map", flags.maps,
                  "COLUMN=MEANING: what a column is that is not understood; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--context", flags.context, "context length");
  verb.add_option("--batch", flags.batch, "sequences a step (4)");
  verb.add_option("--precision", flags.precision, "fp32, tf32, bf16 or fp16");
  verb.add_option("--warmup", flags.warmup, "steps before the timed ones (5)");
  verb.add_option("--steps", flags.steps, "timed steps (10)");
  verb.add_option("--table", flags.tables, "which of several tables: 2, or 1,2, or all");
  verb.add_option("--title", flags.title, "kept beside the numbers: whose they are");
  verb.add_option("--source-url", flags.source_url, "kept beside the numbers: where they stand");
  verb.add_option("--out", flags.out, "folder of runs (site/runs)");
}

}  // namespace labreport
