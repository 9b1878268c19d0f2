// Writes zip files.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace labreport {

/// Files and empty folders by their paths in a zip file.
using ZipFiles = std::map<std::string, std::filesystem::path>;

/// Writes the zip file, in a folder that no other process may use. A link is packed as the file to
/// which it leads. Throws `Error` with the reason if something cannot be read or written, or if
/// there is no Python.
void write_zip(const ZipFiles& files, const std::filesystem::path& zip);

}  // namespace labreport
