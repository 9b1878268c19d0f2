// A submission's folder and the zip file beside it, which change together.
//
// The folder's manifest holds a SHA-256 of each file that this program wrote. All other files in
// the folder are the author's: they stay, and the zip file has them too. A new submission is made
// in "<folder>.part" and then exchanged with the earlier one, so that a process may die at any
// moment: each file is then the earlier or the new one, and the next submission finishes the
// exchange.
#pragma once

#include <filesystem>
#include <set>

#include "publish/site_lock.h"

namespace labreport {

class SubmissionFolder {
 public:
  /// Waits for other processes that write to `out`, and ends what a killed one began. Throws
  /// `InputError`, and changes neither `out` nor "<out>.zip", if something else is there or if
  /// their author has changed a file that this program wrote.
  explicit SubmissionFolder(std::filesystem::path out);
  ~SubmissionFolder();  ///< Removes what was made, unless only a next process can end the exchange.
  SubmissionFolder(const SubmissionFolder&) = delete;
  SubmissionFolder& operator=(const SubmissionFolder&) = delete;

  /// The folder in which the new submission is made. It does not exist at first.
  std::filesystem::path made() const { return part_ / out_.filename(); }

  /// The zip file that the maker writes.
  std::filesystem::path made_zip() const { return made().string() + ".zip"; }

  /// Adds the author's files of the earlier submission. Throws `InputError` if one of them has the
  /// path of a new file.
  void take_authors_files();

  /// Puts folder and zip file in the place of the earlier ones. If that fails, these stay.
  void commit();

 private:
  void end_earlier_exchange();
  void exchange();

  std::filesystem::path out_, zip_, part_;
  SiteLock lock_;
  std::set<std::filesystem::path> written_;  ///< This program's files, without the author's.
  bool is_unfinished_ = false;
};

}  // namespace labreport
