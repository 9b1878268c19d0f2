#include "measure/memory/pickle.h"

#include <utility>

namespace labreport {
namespace {

// These are opcodes of pickle protocol 2, which every Python can read.
constexpr char kMark = '(';
constexpr char kStop = '.';
constexpr char kInt32 = 'J';
constexpr char kLong = '\x8a';  // a length byte, then that many bytes
constexpr char kText = 'X';
constexpr char kTrue = '\x88';
constexpr char kFalse = '\x89';
constexpr char kEmptyList = ']';
constexpr char kAppend = 'e';
constexpr char kEmptyDict = '}';
constexpr char kSetItems = 'u';
constexpr char kPut = 'r';
constexpr char kGet = 'j';

constexpr int kLongBytes = 8;
constexpr int kNumberBytes = 4;

}  // namespace

Pickle::Pickle() : bytes_("\x80\x02") {}

void Pickle::bytes_of(std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
}

void Pickle::integer(std::int64_t value) {
  const bool small = value == static_cast<std::int32_t>(value);
  bytes_ += small ? kInt32 : kLong;
  if (!small) bytes_ += static_cast<char>(kLongBytes);
  bytes_of(static_cast<std::uint64_t>(value), small ? kNumberBytes : kLongBytes);
}

void Pickle::text(std::string_view value) {
  const auto [known, fresh] = texts_.try_emplace(std::string(value), next_);
  if (!fresh) return refer(known->second);
  bytes_ += kText;
  bytes_of(value.size(), kNumberBytes);
  bytes_ += value;
  remember();
}

void Pickle::boolean(bool value) { bytes_ += value ? kTrue : kFalse; }

void Pickle::open_list() { bytes_ += {kEmptyList, kMark}; }

void Pickle::flush_list() { bytes_ += {kAppend, kMark}; }

void Pickle::close_list() { bytes_ += kAppend; }

void Pickle::open_dict() { bytes_ += {kEmptyDict, kMark}; }

void Pickle::close_dict() { bytes_ += kSetItems; }

std::uint32_t Pickle::remember() {
  bytes_ += kPut;
  bytes_of(next_, kNumberBytes);
  return next_++;
}

void Pickle::refer(std::uint32_t number) {
  bytes_ += kGet;
  bytes_of(number, kNumberBytes);
}

std::string Pickle::finish() && {
  bytes_ += kStop;
  return std::move(bytes_);
}

}  // namespace labreport
