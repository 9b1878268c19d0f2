#include "notes/notes_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "document/data_url.h"
#include "notes/note.h"
#include "notes/note_template.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxPictureBytes = 10u << 20;
constexpr const char* kPublishedFolder = "notes/";
constexpr std::array<std::string_view, 6> kPictureExtensions{".png", ".jpg",  ".jpeg",
                                                             ".svg", ".webp", ".gif"};

/// Decodes percent-encoding: "my%20plot.png" → "my plot.png".
std::string percent_decoded(std::string_view address) {
  std::string text;
  for (std::size_t i = 0; i < address.size(); ++i) {
    unsigned value = 0;
    const char* digits = address.data() + i + 1;
    const bool is_escape = address[i] == '%' && i + 2 < address.size() &&
                           std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    text.push_back(is_escape ? static_cast<char>(value) : address[i]);
    if (is_escape) i += 2;
  }
  return text;
}

/// True if the path is relative and has neither ".." nor a link among its components.
bool stays_inside(const fs::path& folder, const fs::path& relative) {
  if (relative.empty() || relative.is_absolute()) return false;
  fs::path path = folder;
  std::error_code error;
  for (const fs::path& component : relative) {
    path /= component;
    if (component == ".." || fs::is_symlink(fs::symlink_status(path, error))) return false;
  }
  return true;
}

/// Returns a name that is safe in addresses and in all output formats: "figures/My Plot.PNG" →
/// "figures-my-plot.png".
std::string published_name(const fs::path& relative) {
  const std::string stem = slug((relative.parent_path() / relative.stem()).string());
  return (stem.empty() ? "picture" : stem) + lower(relative.extension().string());
}

/// Returns the value of an attribute of the first <svg> element: "460pt" for `width="460pt"`.
/// Returns an empty text if the attribute is absent or has other characters than lengths have.
std::string root_attribute(std::string_view svg, const std::string& name) {
  const std::size_t root = std::min(svg.find("<svg"), svg.size());
  const std::string_view tag = svg.substr(root, svg.find('>', root) - root);
  const std::size_t at = tag.find(" " + name + "=");
  if (at == tag.npos || at + name.size() + 3 > tag.size()) return "";
  const std::string_view rest = tag.substr(at + name.size() + 2);
  const std::string_view value = rest.substr(1, rest.find(rest.front(), 1) - 1);
  const bool is_safe = std::ranges::all_of(
      value, [](char letter) { return is_alnum(letter) || letter == '.' || letter == ' '; });
  return is_safe ? std::string(value) : "";
}

/// Embeds the SVG in another SVG as an image. Inside an image, browsers run no scripts, fetch no
/// files and follow no links, even if a reader opens the file itself (SVG 2, section 2.2.6: secure
/// animated mode).
std::string inert_svg(std::string_view svg) {
  std::string width = root_attribute(svg, "width");
  std::string height = root_attribute(svg, "height");
  const std::vector<std::string> box = split(root_attribute(svg, "viewBox"), ' ');
  if ((width.empty() || height.empty()) && box.size() == 4) width = box[2], height = box[3];
  std::string root = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  if (!width.empty() && !height.empty()) {
    root += fmt::format(" width=\"{}\" height=\"{}\"", width, height);
  }
  return fmt::format("{}><image width=\"100%\" height=\"100%\" href=\"{}\"/></svg>\n", root,
                     data_url(".svg", svg));
}

/// Finds the pictures of notes in the folder of notes, and collects the pictures to publish.
class NotePictures {
 public:
  explicit NotePictures(fs::path folder) : folder_(std::move(folder)) {}

  /// Finds the picture for the link `target` of a note. Only plain files inside the folder are
  /// published, if a page can show their format and they have at most kMaxPictureBytes.
  FoundPicture find(const std::string& target) {
    const auto refuse = [&](const std::string& why) {
      return FoundPicture{{}, "the picture " + target.substr(0, 100) + " " + why};
    };
    const std::string decoded_target = percent_decoded(target);
    if (decoded_target.find('\0') != std::string::npos) return refuse("has no file's name");
    const fs::path relative = fs::path(decoded_target).lexically_normal();
    const fs::path file = folder_ / relative;
    const std::string extension = lower(relative.extension().string());
    if (std::ranges::find(kPictureExtensions, extension) == kPictureExtensions.end()) {
      return refuse("is left out: use png, jpg, svg, webp or gif");
    }
    if (!stays_inside(folder_, relative)) {
      return refuse("is left out: only plain files inside " + folder_.string() + " are shown");
    }
    std::error_code error;
    if (!fs::exists(file, error)) return refuse("is not in " + folder_.string());
    if (!fs::is_regular_file(file, error)) return refuse("is left out: it is no plain file");
    if (fs::file_size(file, error) > kMaxPictureBytes)
      return refuse("is left out: it is over 10 MiB");
    if (const auto known = names_.find(file); known != names_.end()) return {known->second, ""};
    try {
      std::string bytes = read_plain_file(file, kMaxPictureBytes);
      const std::string name = published_name(relative);
      if (name.ends_with(".svg")) {
        if (bytes.find("<svg") == bytes.npos) return refuse("is left out: it is no SVG");
        bytes = inert_svg(bytes);
      }
      new_pictures_.push_back({kPublishedFolder + name, std::move(bytes)});
    } catch (const Error& failure) {
      return refuse("is left out: " + std::string(failure.what()));
    }
    // Two files can get the same name if they differ only in characters that published_name()
    // replaces.
    std::string& name = new_pictures_.back().name;
    const auto is_taken = [&] {
      return std::ranges::any_of(names_, [&](const auto& entry) { return entry.second == name; });
    };
    const std::string first_choice = name.substr(std::string_view(kPublishedFolder).size());
    for (int i = 2; is_taken(); ++i) {
      name = kPublishedFolder + std::to_string(i) + "-" + first_choice;
    }
    names_[file] = name;
    return {name, ""};
  }

