#include "imports/row_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace labreport {
namespace {

constexpr std::int64_t kHandoutWarmup = 5;
constexpr std::int64_t kHandoutSteps = 10;
constexpr std::int64_t kLargest = 1'000'000'000;
constexpr std::string_view kHandouts = "as in the handout";

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all && value >= 0 && value <= kLargest ? std::optional(value) : std::nullopt;
}

const Edition* edition_named(const std::string& name) {
  const auto found = std::ranges::find(editions(), name, &Edition::name);
  return found == editions().end() ? nullptr : &*found;
}

}  // namespace

RowReader::RowReader(const TextTable& table, const std::vector<ImportColumn>& columns,
                     const Declared& declared, const std::string& edition, Readings& into)
    : columns_(columns),
      declared_(declared),
      edition_(edition),
      into_(into),
      nearby_context_(nearby_context(table)),
      nearby_unit_(unit_near(table.nearby)),
      nearby_batches_(batches_in(table.nearby)),
      nearby_precisions_(precisions_in(table.nearby)) {}

void RowReader::read(const TableRow& row) {
  row_ = &row;
  const auto leave_out = [&](const LeftOut& left) {
    into_.left_out[left.what()].push_back(row.line);
  };
  try {
    const Reading common = parameters();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool value =
          columns_[i].role == Role::kValue && columns_[i].meaning.statistic != Statistic::kStddev;
      if (!value) continue;
      try {
        read_value(i, common);
      } catch (const LeftOut& left) {
        leave_out(left);
      }
    }
  } catch (const LeftOut& left) {
    leave_out(left);
  }
}

std::string RowReader::text(Role role) const {
  const ImportColumn* column = find_column(columns_, role);
  if (column == nullptr) return "";
  return plain_cell(row_->cells.at(static_cast<std::size_t>(column - columns_.data())));
}

void RowReader::miss(const std::string& problem, const std::string& flag) {
  add_missing(into_.missing, {{problem, flag, row_->line}});
}

void RowReader::refuse(const std::string& problem, const std::string& remedy) const {
  refuse_line(declared_.file, row_->line, problem, remedy);
}

std::int64_t RowReader::number(Role role, std::optional<std::int64_t> declared,
                               std::string_view flag, std::optional<std::int64_t> assumed,
                               std::string_view whose) {
  const std::string written = text(role);
  if (has(role)) {
    if (written.empty()) throw LeftOut(fmt::format("no {} is given", flag));
    const auto value = whole(written);
    const bool positive = value && (*value > 0 || role == Role::kWarmup);
    if (!positive) refuse(fmt::format("{} {} is no whole number", flag, in_quotes(written)));
    return *value;
  }
  if (declared) return *declared;
  if (!assumed) {
    miss(fmt::format("neither the table nor the words above it say the {}", flag),
         fmt::format("--{} N", flag));
    return 1;  // Nothing of it is kept.
  }
  into_.assumed.insert(fmt::format("{} {}, {}: --{} says otherwise", flag, *assumed, whose, flag));
  return *assumed;
}

Reading RowReader::parameters() {
  Reading reading;
  reading.line = row_->line;
  // Rows that measure something else need no parameters.
  if (has(Role::kSubject)) {
    const Meaning meaning = meaning_of(words_of(text(Role::kSubject)));
    const std::string what = in_quotes(text(Role::kSubject));
    if (!meaning.refusal.empty()) throw LeftOut(what + ": " + meaning.refusal);
    if (!meaning.subject) throw LeftOut(what + " is no time of a pass or step and no peak");
  }
  reading.gpu = has(Role::kGpu) ? text(Role::kGpu) : declared_.gpu.value_or("");
  if (reading.gpu.empty()) {
    miss("nothing says on which GPU this was measured", "--gpu NAME");
  }
  reading.source = has(Role::kSource) ? text(Role::kSource) : declared_.source;
  reading.experiment = text(Role::kExperiment);
  set_network(reading);
  CellSpec& spec = reading.spec;
  const std::set<std::int64_t>& batches = nearby_batches_;
  if (batches.size() > 1 && !has(Role::kBatch) && !declared_.batch) {
    miss("the words above the table say several batches", "--batch N");
  }
  spec.batch = number(Role::kBatch, declared_.batch, "batch",
                      batches.empty() ? kHandoutBatch : *batches.begin(),
                      batches.empty() ? kHandouts : "from the words above the table");
  spec.context = number(Role::kContext, declared_.context, "context",
                        nearby_context_ ? std::optional(nearby_context_->context) : std::nullopt,
                        nearby_context_ ? nearby_context_->whose : "");
  spec.warmup = number(Role::kWarmup, declared_.warmup, "warmup", kHandoutWarmup, kHandouts);
  spec.steps = number(Role::kSteps, declared_.steps, "steps", kHandoutSteps, kHandouts);
  if (!is_countable(spec)) throw LeftOut("its tensors would have more bytes than can be counted");
  return reading;
}

void RowReader::set_network(Reading& reading) {
  reading.edition = has(Role::kEdition) ? text(Role::kEdition) : edition_;
  const Edition* edition = edition_named(reading.edition);
  if (edition == nullptr) throw LeftOut("no edition is called " + in_quotes(reading.edition));
  const std::string word = lower_case(text(Role::kSize));
  if (word.empty()) throw LeftOut("no size is given");
  const auto size = std::ranges::find_if(
      edition->sizes, [&](const Size& known) { return lower_case(known.name) == word; });
  if (size == edition->sizes.end()) {
    throw LeftOut(in_quotes(word) + " is no size of the " + edition->name + " edition");
  }
  reading.spec.size = size->name;
  reading.spec.model = size->shape;
  const ModelShape& shape = size->shape;
  for (const auto& [role, expected] :
       {std::pair(Role::kModelWidth, shape.d_model), std::pair(Role::kInnerWidth, shape.d_ff),
        std::pair(Role::kLayers, shape.layers), std::pair(Role::kHeads, shape.heads)}) {
    const std::string written = text(role);
    if (written.empty() || whole(written) == expected) continue;
    refuse(
        fmt::format("{} has {} {} in the {} edition, not {}", size->name,
                    find_column(columns_, role)->name, expected, edition->name, in_quotes(written)),
        "another network needs another name");
  }
}

}  // namespace labreport
