// Replaces libFuzzer if the compiler has none: runs the target on each file of a folder.
#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "fuzz/target.h"

namespace fs = std::filesystem;

int main(int count, char** arguments) {
  int files = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& entry : fs::directory_iterator(arguments[i])) {
      const std::string bytes = labreport::read_file(entry.path());
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++files;
    }
  }
  fmt::print("{} inputs\n", files);
  return files > 0 ? 0 : 1;
}
