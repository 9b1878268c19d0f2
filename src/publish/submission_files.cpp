#include "publish/submission_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/files.h"
#include "base/format.h"
#include "base/text.h"
#include "publish/measured_code.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// Returns true for a file that is read beside the PDF; without a PDF the page is read.
bool is_read(const std::string& path, bool has_pdf) {
  constexpr std::string_view kFiles[] = {"README.md", "program.cpp", "run.json"};
  return std::ranges::find(kFiles, path) != std::end(kFiles) || path.ends_with(".csv") ||
         (path.starts_with("charts/") && path.ends_with(".pdf")) || path.starts_with("runs/") ||
         (path == "report.html" && !has_pdf);
}

/// True for what an author may have in the folder without wanting to hand it in: ".env", ".git",
/// and links, which may lead anywhere.
bool is_hidden_or_link(const fs::directory_entry& entry, const fs::path& path) {
  return entry.is_symlink() || std::ranges::any_of(path, [](const fs::path& name) {
           return name.string().starts_with('.');
         });
}

/// Returns the zip file's entries, by their paths.
ZipFiles files_to_read(const SubmissionFolder& submission, const MeasuredCode& code, bool has_pdf) {
  const fs::path made = submission.made();
  const std::string root = made.filename().string() + "/";
  ZipFiles files;
  for (const fs::directory_entry& entry : entries_below(made)) {
    const fs::path path = entry.path().lexically_relative(made);
    const bool is_folder = entry.is_directory() && !entry.is_symlink();
    const bool is_packed =
        submission.written().contains(path)
            ? is_read(path.string(), has_pdf)
            : !is_hidden_or_link(entry, path) && (!is_folder || fs::is_empty(entry));
    if (is_packed) files.emplace(root + path.string(), entry.path());
  }
  if (has_pdf) {
    files.emplace(root + SubmissionFolder::kWriteUp,
                  submission.made_beside(SubmissionFolder::kWriteUp));
  }
  for (const auto& [path, file] : code.files) files.emplace(root + "code/" + path, file);
  return files;
}

/// Returns a line for each file that is handed in, and for the folder.
std::vector<std::string> descriptions(const SubmissionFolder& submission,
                                      const std::vector<RunStore>& runs, bool has_pdf,
                                      const std::string& code) {
  const fs::path& out = submission.out();
  const std::string parent = (out.parent_path() / "").string();
  const char* measurements = runs.size() > 1 ? "runs/" : "run.json";
  const char* figures = fs::exists(submission.made() / "charts") ? "figures, " : "";
  std::vector<std::string> lines, reports;
  if (has_pdf) lines.push_back(parent + "writeup.pdf: the report to hand in");
  if (!code.empty()) lines.push_back(parent + "code.zip: " + code);
  lines.push_back(fmt::format("{}.zip: {}{}{}tables and {}", out.string(),
                              has_pdf ? "writeup.pdf, " : "", code.empty() ? "" : "code, ", figures,
                              measurements));
  const std::string reported = runs.size() > 1
                                   ? format_count(static_cast<std::int64_t>(runs.size())) + " runs"
                                   : runs.front().folder().lexically_normal().string();
  for (const char* name : {"report.md", "report.tex", "report.html"}) {
    if (fs::exists(submission.made() / name)) reports.emplace_back(name);
  }
  lines.push_back(fmt::format("{}: {} as {}, with {}CSV and {}", out.string(), reported,
                              join_words(reports), figures, measurements));
  if (!has_pdf) lines.emplace_back("missing: writeup.pdf, for the reason below");
  return lines;
}

}  // namespace

std::vector<std::string> pack(SubmissionFolder& submission, const std::vector<RunStore>& runs,
                              const fs::path& checkout) {
  const fs::path pdf = submission.made() / "report.pdf";
  const bool has_pdf = fs::exists(pdf);
  if (has_pdf) fs::rename(pdf, submission.made_beside(SubmissionFolder::kWriteUp));
  submission.take_authors_files();
  MeasuredCode code = measured_code(runs);
  const std::vector<std::string> changed = code.changed;
  if (!checkout.empty()) code = checkout_code(checkout);
  const bool has_code = !code.files.empty();
  if (has_code) write_zip(code.files, submission.made_beside(SubmissionFolder::kCode));
  write_zip(files_to_read(submission, code, has_pdf), submission.made_zip());
  const char* code_words =
      checkout.empty() ? "your code as it was measured" : "your checkout, without caches and .venv";
  std::vector<std::string> lines =
      descriptions(submission, runs, has_pdf, has_code ? code_words : "");
  std::ranges::copy(code.lines, std::back_inserter(lines));
  if (!changed.empty())
    lines.push_back(fmt::format("changed since measured: {}; code.zip has {}", join_words(changed),
                                checkout.empty() ? "what was measured" : "the files of now"));
  return lines;
}

}  // namespace labreport
