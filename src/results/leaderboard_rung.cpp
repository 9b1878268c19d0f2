#include "results/leaderboard_rung.h"

namespace labreport {

std::string implementation_of(LeaderboardRung rung) {
  return "leaderboard-" + std::string(name(rung));
}

std::optional<LeaderboardRung> leaderboard_rung(const CellSpec& spec) {
  for (const LeaderboardRung rung : kLeaderboardRungs) {
    if (spec.implementation == implementation_of(rung)) return rung;
  }
  return std::nullopt;
}

}  // namespace labreport
