// Writes numbers in the sentences of pages over several runs, where each carries its key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/value.h"

namespace labreport {

/// Returns "108 ms"; "3.72×".
std::string with_unit(const std::string& number, const std::string& unit);

/// Formats milliseconds with three digits, or with four so that whole ones are not rounded.
Notation brief_ms(double ms);

/// Formats milliseconds as `brief_ms`, or with four digits if the quotient of brief times is not
/// the ratio that stands beside them: 108.5 and 124.8 ms are 1.15×, 108 and 125 ms would be 1.16×.
Notation compared_ms(double ms, double other);

/// Returns Markdown of `text`, which shows the value's number: a link whose address contains the
/// number and its key. Only the pages' HTML writer knows such addresses.
std::string keyed_number(const std::string& text, const Value& value);

/// Returns the ratio with two decimals, as Markdown: "2.63×".
std::string keyed_ratio(const Value& ratio);

/// Returns the Markdown without the links of `keyed_number`, of which their words stay.
std::string without_keys(std::string markdown);

/// The number and the key in an address that `keyed_number` made.
struct KeyedAddress {
  std::string number, key;
};

/// Reads an address; nothing if `keyed_number` did not make it.
std::optional<KeyedAddress> keyed_address(std::string_view address);

}  // namespace labreport