  /// Returns the pictures that were found for the first time since the last call.
  std::vector<Attachment> take() { return std::exchange(new_pictures_, {}); }

 private:
  fs::path folder_;
  std::map<fs::path, std::string> names_;  ///< The published name of each file: "notes/plot.png".
  std::vector<Attachment> new_pictures_;
};

constexpr std::uintmax_t kMaxNoteBytes = 1u << 20;
constexpr const char* kNoteExtension = ".md";
constexpr const char* kAuthorStem = "author";

/// The text of a note's file, or the reason why it cannot be used.
struct NoteText {
  std::string text;
  std::string problem;
};

NoteText read_note_text(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (fs::is_symlink(status)) return {"", "is a link and is left out: put the file itself there"};
  if (!fs::is_regular_file(status)) return {"", "is no plain file and is left out"};
  if (fs::file_size(file, error) > kMaxNoteBytes) return {"", "is over 1 MiB and is left out"};
  try {
    std::string text = read_plain_file(file, kMaxNoteBytes);
    if (!is_utf8(text)) return {"", "is not UTF-8 and is left out: save it as UTF-8"};
    if (trimmed(clean_text(text)).empty()) return {"", "is empty: write into it or delete it"};
    return {std::move(text), ""};
  } catch (const Error& failure) {
    return {"", "is left out: " + std::string(failure.what())};
  }
}

class NotesReader {
 public:
  NotesReader(const fs::path& folder, const std::vector<std::string>& part_names)
      : part_names_(part_names), pictures_(folder) {
    notes_.folder = folder;
  }

  NotesFolder read() {
    for (const fs::path& file : note_files()) read(file);
    return std::move(notes_);
  }

 private:
  /// Returns the files of notes, sorted so that the result does not depend on the file system.
  std::set<fs::path> note_files() {
    std::set<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(notes_.folder, error)) {
      const fs::path file = entry.path();
      const std::string name = file.filename().string();
      // Editors leave hidden files behind, and a README is no note.
      const bool is_note = file.extension() == kNoteExtension && !name.starts_with('.') &&
                           !name.starts_with('#') && lower(name) != "readme.md";
      if (is_note) files.insert(file);
    }
    if (error) complain(notes_.folder, "cannot be read: " + error.message());
    return files;
  }

  void read(const fs::path& file) {
    const std::string name = file.stem().string();
    const bool is_author = name == kAuthorStem;
    if (!is_author && std::ranges::find(part_names_, name) == part_names_.end()) {
      return complain(file,
                      "belongs to no part; nearest: " + join(nearest(name, part_names_), ", "));
    }
    const NoteText note = read_note_text(file);
    if (!note.problem.empty()) return complain(file, note.problem);
    is_author ? read_author(file, note.text) : read_note(file, name, note.text);
  }

  void read_author(const fs::path& file, const std::string& text) {
    ParsedFrontMatter author = parse_front_matter(text);
    complain(file, author.problems);
    notes_.front = std::move(author.front);
  }

  void read_note(const fs::path& file, const std::string& name, const std::string& text) {
    ParsedNote parsed =
        parse_note(text, [&](const std::string& target) { return pictures_.find(target); });
    complain(file, parsed.problems);
    std::vector<Attachment> pictures = pictures_.take();
    if (!parsed.note) return;
    for (const auto& [source, line] : parsed.formula_lines) {
      parsed.note->formula_places[source] = fmt::format("{}:{}", file.string(), line);
    }
    notes_.notes[name] = {std::move(*parsed.note), std::move(pictures), run_named_in(text)};
  }

  void complain(const fs::path& file, const std::vector<NoteProblem>& problems) {
    for (const NoteProblem& problem : problems) {
      const std::string where =
          problem.line == 0 ? file.string() : fmt::format("{}:{}", file.string(), problem.line);
      (problem.is_missing_picture ? notes_.missing_pictures : notes_.problems)
          .push_back(where + ": " + problem.text);
    }
  }

  void complain(const fs::path& file, const std::string& text) {
    notes_.problems.push_back(file.string() + " " + text);
  }

  const std::vector<std::string>& part_names_;
  NotesFolder notes_;
  NotePictures pictures_;
};

}  // namespace

fs::path note_file(const fs::path& folder, const std::string& part_name) {
  return folder / (part_name + kNoteExtension);
}

fs::path author_file(const fs::path& folder) { return note_file(folder, kAuthorStem); }

NotesFolder read_notes(const fs::path& folder, const std::vector<std::string>& part_names) {
  return NotesReader(folder, part_names).read();
}

void place_notes(const NotesFolder& notes, Document& document) {
  document.front = notes.front;
  for (Section& section : document.sections) {
    for (Part& part : section.parts) {
      const auto found = notes.notes.find(part.name());
      if (found == notes.notes.end()) continue;
      part.note = found->second.note;
      const auto& pictures = found->second.pictures;
      part.attachments.insert(part.attachments.end(), pictures.begin(), pictures.end());
    }
  }
}

}  // namespace labreport
