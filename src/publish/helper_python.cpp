#include "publish/helper_python.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/messages.h"
#include "base/text.h"
#include "orchestrate/subprocess_interrupts.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// Returns true for root, the user and this program's owner, who could replace the program anyway.
bool is_trusted(uid_t user) {
  struct stat program{};
  const bool has_owner = ::stat("/proc/self/exe", &program) == 0;
  return user == 0 || user == ::geteuid() || (has_owner && user == program.st_uid);
}

/// Says why `path` cannot be trusted: its owner is not trusted, or others may write to it. Returns
/// an empty text if it is trusted. Does not follow a link. Throws `InputError` if it cannot be
/// inspected.
std::string reason_to_distrust(const fs::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    throw InputError("cannot look at " + path.string() + ": " + std::strerror(errno),
                     "make it readable, or remove it");
  }
  if (!is_trusted(status.st_uid)) {
    return fmt::format("{} belongs to another user ({})", path.string(), status.st_uid);
  }
  if (S_ISLNK(status.st_mode)) return "";  // A link's mode has no meaning.
  // A group with the number of a trusted user is that user's own group, so it is checked as a user.
  const bool group_may_write = (status.st_mode & S_IWGRP) != 0 && !is_trusted(status.st_gid);
  const bool others_may_write = group_may_write || (status.st_mode & S_IWOTH) != 0;
  return others_may_write ? path.string() + " can be written by others" : "";
}

std::string getenv_text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::exists(status) || status.type() == fs::file_type::not_found) return fs::exists(status);
  throw InputError("cannot look at " + path.string() + ": " + error.message(),
                   "make it readable, or remove it");
}

/// Lists what is checked before Python starts, down to the entries of site-packages.
std::vector<fs::path> executed_paths(const fs::path& environment) {
  std::vector<fs::path> paths{environment, environment / "bin", environment / "bin" / "python"};
  for (const char* name : {"pyvenv.cfg", "lib"}) {
    if (is_there(environment / name)) paths.push_back(environment / name);
  }
  std::error_code ignored_error;
  for (const auto& python_folder : fs::directory_iterator(environment / "lib", ignored_error)) {
    const fs::path packages = python_folder.path() / "site-packages";
    if (!is_there(packages)) continue;
    paths.insert(paths.end(), {python_folder.path(), packages});
    for (const auto& module : fs::directory_iterator(packages, ignored_error)) {
      paths.push_back(module.path());
    }
  }
  return paths;
}

/// Returns the Python of the project's `.venv`; empty if there is none. Throws `InputError` if a
/// part of the environment cannot be trusted.
fs::path venv_python(const fs::path& project) {
  const fs::path environment = project / ".venv";
  const fs::path python = environment / "bin" / "python";
  if (!project.is_absolute() || !is_there(environment) || !is_there(python)) return {};
  if (::access(python.c_str(), X_OK) != 0) {
    throw InputError("cannot start " + python.string() + ": " + std::strerror(errno),
                     "make it executable, or remove .venv and run setup/install render");
  }
  for (const fs::path& path : executed_paths(environment)) {
    if (const std::string reason = reason_to_distrust(path); !reason.empty()) {
      throw InputError(reason + ", and nothing there is executed",
                       "make it your own and nobody else's to write, or remove it");
    }
  }
  return python;
}

fs::path python_on_path() {
  for (const fs::path folder : split(getenv_text("PATH"), ':')) {
    const fs::path python = folder / "python3";
    if (folder.is_absolute() && ::access(python.c_str(), X_OK) == 0) return python;
  }
  return {};
}

fs::path user_cache_folder() {
  if (const fs::path cache = getenv_text("XDG_CACHE_HOME"); cache.is_absolute()) {
    return cache / "labreport";
  }
  fs::path home = getenv_text("HOME");
  const passwd* user = home.is_absolute() ? nullptr : ::getpwuid(::geteuid());
  if (user != nullptr && user->pw_dir != nullptr) home = user->pw_dir;
  return home.is_absolute() ? home / ".cache" / "labreport" : fs::path();
}

/// Returns true if the folder can be trusted, or if it is absent and this program will make it.
bool is_ours(const fs::path& folder) {
  try {
    return !is_there(folder) || reason_to_distrust(folder).empty();
  } catch (const InputError&) {
    return false;
  }
}

/// Reads a number above 0 and up to `maximum` from an environment variable. Returns `default_value`
/// if the variable is not set. Throws `InputError` for any other value.
template <typename Number>
Number positive_variable(const char* name, Number default_value, Number maximum) {
  const char* text = std::getenv(name);
  if (text == nullptr) return default_value;
  const std::string_view digits = text;
  Number number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size() || !(number > 0) ||
      number > maximum) {
    throw InputError(std::string(name) + " is '" + text + "'", "give a number above 0");
  }
  return number;
}

}  // namespace

HelperPython::HelperPython(const fs::path& project) {
  try {
    program_ = venv_python(project);
  } catch (const InputError& error) {
    problem_ = error.what();
    skip(problem_);
  }
  if (program_.empty()) program_ = python_on_path();
  if (program_.empty() && problem_.empty()) problem_ = "there is no python3 on PATH";
}

CompletedProcess HelperPython::run(const std::string& code,
                                   const std::vector<std::string>& arguments,
                                   const fs::path& folder, const HelperLimits& limits) const {
  HeldInterrupts::throw_if_interrupted();
  if (program_.empty()) throw Error(problem_);
  Command command;
  command.argv = {program_, "-I", "-c", code};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  std::map<std::string, std::string> environment{{"PATH", "/usr/bin:/bin"},
                                                 {"LANG", "C.UTF-8"},
                                                 {"HOME", folder.string()},
                                                 {"TMPDIR", folder.string()}};
  // Python may need LD_LIBRARY_PATH to start; site/typeset.py reads the other two variables.
  for (const char* name :
       {"LD_LIBRARY_PATH", "LABREPORT_TYPESET_SECONDS", "LABREPORT_TYPESET_MIB"}) {
    if (const std::string value = getenv_text(name); !value.empty()) environment[name] = value;
  }
  command.environment = std::move(environment);
  command.folder = folder;
  command.limit_seconds = limits.seconds;
  command.limit_bytes = limits.bytes;
  return run_to_end(command);
}

fs::path chart_bundle_folder(const fs::path& project) {
  const fs::path installed = project / ".deps";
  if (project.is_absolute() && ::access(installed.c_str(), W_OK) == 0 && is_ours(installed) &&
      is_ours(installed / "charts")) {
    return installed / "charts";
  }
  const fs::path cache = user_cache_folder();
  if (cache.empty() || !is_ours(cache)) return {};
  std::error_code error;
  fs::create_directories(cache, error);
  return ::access(cache.c_str(), W_OK) == 0 ? cache : fs::path();
}

fs::path cache_folder(const fs::path& project) {
  if (const char* cache = std::getenv("LABREPORT_CACHE")) return cache;
  const fs::path bundles = chart_bundle_folder(project);
  return bundles.empty() ? bundles : bundles / "kept";
}

double typeset_limit_seconds() {
  constexpr double kDefaultSeconds = 60, kMaxSeconds = 1e6;
  constexpr long kMaxMib = 1L << 30;
  positive_variable("LABREPORT_TYPESET_MIB", 1L, kMaxMib);  // This only checks the range.
  return positive_variable("LABREPORT_TYPESET_SECONDS", kDefaultSeconds, kMaxSeconds);
}

}  // namespace labreport
