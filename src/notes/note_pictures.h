// Pictures that an author's notes show: found in the folder of notes, published beside the page.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "notes/note.h"

namespace labreport {

class NotePictures {
 public:
  explicit NotePictures(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// `target` as a note's Markdown has it. Only plain files inside the folder, of a kind that a
  /// page shows and small enough for it.
  PictureAnswer find(const std::string& target);

  /// What was found since the last call, each file once over all calls.
  std::vector<Attachment> take();

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::string> names_;  ///< "notes/plot.png", by the file.
  std::vector<Attachment> found_;
};

}  // namespace labreport
