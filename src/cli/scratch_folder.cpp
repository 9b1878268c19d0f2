#include "cli/scratch_folder.h"

#include <cstdlib>
#include <string>

#include "base/error.h"

namespace labreport {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::error_code absent;
  const fs::path above = fs::temp_directory_path(absent);
  // mkdtemp replaces the letters.
  std::string name = (absent ? above : fs::absolute(above)) / ("labreport-" + std::string(6, 'X'));
  if (absent || mkdtemp(name.data()) == nullptr) {
    throw Error("cannot make a temporary folder " + name, "set TMPDIR to a writable one");
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace labreport
