// The whole site: every page of every run as bytes, and its way to disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/drawings.h"
#include "report/formats.h"
#include "report/html_parts.h"
#include "report/typst.h"

namespace labreport {

/// A run as the site takes it.
struct SiteRun {
  std::string folder;  ///< Inside the site, slugs with '/': "nvidia-h200/2025/<time>-<revision>"
  Document document;
  std::string run_json;        ///< Published as it is.
  std::string cells_csv = {};  ///< Likewise; empty: none.
};

struct SiteOptions {
  Answers answers = Answers::kFull;
  Formats formats = {};
  Paper paper = Paper::kA4;
};

struct SiteFile {
  std::string path;  ///< Relative to the site's root.
  std::string bytes;
};

struct Site {
  std::vector<SiteFile> files;  ///< In a fixed order; same input, same bytes.
  std::string notice;  ///< What is missing, one line each, e.g. the chart tool; empty when nothing.
  bool partial = false;  ///< Some formats alone: the others of an earlier render stay.
};

/// Newest runs first, CPU demonstrations last. Without a tool, or with one that fails, everything
/// but pictures is made and the notice says so.
Site render_site(const std::vector<SiteRun>& runs, const SiteOptions& options, ChartTool* tool);

/// Where a run's page lies inside the site: "<folder>/index.html".
std::string page_path(const SiteRun& run);

/// Writes what differs, each file atomically, and removes the pages of an earlier render that are
/// no longer part of a whole site; never touches a file that this program did not write. Throws
/// `InputError` when `out` holds files but no site.
void write_site(const Site& site, const std::filesystem::path& out);

}  // namespace labreport
