// Sorts a submission's files: what is read goes into the zip file, and the rest stays in the
// folder.
#pragma once

#include <string>
#include <vector>

#include "publish/submission_folder.h"
#include "results/run_store.h"

namespace labreport {

/// Completes the submission that was rendered into `submission.made()`: the PDF becomes
/// writeup.pdf, and the sources that the runs measured become code.zip. The zip file has both,
/// figures as PDF, tables, measurements and the author's files. Returns lines that say what each
/// file is, what is missing, and which sources have changed since they were measured.
/// With a `checkout` of the course, code.zip has its files instead.
std::vector<std::string> pack(SubmissionFolder& submission, const std::vector<RunStore>& runs,
                              const std::filesystem::path& checkout = {});

}  // namespace labreport
