#include "publish/zip_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "orchestrate/worker_info.h"
#include "publish/helper_python.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

}  // namespace

void write_zip(const ZipFiles& files, const fs::path& zip) {
  constexpr const char* kList = "zip-list";
  // The list has a name and a path in turn, each with a null character at its end.
  constexpr const char* kCode =
      "import sys, zipfile\n"
      "with open(sys.argv[1], encoding='utf-8', errors='surrogateescape', newline='') as file:\n"
      "    words = iter(file.read().split('\\0')[:-1])\n"
      "try:\n"
      "    with zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_DEFLATED,\n"
      "                         strict_timestamps=False) as archive:\n"
      "        for name in words:\n"
      "            archive.write(next(words), name)\n"
      "except (OSError, ValueError) as error:\n"
      "    sys.exit(getattr(error, 'strerror', None) or str(error))\n";
  const fs::path folder = fs::absolute(zip).parent_path();
  std::string list;
  for (const auto& [name, path] : files) list += name + '\0' + fs::absolute(path).string() + '\0';
  write_atomically(folder / kList, list, Sync::kNothing);
  const CompletedProcess process =
      HelperPython(project_folder())
          .run(kCode, {kList, zip.filename().string()}, folder, {.seconds = 60});
  remove_tree(folder / kList);
  if (process.ok()) return;
  throw Error(fmt::format("cannot write {}: {}", zip.string(), last_lines(process.messages, 1)),
              "free some space, or choose another --out");
}

}  // namespace labreport
