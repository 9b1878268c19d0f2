#include "notes/note_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "notes/plain_svg.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargest = 10u << 20;
constexpr std::array<std::string_view, 6> kKinds{".png", ".jpg", ".jpeg", ".svg", ".webp", ".gif"};

/// "my%20plot.png" → "my plot.png"
std::string decoded(std::string_view address) {
  std::string text;
  for (std::size_t i = 0; i < address.size(); ++i) {
    unsigned value = 0;
    const char* digits = address.data() + i + 1;
    const bool escape = address[i] == '%' && i + 2 < address.size() &&
                        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    text.push_back(escape ? static_cast<char>(value) : address[i]);
    if (escape) i += 2;
  }
  return text;
}

bool is_picture(const fs::path& file) {
  const std::string kind = lower(file.extension().string());
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

/// Relative, without a way out, and no link on the way.
bool stays_inside(const fs::path& folder, const fs::path& relative) {
  if (relative.empty() || relative.is_absolute()) return false;
  fs::path reached = folder;
  std::error_code error;
  for (const fs::path& step : relative) {
    reached /= step;
    if (step == ".." || fs::is_symlink(fs::symlink_status(reached, error))) return false;
  }
  return true;
}

/// "figures/My Plot.PNG" → "figures-my-plot.png": safe in an address and in every format.
std::string published_name(const fs::path& relative) {
  const std::string stem = slug((relative.parent_path() / relative.stem()).string());
  return (stem.empty() ? "picture" : stem) + lower(relative.extension().string());
}

/// Of an SVG that does more than draw; empty for all others.
std::string why_not_plain(const fs::path& file, std::string_view bytes) {
  if (lower(file.extension().string()) != ".svg") return "";
  const auto problem = svg_problem(bytes);
  if (!problem) return "";
  return fmt::format("is left out: its line {} has {}, and a published picture only draws",
                     problem->line, problem->what);
}

}  // namespace

PictureAnswer NotePictures::find(const std::string& target) {
  const auto refuse = [&](const std::string& why) {
    return PictureAnswer{{}, "the picture " + target.substr(0, 100) + " " + why};
  };
  const std::string decoded_target = decoded(target);
  if (decoded_target.find('\0') != std::string::npos) return refuse("has no file's name");
  const fs::path relative = fs::path(decoded_target).lexically_normal();
  const fs::path file = folder_ / relative;
  if (!is_picture(relative)) return refuse("is left out: use png, jpg, svg, webp or gif");
  if (!stays_inside(folder_, relative)) {
    return refuse("is left out: only plain files inside " + folder_.string() + " are shown");
  }
  std::error_code error;
  if (!fs::exists(file, error)) return refuse("is not in " + folder_.string());
  if (!fs::is_regular_file(file, error)) return refuse("is left out: it is no plain file");
  if (fs::file_size(file, error) > kLargest) return refuse("is left out: it is over 10 MiB");
  const auto known = names_.find(file);
  if (known != names_.end()) return {known->second, ""};
  try {
    std::string bytes = read_plain_file(file, kLargest);
    if (const std::string hostile = why_not_plain(relative, bytes); !hostile.empty()) {
      return refuse(hostile);
    }
    found_.push_back({"notes/" + published_name(relative), std::move(bytes)});
  } catch (const Error& failure) {
    return refuse("is left out: " + std::string(failure.what()));
  }
  // Two files whose names differ in what an address cannot hold.
  std::string& name = found_.back().name;
  const auto taken = [&] {
    return std::ranges::any_of(names_, [&](const auto& entry) { return entry.second == name; });
  };
  const std::string first = name;
  for (int i = 2; taken(); ++i) name = "notes/" + std::to_string(i) + "-" + first.substr(6);
  names_[file] = name;
  return {name, ""};
}

std::vector<Attachment> NotePictures::take() { return std::exchange(found_, {}); }

}  // namespace labreport
