// Draws random numbers that a seed determines.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

namespace labreport::fuzz {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t count) { return count == 0 ? 0 : engine_() % count; }
  bool once_in(std::size_t count) { return below(count) == 0; }
  template <typename List>
  auto& one_of(List& list) {
    return list[below(list.size())];
  }
  void shuffle(nlohmann::json& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace labreport::fuzz
