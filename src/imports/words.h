// What the words of headers and cells mean.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// Lower-case words: "avgForward (ms)" → avg, forward, ms; "µs" is "us", "σ" is "std".
std::vector<std::string> words_of(std::string_view text);

/// A cell without Markdown's emphasis, code marks and dollars: "**small**" → "small".
std::string plain_cell(std::string_view text);

std::string lower_case(std::string_view text);

/// For messages: control characters shown as "?", cut after 60 bytes, between quotes.
std::string in_quotes(std::string_view text);

/// yes, true, 1 … and their opposites; nothing for other words.
std::optional<bool> parse_yes_no(std::string_view text);

/// "fp32", "float32", "torch.bfloat16", "full", "mixed precision bf16".
std::optional<Precision> precision_named(std::string_view text);

enum class Unit { kSeconds, kMilliseconds, kMicroseconds, kNanoseconds, kGibibytes, kMebibytes };

/// "ms", "sec", "µs", "GiB" as one word. "GB" is none: it has two meanings.
std::optional<Unit> unit_named(std::string_view word);
bool is_time(Unit unit);
double nanoseconds_or_bytes(Unit unit);  ///< In one of the unit.
std::string_view name(Unit unit);

/// The one unit of time that a caption names, as "(ms)" or "in milliseconds"; nothing if it names
/// none or several.
std::optional<Unit> unit_near(std::string_view caption);

/// "context_length=256", "context length of 512", "seq_len: 128" in a caption.
std::set<std::int64_t> contexts_in(std::string_view caption);

/// "all in BF16", "float32" in a caption, by their exact names: "mixed" or "half" may mean several.
std::set<Precision> precisions_in(std::string_view caption);

/// "batch_size=8", "batch of 4", "batch size: 2" in a caption.
std::set<std::int64_t> batches_in(std::string_view caption);

}  // namespace labreport
