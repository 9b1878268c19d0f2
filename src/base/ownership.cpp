#include "base/ownership.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace labreport {
namespace {

/// Whoever may replace this program can do anything with it already.
uid_t owner_of_this_program() {
  struct stat program{};
  return ::stat("/proc/self/exe", &program) == 0 ? program.st_uid : ::geteuid();
}

bool is_trusted(uid_t user) {
  return user == 0 || user == ::geteuid() || user == owner_of_this_program();
}

/// A group with the number of a trusted owner is, by custom, that owner's alone.
bool others_write(const struct stat& status) {
  if (S_ISLNK(status.st_mode)) return false;  // a link's mode says nothing
  const bool by_group = (status.st_mode & S_IWGRP) != 0 && !is_trusted(status.st_gid);
  return by_group || (status.st_mode & S_IWOTH) != 0;
}

}  // namespace

std::string distrust(const std::filesystem::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    throw InputError("cannot look at " + path.string() + ": " + std::strerror(errno),
                     "make it readable, or remove it");
  }
  if (!is_trusted(status.st_uid)) {
    return fmt::format("{} belongs to another user ({})", path.string(), status.st_uid);
  }
  return others_write(status) ? path.string() + " can be written by others" : "";
}

}  // namespace labreport
