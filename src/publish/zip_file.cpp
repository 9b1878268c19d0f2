#include "publish/zip_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "orchestrate/worker_info.h"
#include "publish/helper_python.h"
#include "publish/scratch_folder.h"

namespace labreport {

void write_zip(const ZipFiles& files, const std::filesystem::path& zip) {
  // The file "list" has a name and a path in turn, each with a null character at its end.
  constexpr const char* kCode =
      "import sys, zipfile\n"
      "with open('list', encoding='utf-8', errors='surrogateescape', newline='') as file:\n"
      "    words = iter(file.read().split('\\0')[:-1])\n"
      "try:\n"
      "    with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED,\n"
      "                         strict_timestamps=False) as archive:\n"
      "        for name in words:\n"
      "            archive.write(next(words), name)\n"
      "except (OSError, ValueError) as error:\n"
      "    sys.exit(getattr(error, 'strerror', None) or str(error))\n";
  const ScratchFolder scratch;
  std::string list;
  for (const auto& [name, path] : files)
    list += name + '\0' + std::filesystem::absolute(path).string() + '\0';
  write_atomically(scratch.path() / "list", list, Sync::kNothing);
  const CompletedProcess process =
      HelperPython(project_folder())
          .run(kCode, {std::filesystem::absolute(zip).string()}, scratch.path(), {.seconds = 60});
  if (process.ok()) return;
  throw Error(fmt::format("cannot write {}: {}", zip.string(), last_lines(process.messages, 1)),
              "free some space, or choose another --out");
}

}  // namespace labreport
