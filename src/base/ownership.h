// Whose a file is: before a program takes others' words for its own.
#pragma once

#include <filesystem>
#include <string>

namespace labreport {

/// Why `path` itself, unfollowed where it is a link, cannot be trusted as this program is: it
/// belongs neither to the user, nor to root, nor to the program's owner, or others may write to it.
/// Empty where it can. Throws `InputError` where it cannot be looked at.
std::string distrust(const std::filesystem::path& path);

}  // namespace labreport
