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
constexpr char kTrue = '\x88', kFalse = '\x89';
constexpr char kEmptyList = ']', kAppend = 'e';
constexpr char kEmptyDict = '}', kSetItems = 'u';
constexpr char kPut = 'r', kGet = 'j';

constexpr int kLongBytes = 8, kInt32Bytes = 4;

}  // namespace

Pickle::Pickle() : bytes_("\x80\x02") {}

void Pickle::append_bytes(std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
}

void Pickle::write_integer(std::int64_t value) {
  const bool fits_int32 = value == static_cast<std::int32_t>(value);
  bytes_ += fits_int32 ? kInt32 : kLong;
  if (!fits_int32) bytes_ += static_cast<char>(kLongBytes);
  append_bytes(static_cast<std::uint64_t>(value), fits_int32 ? kInt32Bytes : kLongBytes);
}

void Pickle::write_text(std::string_view value) {
  const auto [known, is_new] = text_numbers_.try_emplace(std::string(value), next_number_);
  if (!is_new) return refer(known->second);
  bytes_ += kText;
  append_bytes(value.size(), kInt32Bytes);
  bytes_ += value;
  remember();
}

void Pickle::write_boolean(bool value) { bytes_ += value ? kTrue : kFalse; }

void Pickle::open_list() { bytes_ += {kEmptyList, kMark}; }

void Pickle::flush_list() { bytes_ += {kAppend, kMark}; }

void Pickle::close_list() { bytes_ += kAppend; }

void Pickle::open_dict() { bytes_ += {kEmptyDict, kMark}; }

void Pickle::close_dict() { bytes_ += kSetItems; }

std::uint32_t Pickle::remember() {
  bytes_ += kPut;
  append_bytes(next_number_, kInt32Bytes);
  return next_number_++;
}

void Pickle::refer(std::uint32_t number) {
  bytes_ += kGet;
  append_bytes(number, kInt32Bytes);
}

std::string Pickle::finish() && {
  bytes_ += kStop;
  return std::move(bytes_);
}

}  // namespace labreport
