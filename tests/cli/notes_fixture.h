// Measures a run of one problem, which has one part, and writes notes for the run.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "cli/program_fixture.h"

namespace labreport {

class NotesTest : public ProgramTest {
 protected:
  void SetUp() override {
    const CompletedProcess process =
        call({"run", "--preset", "demo", "--only", "mixed_precision_accumulation"});
    ASSERT_EQ(process.exit_status, 0) << process.messages;
  }

  void write_note(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / "notes" / name).parent_path());
    write_atomically(folder_ / "notes" / name, text);
  }

  CompletedProcess render(const std::vector<std::string>& flags = {}) {
    std::vector<std::string> words{"render"};
    words.insert(words.end(), flags.begin(), flags.end());
    return call(words);
  }

  std::filesystem::path page_folder() const {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder_ / "site/public")) {
      if (entry.path().filename() == "report.md") return entry.path().parent_path();
    }
    return {};
  }

  std::string read_published(const std::string& file) const {
    return read_file(page_folder() / file);
  }

  std::map<std::string, std::string> read_notes_folder() const {
    std::map<std::string, std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "notes")) {
      if (entry.is_regular_file()) texts[entry.path().filename()] = read_file(entry.path());
    }
    return texts;
  }
};

}  // namespace labreport
