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

/// True if the path is relative, does not lead out of the folder, and has no link on the way.
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

/// The value of an attribute of the first <svg> element, "460pt" for `width="460pt"`; empty if it
/// is absent or no length.
std::string root_attribute(std::string_view svg, const std::string& name) {
  const std::size_t root = std::min(svg.find("<svg"), svg.size());
  const std::string_view tag = svg.substr(root, svg.find('>', root) - root);
  const std::size_t at = tag.find(" " + name + "=");
  if (at == tag.npos || at + name.size() + 3 > tag.size()) return "";
  const std::string_view rest = tag.substr(at + name.size() + 2);
  const std::string_view value = rest.substr(1, rest.find(rest.front(), 1) - 1);
  const bool length = std::ranges::all_of(
      value, [](char letter) { return is_alnum(letter) || letter == '.' || letter == ' '; });
  return length ? std::string(value) : "";
}

/// Wraps the SVG in another one as an image: browsers run, fetch and follow nothing inside an
/// image, even if a reader opens the file directly (SVG 2, section 2.2.6: secure animated mode).
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

/// Finds the pictures of an author's notes in the folder of notes, to be published beside the page.
class NotePictures {
 public:
  explicit NotePictures(fs::path folder) : folder_(std::move(folder)) {}

  /// Finds the picture for `target` in a note's Markdown. Only plain files inside the folder are
  /// published, of a kind that a page shows and small enough for it.
  PictureAnswer find(const std::string& target) {
    const auto refuse = [&](const std::string& why) {
      return PictureAnswer{{}, "the picture " + target.substr(0, 100) + " " + why};
    };
    const std::string decoded_target = decoded(target);
    if (decoded_target.find('\0') != std::string::npos) return refuse("has no file's name");
    const fs::path relative = fs::path(decoded_target).lexically_normal();
    const fs::path file = folder_ / relative;
    const std::string kind = lower(relative.extension().string());
    if (std::ranges::find(kKinds, kind) == kKinds.end()) {
      return refuse("is left out: use png, jpg, svg, webp or gif");
    }
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
      const std::string name = published_name(relative);
      if (name.ends_with(".svg")) {
        if (bytes.find("<svg") == bytes.npos) return refuse("is left out: it is no SVG");
        bytes = inert_svg(bytes);
      }
      found_.push_back({"notes/" + name, std::move(bytes)});
    } catch (const Error& failure) {
      return refuse("is left out: " + std::string(failure.what()));
    }
    // Two names may become equal because they differ only in characters that an address cannot
    // hold.
    std::string& name = found_.back().name;
    const auto taken = [&] {
      return std::ranges::any_of(names_, [&](const auto& entry) { return entry.second == name; });
    };
    const std::string first = name;
    for (int i = 2; taken(); ++i) name = "notes/" + std::to_string(i) + "-" + first.substr(6);
    names_[file] = name;
    return {name, ""};
  }

  /// Returns the files found since the last call, each file once over all calls.
  std::vector<Attachment> take() { return std::exchange(found_, {}); }

 private:
  fs::path folder_;
  std::map<fs::path, std::string> names_;  ///< The published name of each file: "notes/plot.png".
  std::vector<Attachment> found_;
};

constexpr std::uintmax_t kLargestNote = 1u << 20;
constexpr const char* kEnding = ".md";
constexpr const char* kAuthor = "author";

/// The file's text, or why it cannot be used.
struct NoteBytes {
  std::string text;
  std::string problem;
};

NoteBytes read_note_file(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (fs::is_symlink(status)) return {"", "is a link and is left out: put the file itself there"};
  if (!fs::is_regular_file(status)) return {"", "is no plain file and is left out"};
  if (fs::file_size(file, error) > kLargestNote) return {"", "is over 1 MiB and is left out"};
  try {
    std::string text = read_plain_file(file, kLargestNote);
    if (!is_utf8(text)) return {"", "is not UTF-8 and is left out: save it as UTF-8"};
    if (trimmed(clean_text(text)).empty()) return {"", "is empty: write into it or delete it"};
    return {std::move(text), ""};
  } catch (const Error& failure) {
    return {"", "is left out: " + std::string(failure.what())};
  }
}

class NotesReader {
 public:
  NotesReader(const fs::path& folder, const std::vector<std::string>& names)
      : names_(names), pictures_(folder) {
    notes_.folder = folder;
  }

  NotesFolder read() {
    for (const fs::path& file : files()) read(file);
    return std::move(notes_);
  }

 private:
  /// The notes' files, sorted so that the same folder gives the same result everywhere.
  std::set<fs::path> files() {
    std::set<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(notes_.folder, error)) {
      const fs::path file = entry.path();
      const std::string name = file.filename().string();
      // Editors leave hidden files behind, and a README is no note.
      const bool is_note = file.extension() == kEnding && !name.starts_with('.') &&
                           !name.starts_with('#') && lower(name) != "readme.md";
      if (is_note) files.insert(file);
    }
    if (error) complain(notes_.folder, "cannot be read: " + error.message());
    return files;
  }

  void read(const fs::path& file) {
    const std::string name = file.stem().string();
    const bool author = name == kAuthor;
    if (!author && std::ranges::find(names_, name) == names_.end()) {
      return complain(file, "belongs to no part; nearest: " + join(nearest(name, names_), ", "));
    }
    const NoteBytes bytes = read_note_file(file);
    if (!bytes.problem.empty()) return complain(file, bytes.problem);
    author ? read_author(file, bytes.text) : read_note(file, name, bytes.text);
  }

  void read_author(const fs::path& file, const std::string& text) {
    FrontMatterFile front = parse_front_matter(text);
    complain(file, front.problems);
    notes_.front = std::move(front.front);
  }

  void read_note(const fs::path& file, const std::string& name, const std::string& text) {
    NoteFile read =
        parse_note(text, [&](const std::string& target) { return pictures_.find(target); });
    complain(file, read.problems);
    std::vector<Attachment> pictures = pictures_.take();
    if (!read.note) return;
    for (const auto& [source, line] : read.formula_lines) {
      read.note->formula_places[source] = fmt::format("{}:{}", file.string(), line);
    }
    notes_.notes[name] = {std::move(*read.note), std::move(pictures), run_named_in(text)};
  }

  void complain(const fs::path& file, const std::vector<NoteProblem>& problems) {
    for (const NoteProblem& problem : problems) {
      const std::string where =
          problem.line == 0 ? file.string() : fmt::format("{}:{}", file.string(), problem.line);
      notes_.problems.push_back(where + ": " + problem.text);
    }
  }

  void complain(const fs::path& file, const std::string& text) {
    notes_.problems.push_back(file.string() + " " + text);
  }

  const std::vector<std::string>& names_;
  NotesFolder notes_;
  NotePictures pictures_;
};

}  // namespace

fs::path note_file(const fs::path& folder, const std::string& name) {
  return folder / (name + kEnding);
}

fs::path author_file(const fs::path& folder) { return note_file(folder, kAuthor); }

NotesFolder read_notes(const fs::path& folder, const std::vector<std::string>& names) {
  return NotesReader(folder, names).read();
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
