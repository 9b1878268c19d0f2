// labreport fits says how much memory a step needs, which GPUs it fits, and how that is known.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "base/messages.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/fit_rows.h"
#include "cli/flags.h"
#include "cli/measure_flags.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "document/peaks.h"
#include "plan/datasheet.h"
#include "results/run_store.h"
#include "writers/query/query_text.h"

namespace labreport {
namespace {

struct FitsFlags : Request {
  std::vector<std::string> runs;
  std::optional<std::string> checkpoint, sharing_ranks, gpu;
  std::string format = "text";
};

constexpr std::array<std::pair<std::string_view, std::string (*)(const QueryResult&)>, 4> kTables{
    {{"table", as_table}, {"csv", as_csv}, {"json", as_json}, {"md", as_markdown}}};

/// Returns the evidence of the named runs; without words, of all recorded ones.
FitEvidence evidence_of(const FitsFlags& flags) {
  FitEvidence evidence;
  if (flags.runs.empty()) {
    for (const std::filesystem::path& folder : list_measured_runs("site/runs")) {
      try {
        evidence.add(RunStore(folder).load(), folder.string());
      } catch (const InputError& error) {
        say("no evidence: {}\n", printable(error.what()));
      }
    }
    return evidence;
  }
  const auto runs = choose_runs(flags.runs, flags.edition.value_or(""), "site/runs", kAnyRun);
  for (const ChosenRun& run : runs) evidence.add(run.run, run.name);
  return evidence;
}

/// Adds checkpoints and ranks to the step. Throws `InputError` for a step that has neither.
void add_variant(CellSpec& step, const FitsFlags& flags) {
  if (flags.checkpoint) {
    step.blocks_per_checkpoint = whole_number("--checkpoint", *flags.checkpoint, 1);
    if (*step.mode != Mode::kForwardBackward && *step.mode != Mode::kTrainStep) {
      throw InputError(fmt::format("--checkpoint: {} has no backward pass", describe(*step.mode)),
                       "leave it out, or choose --modes forward_backward,train_step");
    }
    if (*step.blocks_per_checkpoint > step.model->layers) {
      throw InputError(fmt::format("--checkpoint {}: {} has {} blocks", *flags.checkpoint,
                                   step.size, step.model->layers),
                       "give at most as many");
    }
  }
  if (!flags.sharing_ranks) return;
  constexpr std::int64_t kMostRanks = 4096;
  step.ranks = Ranks{whole_number("--ranks", *flags.sharing_ranks, 2, kMostRanks)};
  if (*step.mode == Mode::kTrainStep) return;
  throw InputError("--ranks share AdamW's state, which only a training step has",
                   "leave it out, or choose --modes train_step");
}

/// Returns the chosen steps: by default training steps at the edition's reference context, in FP32
/// and in the GPU's 16-bit type.
std::vector<CellSpec> chosen_steps(const FitsFlags& flags, Precision half_precision) {
  const PlanInput input = plan_input(flags, Preset::kFull, DeviceKind::kCuda);
  const Axes chosen = axes(input);
  const std::vector<std::int64_t> contexts =
      flags.contexts ? chosen.contexts : std::vector{input.edition.reference_context};
  const std::vector<Precision> precisions =
      flags.precisions ? chosen.precisions : std::vector{Precision::kFp32, half_precision};
  const std::vector<Mode> modes =
      flags.modes ? input.selection.modes : std::vector{Mode::kTrainStep};
  std::vector<CellSpec> steps;
  for (const Size& size : chosen.sizes) {
    for (const std::int64_t context : contexts) {
      for (const Precision precision : precisions) {
        for (const Mode mode : modes) {
          CellSpec& step = steps.emplace_back();
          step.size = size.name;
          step.model = size.shape;
          step.context = context;
          step.batch = chosen.batch;
          step.precision = precision;
          step.mode = mode;
          add_variant(step, flags);
          if (bytes_are_countable(step)) continue;
          throw InputError(
              fmt::format("{}: a step's tensors would have more bytes than can be counted",
                          size.name),
              "give a smaller size, --contexts or --batch");
        }
      }
    }
  }
  return steps;
}

/// Keeps the rows of the GPU that a word names. Throws `InputError` with the nearest names.
void keep_gpu(std::vector<FitRow>& rows, const std::string& word) {
  const auto sheet = datasheet_gpu(word);
  const auto is_named = [&](const FitRow& row) {
    const auto of_row = datasheet_gpu(row.gpu);
    return slug(row.gpu) == slug(word) || (sheet && of_row && of_row->name == sheet->name);
  };
  if (std::ranges::any_of(rows, is_named)) {
    std::erase_if(rows, std::not_fn(is_named));
    return;
  }
  std::vector<std::string> names;
  for (const FitRow& row : rows) {
    if (std::ranges::find(names, row.gpu) == names.end()) names.push_back(row.gpu);
  }
  refuse_unknown("GPU", word, names);
}

bool is_of_same_step(const FitRow& a, const FitRow& b) {
  return same_setting(a.step, b.step) && a.step.mode == b.step.mode && a.step.size == b.step.size;
}

std::string step_line(const FitRow& row) {
  const CellSpec& step = row.step;
  std::string words = fmt::format("{}, {} in {}, context {}, batch {}", step.size,
                                  mode_words(*step.mode), describe(*step.precision),
                                  format_count(*step.context), format_count(*step.batch));
  if (step.blocks_per_checkpoint)
    words += ", checkpoints of " + format_plural(*step.blocks_per_checkpoint, "block");
  if (step.ranks) words += fmt::format(", AdamW's state shared by {} GPUs", step.ranks->count);
  return fmt::format("{}: {} at the peak, in {}\n", words,
                     format_bytes(static_cast<double>(row.peak_bytes)), pass_words(row.phase));
}

std::string memory_words(const FitRow& row) {
  return FitGpu{row.gpu, row.gpu_bytes}.memory_words();
}

/// Says which of the GPUs the step fits, least memory first.
std::string fits_line(const std::vector<FitRow>& rows) {
  std::vector<std::string> names;
  for (const FitRow& row : rows) {
    if (row.fits) names.push_back(fmt::format("{} ({})", row.gpu, memory_words(row)));
  }
  if (!names.empty()) return "  fits " + join(names, ", ") + "\n";
  const FitRow& last = rows.back();
  return fmt::format("  {}: it needs {}\n",
                     rows.size() == 1 ? "does not fit " + last.gpu : "fits none of these GPUs",
                     more_than({last.gpu, last.gpu_bytes}));
}

/// Says how the rows are known: what was measured on each GPU, and the best evidence of the
/// formula.
std::string evidence_lines(const std::vector<FitRow>& rows) {
  std::string lines;
  const FitRow* formula = nullptr;
  for (const FitRow& row : rows) {
    if (row.basis == "measured") {
      lines += row.measured_bytes
                   ? fmt::format("  measured {} on {}, {}\n", format_bytes(*row.measured_bytes),
                                 row.gpu, row.evidence_run)
                   : fmt::format("  ran out of memory on {}, {}\n", row.gpu, row.evidence_run);
    } else if (row.peaks && (formula == nullptr || *row.peaks > *formula->peaks)) {
      formula = &row;
    }
  }
  if (formula == nullptr)
    return lines.empty() ? "  by formula, which no measured peak confirms\n" : lines;
  return lines + fmt::format("  by formula, at most {} % off {} on {}, {}{}\n",
                             format_rough_percent(std::abs(*formula->error)),
                             format_plural(*formula->peaks, "measured peak"), formula->evidence_gpu,
                             formula->evidence_run,
                             formula->basis == "extrapolated"
                                 ? "; extrapolated beyond their batches or contexts"
                                 : "");
}

std::string text_of(const std::vector<FitRow>& rows) {
  std::string text;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if_not(
        begin, rows.end(), [&](const FitRow& row) { return is_of_same_step(row, *begin); });
    const std::vector<FitRow> of_step(begin, end);
    text += step_line(of_step.back()) + fits_line(of_step) + evidence_lines(of_step);
    begin = end;
  }
  return printable(text, "\n");
}

ExitStatus fits(const FitsFlags& flags) {
  std::vector<std::string> formats{"text"};
  for (const auto& [name, write] : kTables) formats.emplace_back(name);
  if (std::ranges::find(formats, flags.format) == formats.end())
    refuse_unknown("format", flags.format, formats);
  const auto sheet = flags.gpu ? datasheet_gpu(*flags.gpu) : std::nullopt;
  const bool has_bf16 = !sheet || datasheet_peak(sheet->name, Precision::kBf16);
  const std::vector<CellSpec> steps =
      chosen_steps(flags, has_bf16 ? Precision::kBf16 : Precision::kFp16);
  for (const CellSpec& step : steps) {
    if (!sheet || datasheet_peak(sheet->name, *step.precision)) continue;
    throw InputError(
        fmt::format("{} does not compute in {}", sheet->name, describe(*step.precision)),
        "leave --precisions out, or choose others");
  }
  const FitEvidence evidence = evidence_of(flags);
  std::vector<FitRow> rows = evidence.rows(steps);
  if (flags.gpu) keep_gpu(rows, *flags.gpu);
  const auto table =
      std::ranges::find(kTables, flags.format, [](const auto& entry) { return entry.first; });
  fmt::print("{}", table == kTables.end() ? text_of(rows) : table->second(fit_table(rows)));
  return ExitStatus::kDone;
}

}  // namespace

