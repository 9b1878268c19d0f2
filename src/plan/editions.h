// The two editions of the handout: their sizes, contexts and presets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// A named network. `shape.vocab` is the handout's 10,000 unless the user says otherwise.
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
  std::vector<std::int64_t> contexts;  ///< all that some problem of the edition uses
  std::int64_t reference_context = 512;
};

inline constexpr std::int64_t kHandoutVocab = 10'000;
inline constexpr std::int64_t kHandoutBatch = 4;

const std::vector<Edition>& editions();

/// Throws `InputError` with the valid names.
const Edition& find_edition(std::string_view name);

/// "mini=512,2048,8,8" (name=d_model,d_ff,layers,heads). Throws `InputError` naming the field that
/// is wrong: not a positive number, heads that do not divide d_model, an odd head width.
Size parse_size(std::string_view text, std::int64_t vocab);

/// Trainable parameters: embedding and untied output 2·V·d, a block 4·d² + 3·d·d_ff + 2·d, final
/// norm d.
std::int64_t parameter_count(const ModelShape& shape);

}  // namespace labreport
