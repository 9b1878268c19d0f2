// Reading JSON with a path for every complaint: "cells[3].params.context: expected an integer".
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace labreport {

using Json = nlohmann::ordered_json;

/// Parses text, naming `origin` and the line when it is not JSON. Throws `InputError`.
Json parse_json(std::string_view text, const std::string& origin);

/// A value inside a document, its origin and its path. Holds a reference: the document must live.
class JsonReader {
 public:
  JsonReader(const Json& value, std::string origin) : value_(value), origin_(std::move(origin)) {}

  JsonReader at(const std::string& key) const;                    ///< Must be there.
  std::optional<JsonReader> maybe(const std::string& key) const;  ///< Absent or null: nothing.
  void each(const std::function<void(const JsonReader&)>& visit) const;  ///< Array elements.
  void each_member(const std::function<void(const std::string&, const JsonReader&)>& visit) const;

  std::string text() const;
  std::int64_t integer() const;
  double real() const;  ///< An integer is a real number too.
  bool boolean() const;
  const Json& raw() const { return value_; }

  /// "<origin>: <path>: expected <what>, found <what is there>"
  [[noreturn]] void expected(const std::string& what) const;
  [[noreturn]] void complain(const std::string& problem) const;

 private:
  JsonReader(const Json& value, std::string origin, std::string path)
      : value_(value), origin_(std::move(origin)), path_(std::move(path)) {}
  JsonReader child(const Json& value, const std::string& step) const;
  std::string described() const;

  const Json& value_;
  std::string origin_;
  std::string path_;
};

}  // namespace labreport
