// From recorded runs to a site on disk: what `render` and `report` have in common.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/site.h"

namespace labreport {

struct RenderOptions {
  std::filesystem::path out;
  Answers answers = Answers::kFull;
  bool own = false;          ///< Leave out the runs that ship with the project.
  bool single_file = false;  ///< Each run's page as one file too, for the mail.
};

Answers parse_answers(const std::string& text);

/// Every run below `root`. Throws `InputError` when there is none.
std::vector<std::filesystem::path> recorded_runs(const std::filesystem::path& root);

struct Rendered {
  std::filesystem::path index;
  std::map<std::filesystem::path, std::filesystem::path> pages;  ///< By the run's folder.
  std::vector<std::string> problems;  ///< Runs that could not be read, one line each; already told.

  const std::filesystem::path& page_of(const std::filesystem::path& run_folder) const;
};

/// A run that cannot be read is told on stderr and left out.
Rendered render_runs(const std::vector<std::filesystem::path>& folders,
                     const RenderOptions& options);

}  // namespace labreport
