// Reading JSON with a path for every complaint: "cells[3].params.context: expected an integer".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "results/bounds.h"
#include "results/json_document.h"

namespace labreport {

/// A value inside a document, its origin and its path. Holds a reference: the document must live,
/// where it is.
class JsonReader {
 public:
  JsonReader(const JsonDocument& document, std::string origin)
      : value_(document), root_(std::make_shared<const Root>(document, std::move(origin))) {}

  JsonReader at(std::string_view key) const;                    ///< Must be there.
  std::optional<JsonReader> maybe(std::string_view key) const;  ///< Absent or null: nothing.
  std::size_t count(std::size_t most = kMostItems) const;       ///< Of array elements.
  /// Array elements; at most `kMostItems`, as members are.
  void each(const std::function<void(const JsonReader&)>& visit,
            std::size_t most = kMostItems) const;
  void each_member(const std::function<void(const std::string&, const JsonReader&)>& visit) const;

  std::string text(std::size_t most = kMostText) const;  ///< Of at most so many bytes.
  std::int64_t integer() const;                          ///< At most `kMostInteger` away from 0.
  double real() const;  ///< At most `kMostReal` away from 0; an integer is one too.
  bool boolean() const;
  const JsonValue& raw() const { return value_; }

  /// "<origin>: <path>: expected <what>, found <what is there>"
  [[noreturn]] void expected(const std::string& what) const;
  [[noreturn]] void complain(const std::string& problem) const;

 private:
  using Root = std::pair<const JsonValue&, std::string>;  // the document and its origin

  JsonReader(const JsonValue& value, std::shared_ptr<const Root> root)
      : value_(value), root_(std::move(root)) {}
  const JsonValue* find(std::string_view key) const;
  std::string described() const;

  const JsonValue& value_;
  std::shared_ptr<const Root> root_;
};

}  // namespace labreport
