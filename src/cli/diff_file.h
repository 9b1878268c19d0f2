// A comparison on its way to where the user wants it.
#pragma once

#include <filesystem>
#include <string>

namespace labreport {

/// Throws `InputError` where the file is there and is no comparison that this program wrote, unless
/// `force`.
void write_diff(const std::string& text, const std::filesystem::path& file, bool force);

}  // namespace labreport
