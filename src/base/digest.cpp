#include "base/digest.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/base64.h"

namespace labreport {
namespace {

using Words = std::array<std::uint32_t, 8>;

constexpr std::array<std::uint32_t, 64> kPrimes = {
    2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,
    59,  61,  67,  71,  73,  79,  83,  89,  97,  101, 103, 107, 109, 113, 127, 131,
    137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223,
    227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311};

/// The first 32 bits of a root's fraction: where the standard takes its constants from.
std::uint32_t fraction(double root) {
  return static_cast<std::uint32_t>((root - std::floor(root)) * 0x1p32);
}

Words first_state() {
  Words state{};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = fraction(std::sqrt(kPrimes[i]));
  return state;
}

const std::array<std::uint32_t, 64>& round_constants() {
  static const auto constants = [] {
    std::array<std::uint32_t, 64> made{};
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = fraction(std::cbrt(kPrimes[i]));
    return made;
  }();
  return constants;
}

std::uint32_t mixed(std::uint32_t word, int a, int b, int c) {
  return std::rotr(word, a) ^ std::rotr(word, b) ^ std::rotr(word, c);
}

std::array<std::uint32_t, 64> schedule(std::string_view block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 64; ++i) {
    w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(block[i]);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t low = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const std::uint32_t high = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  return w;
}

void take_in(Words& state, std::string_view block) {
  const auto w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t one =
        h + mixed(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + round_constants()[i] + w[i];
    const std::uint32_t two = mixed(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
  }
  const Words end = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += end[i];
}

/// The message's end as the standard pads it: a bit, zeros, the length in bits.
std::string padded_tail(std::string_view tail, std::uint64_t bytes) {
  std::string padded(tail);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bytes * 8 >> shift);
  return padded;
}

}  // namespace

std::string sha256_base64(std::string_view bytes) {
  Words state = first_state();
  const std::size_t whole = bytes.size() / 64 * 64;
  for (std::size_t at = 0; at < whole; at += 64) take_in(state, bytes.substr(at, 64));
  const std::string tail = padded_tail(bytes.substr(whole), bytes.size());
  for (std::size_t at = 0; at < tail.size(); at += 64) {
    take_in(state, std::string_view(tail).substr(at, 64));
  }
  std::string digest;
  for (const std::uint32_t word : state) {
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
  }
  return base64(digest);
}

}  // namespace labreport
