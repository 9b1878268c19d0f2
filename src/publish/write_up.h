// Chooses the runs of a write-up, which answers each problem of one edition from one run.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace labreport {

struct WriteUpRun {
  std::filesystem::path folder;
  std::set<std::string> problems = {};  ///< The problems that the write-up takes from this run.
  std::set<std::string> own_code = {};  ///< The ones that measured the user's code.
};

struct WriteUp {
  std::string edition;
  std::vector<WriteUpRun> runs;              ///< In the order of their first problems.
  std::vector<std::string> not_taken = {};   ///< A line for each run and reason.
  std::set<std::string> left_to_notes = {};  ///< Parts whose answer only their author knows.

  bool joins_runs() const { return runs.size() > 1; }
  std::vector<std::filesystem::path> folders() const;
};

/// Chooses among the runs that the user named: the first that answers a problem gives it. All must
/// be of one edition. Throws `InputError` if they are not, if `edition` is another, or if a run
/// cannot be read.
WriteUp choose_write_up(const std::vector<std::filesystem::path>& named_runs,
                        const std::string& edition);

/// Chooses among the user's runs of the edition that did not mostly fail; if `edition` is empty, of
/// the newest run's. A problem comes from a run that measured the user's own code, else from a GPU
/// before a CPU, from the full preset before a smaller one, from the run that answers more of its
/// parts or has more measurements of it, and from the newest. Without such runs chooses
/// `newest_run` alone.
WriteUp choose_users_write_up(std::vector<std::filesystem::path> recorded_runs,
                              const std::string& edition);

}  // namespace labreport
