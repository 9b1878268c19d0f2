// Names the training steps that problem `leaderboard` compares. A cell has such a name as its
// implementation.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "results/cell.h"

namespace labreport {

/// The steps of src/python/labreport_leaderboard.py, in BF16. Each keeps the changes of those
/// before it.
enum class LeaderboardRung {
  kReplicated,      ///< Every rank holds all state, and all-reduces average the gradients.
  kSharded,         ///< FSDP2 shards weights, gradients and AdamW's state, block by block.
  kCheckpointed,    ///< Backward computes each block again from its input.
  kFusedHead,       ///< Head and loss by chunks of tokens, with both gradients: no logits are kept.
  kCudnn,           ///< Attention by cuDNN's backend instead of flash's.
  kCompiled,        ///< torch.compile compiles each block and the loss of a chunk.
  kSavedAttention,  ///< Attention's outputs are kept instead of computed again.
  kSavedProducts,   ///< GEMMs' outputs, too, in as many blocks as the memory allows.
};
template <>
inline constexpr auto kEnumNames<LeaderboardRung> = enum_names<LeaderboardRung>(
    "rung", {{LeaderboardRung::kReplicated, "replicated", "replicated"},
             {LeaderboardRung::kSharded, "sharded", "FSDP"},
             {LeaderboardRung::kCheckpointed, "checkpointed", "checkpointed blocks"},
             {LeaderboardRung::kFusedHead, "fused_head", "head with loss"},
             {LeaderboardRung::kCudnn, "cudnn", "cuDNN attention"},
             {LeaderboardRung::kCompiled, "compiled", "torch.compile"},
             {LeaderboardRung::kSavedAttention, "saved_attention", "attention kept"},
             {LeaderboardRung::kSavedProducts, "saved_products", "GEMM outputs kept"}});

inline constexpr std::array kLeaderboardRungs{
    LeaderboardRung::kReplicated,     LeaderboardRung::kSharded,
    LeaderboardRung::kCheckpointed,   LeaderboardRung::kFusedHead,
    LeaderboardRung::kCudnn,          LeaderboardRung::kCompiled,
    LeaderboardRung::kSavedAttention, LeaderboardRung::kSavedProducts};

/// Returns "leaderboard-cudnn".
std::string implementation_of(LeaderboardRung rung);

/// Returns nothing for the steps of the user's.
std::optional<LeaderboardRung> leaderboard_rung(const CellSpec& spec);

}  // namespace labreport