void add_fits(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<FitsFlags>(
      app, invocation, "fits", "say how much memory a step needs and which GPUs it fits", fits);
  verb->add_option("runs", flags->runs,
                   "RUN…: whose measured peaks are the evidence (default: every recorded run)");
  verb->add_option("--edition", flags->edition, "the handout's edition: 2025 (default) or 2026");
  verb->add_option("--sizes", flags->sizes, "small,medium, … of the edition (default: all)");
  verb->add_option("--size", flags->own_sizes,
                   "NAME=d_model,d_ff,layers,heads: a size of your own");
  verb->add_option("--contexts", flags->contexts, "128,2048, … (the edition's reference context)");
  verb->add_option("--batch", flags->batch, "sequences in a batch (4)");
  verb->add_option("--vocab", flags->vocab, "size of the vocabulary (10000)");
  verb->add_option("--precisions", flags->precisions, "fp32,tf32,bf16,fp16 (FP32 and 16-bit)");
  verb->add_option("--modes", flags->modes,
                   "inference,forward,forward_backward,train_step (train_step)");
  verb->add_option("--checkpoint", flags->checkpoint, "blocks that share one checkpoint (none)");
  verb->add_option("--ranks", flags->sharing_ranks, "GPUs that share AdamW's state (1)");
  verb->add_option("--gpu", flags->gpu, "one GPU, such as \"NVIDIA H200\", which need not be here");
  verb->add_option("--format", flags->format, "text, or table, csv, json, md: a row for each GPU");
}

}  // namespace labreport
