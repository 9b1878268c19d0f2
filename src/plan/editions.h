// Defines the two editions of the course handout, with their model sizes and context lengths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// A model size of the handout, or one that the user defines.
struct Size {
  std::string name;
  ModelShape shape;

  bool operator==(const Size&) const = default;
};

struct Edition {
  std::string name;                    ///< "2025", "2026"
  std::string section;                 ///< The handout's section on profiling: "1.1", "2.1"
  std::vector<Size> sizes;             ///< The smallest size comes first.
  std::vector<std::int64_t> contexts;  ///< Sequence lengths in tokens of all problems.
  std::int64_t reference_context = 512;
};

inline constexpr std::int64_t kHandoutVocab = 10'000;
inline constexpr std::int64_t kHandoutBatch = 4;

const std::vector<Edition>& editions();

/// Returns the edition "2025" or "2026". Throws `InputError` with the valid names for other names.
const Edition& find_edition(std::string_view name);

/// Parses "mini=512,2048,8,8" (name=d_model,d_ff,layers,heads). Throws `InputError` if a field is
/// not a positive number, if the heads do not divide d_model, or if the width of a head is odd.
Size parse_size(std::string_view text, std::int64_t vocab);

/// Returns the trainable parameters: 2·V·d for embedding and untied output, 4·d² + 3·d·d_ff + 2·d
/// for each block, and d for the final norm.
std::int64_t parameter_count(const ModelShape& shape);

}  // namespace labreport
