#include "plan/editions.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "results/bounds.h"
#include "results/run_labels.h"
#include "results/run_rules.h"

namespace labreport {
namespace {

constexpr std::size_t kShapeFields = 4;

Size make_size(std::string name, std::int64_t d_model, std::int64_t d_ff, std::int64_t layers,
               std::int64_t heads) {
  return {std::move(name), {d_model, d_ff, layers, heads, kHandoutVocab}};
}

std::int64_t parse_positive(const std::string& field_name, std::string_view text,
                            std::string_view size_text) {
  const auto value = parse_number<std::int64_t>(text);
  if (value && *value > 0) return *value;
  throw InputError("size '" + std::string(size_text) + "': " + field_name + " is '" +
                       std::string(text) + "', not a positive number",
                   "write NAME=d_model,d_ff,layers,heads");
}

void check_heads(const ModelShape& shape, std::string_view size_text) {
  const std::string subject = "size '" + std::string(size_text) + "': ";
  if (shape.d_model % shape.heads != 0) {
    throw InputError(subject + std::to_string(shape.heads) + " heads do not divide d_model " +
                         std::to_string(shape.d_model),
                     "choose a number of heads that does");
  }
  const std::int64_t head_width = shape.d_model / shape.heads;
  if (head_width % 2 != 0) {
    throw InputError(subject + "a head is " + std::to_string(head_width) +
                         " wide, but rotary embedding turns pairs",
                     "choose d_model / heads even");
  }
}

}  // namespace

const std::vector<Edition>& editions() {
  static const std::vector<Edition> all = [] {
    const std::vector<Size> shared_sizes{make_size("small", 768, 3072, 12, 12),
                                         make_size("medium", 1024, 4096, 24, 16),
                                         make_size("large", 1280, 5120, 36, 20)};
    Edition spring_2025{.name = std::string(kEdition2025),
                        .section = "1.1",
                        .sizes = shared_sizes,
                        .contexts = {128, 256, 512, 1024}};
    spring_2025.sizes.push_back(make_size("xl", 1600, 6400, 48, 25));
    spring_2025.sizes.push_back(make_size("2.7B", 2560, 10240, 32, 32));
    Edition spring_2026{.name = std::string(kEdition2026),
                        .section = "2.1",
                        .sizes = shared_sizes,
                        .contexts = {128, 512, 2048}};
    spring_2026.sizes.push_back(make_size("xl", 2560, 10240, 32, 32));
    spring_2026.sizes.push_back(make_size("10B", 4608, 12288, 50, 36));
    return std::vector<Edition>{spring_2025, spring_2026};
  }();
  return all;
}

const Edition& find_edition(std::string_view name) {
  std::vector<std::string> names;
  for (const Edition& edition : editions()) {
    if (edition.name == name) return edition;
    names.push_back(edition.name);
  }
  refuse_unknown("edition", name, names);
}

Size parse_size(std::string_view text, std::int64_t vocab) {
  const std::size_t equals = text.find('=');
  const std::vector<std::string> fields =
      equals == text.npos ? std::vector<std::string>{} : split(text.substr(equals + 1), ',');
  if (equals == 0 || fields.size() != kShapeFields) {
    throw InputError(
        "size '" + std::string(text) + "' is not of the form NAME=d_model,d_ff,layers,heads",
        "for example mini=512,2048,8,8");
  }
  if (equals > kMaxLabelBytes || has_control_character(text)) {
    throw InputError(fmt::format("the name of a size has more than {} bytes, or control characters",
                                 kMaxLabelBytes),
                     "give it a short name, for example mini=512,2048,8,8");
  }
  const ModelShape shape{.d_model = parse_positive("d_model", fields[0], text),
                         .d_ff = parse_positive("d_ff", fields[1], text),
                         .layers = parse_positive("layers", fields[2], text),
                         .heads = parse_positive("heads", fields[3], text),
                         .vocab = vocab};
  check_heads(shape, text);
  return {std::string(text.substr(0, equals)), shape};
}

std::int64_t parameter_count(const ModelShape& shape) {
  const std::int64_t d = shape.d_model;
  const std::int64_t block_parameters = 4 * d * d + 3 * d * shape.d_ff + 2 * d;
  return 2 * shape.vocab * d + shape.layers * block_parameters + d;
}

}  // namespace labreport
