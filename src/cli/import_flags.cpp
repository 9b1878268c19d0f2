#include "cli/import_flags.h"

#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "cli/whole_number.h"

namespace labreport {
namespace {

constexpr std::size_t kLongestText = 500;

std::optional<std::int64_t> maybe_number(const std::string& flag,
                                         const std::optional<std::string>& text,
                                         std::int64_t least) {
  return text ? std::optional(whole_number(flag, *text, least)) : std::nullopt;
}

/// What the run keeps word for word.
std::string kept_text(const std::string& flag, const std::string& text) {
  if (text.size() > kLongestText || !is_utf8(text)) {
    throw InputError(flag + " is too long or no UTF-8", "give at most 500 bytes of text");
  }
  return text;
}

std::optional<Unit> parse_unit(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto unit = unit_named(*text);
  if (!unit || !is_time(*unit)) {
    refuse_unknown("unit", *text, std::vector<std::string>{"s", "ms", "us"});
  }
  return unit;
}

}  // namespace

Declared ImportFlags::declared() const {
  if (file.empty()) throw InputError("import needs a file", "name one that holds a table");
  if (gpu && gpu->empty()) throw InputError("--gpu is empty", "name the GPU, or leave it out");
  Declared said;
  if (gpu) said.gpu = kept_text("--gpu", *gpu);
  said.edition = edition;
  if (edition) find_edition(*edition);
  said.unit = parse_unit(unit);
  said.context = maybe_number("--context", context, 1);
  said.batch = maybe_number("--batch", batch, 1);
  said.warmup = maybe_number("--warmup", warmup, 0);
  said.steps = maybe_number("--steps", steps, 1);
  if (precision) said.precision = parse_precision(*precision);
  said.title = kept_text("--title", title);
  said.source = kept_text("--source-url", source_url);
  said.file = std::filesystem::path(file).filename().string();
  return said;
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
  verb.add_option("--context", flags.context, "context length");
  verb.add_option("--batch", flags.batch, "sequences a step (4)");
  verb.add_option("--precision", flags.precision, "fp32 (default), tf32, bf16 or fp16");
  verb.add_option("--warmup", flags.warmup, "steps before the timed ones (5)");
  verb.add_option("--steps", flags.steps, "timed steps (10)");
  verb.add_option("--table", flags.tables, "which of several tables: 2, or 1,2, or all");
  verb.add_option("--title", flags.title, "kept beside the numbers: whose they are");
  verb.add_option("--source-url", flags.source_url, "kept beside the numbers: where they stand");
  verb.add_option("--out", flags.out, "folder of runs (site/runs)");
}

}  // namespace labreport
