// A submission's folder and the files beside it, which change together.
//
// The folder's manifest holds a SHA-256 of each file that this program wrote. All other files in
// the folder are the author's: they stay, and the zip file has them too. A new submission is made
// in "<folder>.part" and then exchanged with the earlier one, so that a process may die at any
// moment: each file is then the earlier or the new one, and the next submission finishes the
// exchange. Submissions in one folder share write-up and code: the last has them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "publish/site_lock.h"

namespace labreport {

class SubmissionFolder {
 public:
  /// The files that may stand beside the folder, with "<folder>.zip".
  static constexpr const char* kWriteUp = "writeup.pdf";
  static constexpr const char* kCode = "code.zip";

  /// Waits for other processes that write to `out`, and ends what a killed one began. Throws
  /// `InputError`, and changes nothing, if something else is at `out` or at a file beside it, or if
  /// their author has changed a file that this program wrote.
  explicit SubmissionFolder(std::filesystem::path out);
  ~SubmissionFolder();  ///< Removes what was made, unless only a next process can end the exchange.
  SubmissionFolder(const SubmissionFolder&) = delete;
  SubmissionFolder& operator=(const SubmissionFolder&) = delete;

  /// The submission's place.
  const std::filesystem::path& out() const { return out_; }

  /// The folder in which the new submission is made. It does not exist at first.
  std::filesystem::path made() const { return part_ / out_.filename(); }

  /// The place in which the maker writes a file that will stand beside the folder, if there is one.
  std::filesystem::path made_beside(const std::string& name) const { return part_ / name; }
  std::filesystem::path made_zip() const { return made().string() + ".zip"; }

  /// This program's files below made(), once take_authors_files() has been called.
  const std::set<std::filesystem::path>& written() const { return written_; }

  /// Adds the author's files of the earlier submission. Throws `InputError` if one of them has the
  /// path of a new file.
  void take_authors_files();

  /// Puts the folder and the files beside it in the place of the earlier ones, and removes an
  /// earlier file that the new submission lacks. If that fails, the earlier ones stay.
  void commit();

 private:
  void end_earlier_exchange();
  bool is_due(const std::filesystem::path& beside) const;

  std::filesystem::path out_, part_;
  std::vector<std::filesystem::path> beside_;  ///< Paths of the files beside the folder.
  SiteLock lock_;
  std::set<std::filesystem::path> written_;
  bool is_unfinished_ = false;
};

}  // namespace labreport
