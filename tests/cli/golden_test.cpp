// Compares the program's output word for word. tests/cli/golden/<name>.txt holds a command's
// stdout, stderr and status; refusals.txt holds commands refused with a line or two (status 2).
// LABREPORT_UPDATE_GOLDEN=1 writes them anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "base/files.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/program_fixture.h"

namespace labreport::golden_test {
namespace {

constexpr const char* kWorkerForHopper =
    R"({"torch": "2.11.0", "cuda": "13.0", "architectures": ["sm_80", "sm_90", "compute_90"]})";

struct Golden {
  std::string name;
  std::vector<std::string> words;
  std::map<std::string, std::string> environment = {};
  bool gpus = false;      ///< The fake driver has two GPUs.
  bool imported = false;  ///< A table is imported first, and the word IMPORTED becomes its folder.
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

/// Replaces the time in the folder name of an imported run.
std::string without_times(const std::string& text) {
  static const std::regex time("[0-9]{8}-[0-9]{6}-imported");
  return std::regex_replace(text, time, "TIME-imported");
}

/// Replaces the estimated times of a plan for this machine's CPU, because they depend on its cores.
std::string without_cpu_estimates(const std::string& text) {
  static const std::regex time("( about|[0-9]) +([0-9.]+ (ms|s|min))");
  return text.find("CPU demonstration") == std::string::npos
             ? text
             : std::regex_replace(text, time, "$1 TIME");
}

/// Replaces the name of this machine's CPU.
std::string without_cpu_name(std::string text) {
  const std::string model = cpu_model();
  const auto found = text.find(model);
  return found == std::string::npos ? text : text.replace(found, model.size(), "PROCESSOR");
}

/// Replaces the name of the test's own folder.
std::string without_folder(const std::string& text, const std::filesystem::path& folder) {
  return replaced(text, std::filesystem::canonical(folder).string(), "FOLDER");
}

const std::filesystem::path kGoldenFolder =
    std::filesystem::path(LABREPORT_SOURCE_DIR) / "tests/cli/golden";

/// Returns the expected messages by refused command.
std::map<std::string, std::string> refusals() {
  std::map<std::string, std::string> all_refusals;
  std::string command;
  for (const std::string& line : split(read_file(kGoldenFolder / "refusals.txt"), '\n')) {
    if (line.find(" $ labreport") != std::string::npos) {
      command = line;
    } else if (!line.empty()) {
      all_refusals[command] += line + "\n";
    }
  }
  return all_refusals;
}

void keep_refusal(const std::string& command, const std::string& messages) {
  auto all_refusals = refusals();
  std::erase_if(all_refusals, [&](const auto& old) {
    return old.first.starts_with(command.substr(0, command.find('$') + 1));
  });
  all_refusals[command] = messages;
  std::string text;
  for (const auto& [each, said] : all_refusals) text += each + "\n" + said;
  write_atomically(kGoldenFolder / "refusals.txt", text);
}

class GoldenTest : public ProgramTest, public testing::WithParamInterface<Golden> {};

TEST_P(GoldenTest, PrintsTheGoldenOutput) {
  const Golden& golden = GetParam();
  if (golden.gpus) add_fake_gpus(kWorkerForHopper);
  std::filesystem::copy(std::string(LABREPORT_SOURCE_DIR) + "/tests/fixtures/imports",
                        folder_ / "tables");
  for (const auto& [name, value] : golden.environment) environment_[name] = value;
  std::vector<std::string> words = golden.words;
  if (golden.imported) {
    call({"import", "tables/made_up.md"});
    std::ranges::replace(words, "IMPORTED", only_run().lexically_relative(folder_).string());
  }
  const CompletedProcess process = call(words);
  const std::string messages =
      without_folder(without_cpu_name(without_times(process.messages)), folder_);
  if (process.exit_status == 2 && process.output.empty() &&
      std::ranges::count(messages, '\n') <= 2) {
    const std::string command = golden.name + " $ labreport " + join(golden.words, " ");
    if (std::getenv("LABREPORT_UPDATE_GOLDEN") != nullptr) keep_refusal(command, messages);
    EXPECT_EQ(messages, refusals()[command]);
    return;
  }
  const std::string text = without_cpu_estimates(
      fmt::format("$ labreport {}\n{}--- stderr\n{}--- status {}\n", join(golden.words, " "),
                  without_times(process.output), messages, process.exit_status));
  const auto file = kGoldenFolder / (golden.name + ".txt");
  if (std::getenv("LABREPORT_UPDATE_GOLDEN") != nullptr) write_atomically(file, text);
  EXPECT_EQ(text, read_file(file));
}

const std::vector<Golden> kGolden{
    {"help", {"--help"}},
    {"no_verb", {}},
    {"help_of_no_verb", {"help", "rum"}},
    {"help_report", {"report", "--help"}},
    {"help_run", {"run", "--help"}},
    {"help_render", {"render", "--help"}},
    {"help_import", {"import", "--help"}},
    {"help_notes", {"notes", "--help"}},
    {"help_list", {"list", "--help"}},
    {"help_check", {"check", "--help"}},
    {"help_doctor", {"doctor", "--help"}},
    {"help_diff", {"diff", "--help"}},
    {"diff_one", {"diff", "one"}},
    {"list_problems", {"list", "problems"}},
    {"list_sizes", {"list", "sizes"}},
    {"list_cells", {"list", "cells", "--preset", "quick"}, {}, true},
    {"list_cells_2026", {"list", "cells", "--edition", "2026", "--sizes", "10B"}, {}, true},
    {"list_cells_elsewhere", {"list", "cells", "--preset", "quick", "--modes", "inference"}},
    {"dry_run",
     {"run", "--dry-run", "--sizes", "small,2.7B", "--size", "mini=512,2048,8,8", "--contexts",
      "128,256", "--modes", "train_step", "--precisions", "bf16", "--launches", "2"},
     {},
     true},
    // The second of the fake GPUs has no BF16 of its own.
    {"dry_run_without_bf16",
     {"run", "--dry-run", "--gpus", "1", "--sizes", "small", "--only",
      "benchmarking_mixed_precision"},
     {},
     true},
    {"dry_run_elsewhere",
     {"run", "--dry-run", "--gpu", "h100", "--sizes", "2.7B", "--contexts", "512,2048", "--modes",
      "train_step"}},
    {"dry_run_without_bf16_elsewhere",
     {"run", "--dry-run", "--gpu", "NVIDIA T4", "--sizes", "small", "--only",
      "benchmarking_mixed_precision"}},
    {"unknown_gpu", {"run", "--dry-run", "--gpu", "NVIDIA H201"}},
    {"gpu_elsewhere_to_measure", {"run", "--gpu", "NVIDIA H200"}},
    {"gpu_elsewhere_and_here", {"run", "--dry-run", "--gpu", "H200", "--gpus", "0"}},
    {"gpu_elsewhere_of_demo", {"run", "--dry-run", "--gpu", "H200", "--preset", "demo"}},
    {"gpu_elsewhere_to_resume", {"run", "--resume", "--gpu", "H200"}},
    {"dry_run_demo", {"run", "--preset", "demo", "--dry-run", "--sizes", "demo-1"}},
    {"dry_run_problems",
     {"run", "--preset", "demo", "--dry-run", "--problems", "pytorch_attention"}},
    {"problems_and_only", {"run", "--problems", "all", "--only", "nsys_profile"}, {}, true},
    {"problem_of_2026", {"run", "--problems", "gradient_checkpointing"}, {}, true},
    {"unknown_problem", {"run", "--problems", "flash_benchmark"}, {}, true},
    {"word_of_problems", {"run", "--problems", "ddp"}, {}, true},
    {"attention_and_model", {"run", "--attention", "net.py:Net", "--model", "net.py:Net"}},
    {"attention_untimed", {"run", "--attention", "net.py:Net", "--problems", "profiling"}},
    {"beside_no_model", {"run", "--and", "labreport"}},
    {"beside_another", {"run", "--model", "a.py:A", "--and", "b.py:B"}},
    {"compile_no_model", {"run", "--compile"}},
    {"compile_attention", {"run", "--attention", "net.py:Net", "--compile"}},
    {"loss_no_model", {"run", "--loss", "a:b"}},
    {"step_and_model", {"run", "--step", "train.py:make", "--model", "net.py:Net"}},
    {"step_and_compile", {"run", "--step", "train.py:make", "--compile"}},
    {"step_args_no_step", {"run", "--step-args", "{}"}},
    {"step_modes", {"run", "--preset", "demo", "--step", "train.py:make", "--modes", "forward"}},
    {"unknown_verb", {"rum"}},
    {"unknown_flag", {"run", "--size-of", "1"}},
    {"unknown_short_flag", {"run", "-v"}},
    {"unknown_edition", {"run", "--edition", "2024"}},
    {"unknown_preset", {"run", "--preset", "fast"}},
    {"unknown_size", {"run", "--sizes", "smal"}, {}, true},
    {"unknown_precision", {"run", "--precisions", "bf61"}, {}, true},
    {"unknown_mode", {"run", "--modes", "forwards"}, {}, true},
    {"unknown_experiment", {"run", "--only", "benchmarking"}, {}, true},
    {"unknown_part", {"run", "--only", "benchmarking_script.z"}, {}, true},
    {"unknown_list", {"list", "gpus"}},
    {"unknown_answers", {"render", "--answers", "some"}},
    {"unknown_format", {"render", "--format", "html,pfd"}},
    {"unknown_paper", {"render", "--paper", "a5"}},
    {"paper_by_its_usual_name", {"render", "--paper", "A4"}},
    {"site_url_without_scheme", {"render", "--site-url", "ada.example/a"}},
    {"site_url_of_another_scheme", {"report", "--site-url", "file:///a"}},
    {"site_url_with_password", {"render", "--site-url", "https://ada:word@ada.example/"}},
    {"site_url_with_query", {"render", "--site-url", "https://ada.example/?a=b"}},
    {"site_url_without_host", {"render", "--site-url", "https:///a"}},
    {"repeated_flag", {"run", "--sizes", "small", "--sizes", "medium"}},
    {"repeated_value", {"run", "--sizes", "small,small"}, {}, true},
    {"missing_value", {"run", "--edition"}},
    {"flag_for_value", {"run", "--edition", "--dry-run"}},
    {"needless_value", {"run", "--dry-run=yes"}},
    {"empty_sizes", {"run", "--sizes", ""}, {}, true},
    {"empty_value", {"run", "--sizes", "small,,medium"}, {}, true},
    {"zero_context", {"run", "--contexts", "0"}, {}, true},
    {"negative_batch", {"run", "--batch=-4"}, {}, true},
    {"fractional_steps", {"run", "--steps", "1.5"}, {}, true},
    {"endless_timeout", {"run", "--timeout", "inf"}, {}, true},
    {"no_cells", {"run", "--only", "benchmarking_script.c", "--modes", "inference"}, {}, true},
    {"own_size_heads", {"run", "--size", "odd=100,400,2,3"}, {}, true},
    {"own_size_odd_width", {"run", "--size", "odd=9,400,2,3"}, {}, true},
    {"own_size_known", {"run", "--size", "small=512,2048,8,8"}, {}, true},
    {"gpu_7", {"run", "--gpus", "7"}, {}, true},
    {"gpu_too_old", {"run", "--gpus", "1"}, {}, true},
    {"gpus_unlike", {"run", "--gpus", "all"}, {}, true},
    {"gpus_word", {"run", "--gpus", "both"}, {}, true},
    {"driver_too_old",
     {"run"},
     {{"FAKE_NVML_DRIVER", "550.54.15"}, {"FAKE_NVML_CUDA", "12040"}},
     true},
    {"driver_before_cuda_12",
     {"run"},
     {{"FAKE_NVML_DRIVER", "470.256.02"}, {"FAKE_NVML_CUDA", "11040"}},
     true},
    {"gpus_without_device", {"run", "--gpus", "0"}},
    {"preset_without_device", {"run", "--preset", "full"}},
    {"hidden_devices", {"run", "--preset", "full"}, {{"CUDA_VISIBLE_DEVICES", ""}}, true},
    {"demo_with_gpus", {"run", "--preset", "demo", "--gpus", "0"}, {}, true},
    {"no_worker", {"run", "--preset", "demo"}, {{"LABREPORT_WORKER", "nowhere/worker"}}},
    {"render_nothing", {"render"}},
    {"render_missing", {"render", "no/such/run"}},
    {"notes_nothing", {"notes", "--init"}},
    {"notes_missing", {"notes", "--init", "no/such/run"}},
    {"render_no_notes", {"render", "--notes", "no/such/notes"}},
    {"import_table", {"import", "tables/made_up.md"}},
    {"import_unknown_column", {"import", "tables/unknown.csv", "--gpu", "Made Up"}},
    {"import_needed", {"import", "tables/frame.csv", "--gpu", "Made Up"}},
    {"import_nothing", {"import"}},
    {"import_missing", {"import", "no/such/table.md"}},
    {"render_imported", {"render", "IMPORTED"}, {}, false, true},
    {"notes_imported", {"notes", "--init", "IMPORTED"}, {}, false, true},
    {"render_only_imported", {"render"}, {}, false, true},
    {"list_imported", {"list", "runs"}, {}, false, true},
    {"list_nothing", {"list", "runs"}},
    {"check_imported", {"check", "IMPORTED"}, {}, false, true},
    {"check_nothing", {"check"}},
    {"check_missing", {"check", "no/such/run"}},
};

INSTANTIATE_TEST_SUITE_P(Cli, GoldenTest, testing::ValuesIn(kGolden),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace labreport::golden_test
