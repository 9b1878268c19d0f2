// The two editions of the handout: their sizes, contexts and presets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// A named network. `shape.vocab` is the handout's 10,000 unless the user sets another.
struct Size {
  std::string name;
  ModelShape shape;

  bool operator==(const Size&) const = default;
};

struct Edition {
  std::string name;                    ///< "2025", "2026"
  std::string handout;                 ///< "1.0.x", "26.1.x"
  std::string section;                 ///< "1.1", "2.1"
  std::vector<Size> sizes;             ///< smallest first
  std::vector<std::int64_t> contexts;  ///< tokens; all that its problems use
  std::int64_t reference_context = 512;
};

inline constexpr std::int64_t kHandoutVocab = 10'000;
inline constexpr std::int64_t kHandoutBatch = 4;

const std::vector<Edition>& editions();

/// Throws `InputError` with the valid names if there is no such edition.
const Edition& find_edition(std::string_view name);

/// Parses "mini=512,2048,8,8" (name=d_model,d_ff,layers,heads). Throws `InputError` with the wrong
/// field: not a positive number, heads that do not divide d_model, or an odd head width.
Size parse_size(std::string_view text, std::int64_t vocab);

/// Returns the trainable parameters: 2·V·d for embedding and untied output, 4·d² + 3·d·d_ff + 2·d
/// for each block, and d for the final norm.
std::int64_t parameter_count(const ModelShape& shape);

}  // namespace labreport
