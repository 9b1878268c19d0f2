#include "base/named_file.h"

#include <sys/stat.h>

#include <cstring>
#include <string>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

bool is_stream(fs::file_type type) {
  return type == fs::file_type::fifo || type == fs::file_type::character;
}

[[noreturn]] void refuse_to_write(const fs::path& path, const std::string& kind) {
  throw InputError("cannot write " + path.string() + ": it is " + kind, "name a file");
}

/// True if the link's target is in the link's own folder.
bool is_target_beside(const fs::path& link) {
  std::error_code error;
  const fs::path target = fs::canonical(link, error);
  if (error) return false;
  const fs::path parent = link.parent_path();
  const fs::path folder = fs::canonical(parent.empty() ? fs::path(".") : parent, error);
  return !error && target.parent_path() == folder;
}

}  // namespace

NamedFile named_file(const fs::path& named) {
  std::error_code error;
  const bool is_link = fs::is_symlink(fs::symlink_status(named, error));
  const fs::file_type type = fs::status(named, error).type();
  if (is_stream(type)) return {named, true};
  if (type == fs::file_type::directory) refuse_to_write(named, "a folder");
  if (type == fs::file_type::block) refuse_to_write(named, "a block device");
  if (is_link && !is_target_beside(named)) {
    refuse_to_write(named, "a link that leads to another folder or nowhere");
  }
  const bool is_file = type == fs::file_type::regular || type == fs::file_type::not_found ||
                       type == fs::file_type::none;  // The write reports the reason.
  if (!is_file) refuse_to_write(named, "no plain file");
  return {is_link ? fs::canonical(named) : named};
}

void write_named(const NamedFile& file, std::string_view bytes) {
  if (!file.is_stream) return write_atomically(file.path, bytes);
  const Descriptor stream(file.path, O_WRONLY | O_NOCTTY);
  struct stat status{};
  const bool is_still_stream = stream.is_open() && ::fstat(stream.get(), &status) == 0 &&
                               (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  if (is_still_stream && write_all(stream.get(), bytes)) return;
  throw InputError("cannot write " + file.path.string() + ": " + std::strerror(errno));
}

}  // namespace labreport
