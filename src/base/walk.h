// What lies below a folder.
#pragma once

#include <filesystem>
#include <vector>

namespace labreport {

/// Every entry below `root`, links unfollowed, in no order. A folder that cannot be read is skipped
/// and told with its path (`skip`); one that is absent has nothing.
std::vector<std::filesystem::directory_entry> entries_below(const std::filesystem::path& root);

}  // namespace labreport
