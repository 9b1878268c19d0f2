#include "cli/measure_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/lists.h"
#include "base/text.h"
#include "cli/flags.h"
#include "experiments/catalog.h"
#include "experiments/chosen_problems.h"
#include "experiments/common/selection.h"
#include "orchestrate/model_source.h"
#include "results/bounds.h"

namespace labreport {
namespace {

constexpr const char* kAttentionTimingProblem = "flash_benchmarking";
constexpr const char* kDataParallelProblem = "data_parallel";

std::vector<std::string> split_list(const std::string& flag,
                                    const std::optional<std::string>& text) {
  if (!text) return {};
  if (text->empty()) throw InputError(flag + " is empty", "name values, or leave the flag out");
  std::vector<std::string> words = split(*text, ',');
  std::set<std::string> seen;
  for (const std::string& word : words) {
    if (word.empty()) {
      throw InputError(flag + " has an empty value in '" + *text + "'",
                       "separate values with single commas, or leave the flag out");
    }
    if (!seen.insert(word).second) {
      throw InputError(flag + " names " + word + " twice", "name each value once");
    }
  }
  return words;
}

std::optional<std::int64_t> optional_number(const std::string& flag,
                                            const std::optional<std::string>& text,
                                            std::int64_t min_value,
                                            std::int64_t max_value = kMaxNumber) {
  if (!text) return std::nullopt;
  return whole_number(flag, *text, min_value, max_value);
}

template <typename Parse>
auto parse_list(const std::string& flag, const std::optional<std::string>& text, Parse parse) {
  std::vector<decltype(parse(std::string()))> values;
  for (const std::string& word : split_list(flag, text)) values.push_back(parse(word));
  return values;
}

/// Returns the sizes that --sizes names, then the sizes of --size.
std::vector<Size> chosen_sizes(const Request& request, const Edition& edition, Preset preset) {
  std::vector<Size> sizes = known_sizes(edition, preset);
  const std::ptrdiff_t known_count = std::ssize(sizes);
  for (const std::string& text : request.own_sizes) {
    Size size = parse_size(text, kHandoutVocab);  // --vocab replaces it in all sizes.
    if (std::ranges::find(sizes, size.name, &Size::name) != sizes.end()) {
      throw InputError("--size " + size.name + ": there is a size of that name already",
                       "choose another name");
    }
    sizes.push_back(std::move(size));
  }
  std::vector<Size> chosen;
  for (const std::string& word : split_list("--sizes", request.sizes)) {
    const auto size = std::ranges::find(sizes, word, &Size::name);
    if (size == sizes.end()) refuse_unknown("size", word, each(sizes, &Size::name));
    if (size - sizes.begin() < known_count) chosen.push_back(*size);  // The others follow below.
  }
  chosen.insert(chosen.end(), sizes.begin() + known_count, sizes.end());
  return chosen;
}

/// Returns the flags that say which code to measure, except those of a model alone.
std::optional<ModelSource> step_source(const Request& request) {
  if (request.step_args && !request.step)
    throw InputError("--step-args needs a --step", "give one");
  if (!request.step) return std::nullopt;
  for (const auto& [flag, is_given] : {std::pair("--model", request.model.has_value()),
                                       {"--loss", request.loss.has_value()},
                                       {"--model-args", request.model_args.has_value()},
                                       {"--optimizer", request.optimizer.has_value()},
                                       {"--compile", request.compile},
                                       {"--attention", request.attention.has_value()}}) {
    if (!is_given) continue;
    throw InputError(fmt::format("--step and {} are both given", flag),
                     "leave one out; a step of your own brings all of its code");
  }
  ModelSource source;
  source.model = *request.step;
  source.arguments = request.step_args.value_or("");
  source.step.emplace();
  return source;
}

/// Checks how the model's flags are combined; the worker that loads the model checks their values.
std::optional<ModelSource> model_source(const Request& request) {
  if (request.model && request.attention) {
    throw InputError("--model and --attention both name code to measure", "give one");
  }
  if (request.second_network && request.second_network != "labreport") {
    throw InputError("--and is '" + *request.second_network + "'",
                     "give labreport, or measure two runs and compare them");
  }
  if (auto step = step_source(request)) return step;
  if (request.model) {
    return ModelSource{"",
                       *request.model,
                       request.model_args.value_or(""),
                       request.loss.value_or("torch.nn.functional:cross_entropy"),
                       request.optimizer.value_or("torch.optim:AdamW"),
                       request.compile};
  }
  if (request.compile) throw InputError("--compile needs a --model", "give one");
  if (request.second_network) throw InputError("--and needs a --model or a --step", "give one");
  for (const auto& [flag, value] :
       {std::pair("--model-args", &request.model_args), std::pair("--loss", &request.loss),
        std::pair("--optimizer", &request.optimizer)}) {
    if (*value) throw InputError(std::string(flag) + " needs a --model", "give one");
  }
  return std::nullopt;
}

/// Replaces `profiling` by the problems that it stands for, and removes repetitions.
std::vector<std::string> expand_profiling(const std::vector<std::string>& problems) {
  std::vector<std::string> names;
  for (const std::string& problem : problems) {
    const bool is_profiling = problem == "profiling";
    std::ranges::move(is_profiling ? profiling_problems() : std::vector{problem},
                      std::back_inserter(names));
  }
  return distinct(names);
}

/// Returns the chosen problems and parts; an empty list stands for the profiling problems.
std::vector<std::string> chosen_problems(const Request& request, const Edition& edition) {
  const std::vector<std::string> problems = split_list("--problems", request.problems);
  if (problems.empty() && !request.only && request.attention) return {kAttentionTimingProblem};
  if (problems.empty() && !request.only && request.ranks) return {kDataParallelProblem};
  if (problems.empty()) return split_list("--only", request.only);
  if (request.only) throw InputError("--problems and --only both choose problems", "give one");
  if (problems == std::vector<std::string>{"profiling"}) return {};
  if (problems != std::vector<std::string>{"all"}) return expand_profiling(problems);
  std::vector<std::string> names;
  for (const Experiment& experiment : catalog()) {
    if (experiment.in_edition(edition.name)) names.emplace_back(experiment.name);
  }
  return names;
}

/// Throws if there is an attention to time, but the problem that times it is not chosen.
void refuse_untimed_attention(const std::optional<ModelSource>& attention,
                              const std::vector<std::string>& problems) {
  const bool is_timed = std::ranges::any_of(problems, [](const std::string& selector) {
    return find_experiment(selector).name == std::string_view(kAttentionTimingProblem);
  });
  if (!attention || is_timed) return;
  throw InputError(
      fmt::format("--attention is timed by {}, which is not chosen", kAttentionTimingProblem),
      "add it to --problems, or leave --problems and --only out");
}

/// Returns the training step of least work that the plan could have.
CellSpec smallest_step(const PlanInput& input, const DeviceChoice& choice) {
  const Axes chosen = axes(input);
  const Size& size = *std::ranges::min_element(chosen.sizes, {}, [](const Size& each_size) {
    return each_size.shape.layers * each_size.shape.d_model;
  });
  CellSpec spec = timing_cell(input, chosen, size);
  if (choice.gpus.empty()) spec.device = DeviceKind::kCpu;
  spec.context = std::ranges::min(chosen.contexts);
  spec.precision = chosen.precisions.front();
  spec.mode = Mode::kTrainStep;
  if (input.selection.ranks) spec.ranks = ranks_of(input);
  return spec;
}

}  // namespace

void add_measure_flags(CLI::App& verb, Request& request) {
  verb.add_option("--edition", request.edition, "the handout's edition: 2025 (default) or 2026");
  verb.add_option("--preset", request.preset, "full (default), quick, or demo on the CPU");
  verb.add_option("--problems", request.problems,
                  "profiling (default), all, or names that `labreport list problems` shows");
  verb.add_option("--only", request.only, "PROBLEM or PROBLEM.PART, …");
  verb.add_option("--sizes", request.sizes, "small,medium, … of the edition");
  verb.add_option("--size", request.own_sizes,
                  "NAME=d_model,d_ff,layers,heads: a size of your own");
  verb.add_option("--contexts", request.contexts, "128,512, …");
  verb.add_option("--precisions", request.precisions, "fp32,tf32,bf16,fp16");
  verb.add_option("--modes", request.modes, "inference,forward,forward_backward,train_step");
  verb.add_option("--batch", request.batch, "sequences in a batch (4)");
  verb.add_option("--vocab", request.vocab, "size of the vocabulary (10000)");
  verb.add_option("--warmup", request.warmup, "warm-up steps, which are not counted (5)");
  verb.add_option("--steps", request.steps, "counted steps (10)");
  verb.add_option("--launches", request.launches, "launches of a cell, each in a new process (1)");
  verb.add_flag("--separate-warmups", request.separate_warmups,
                "measure each warm-up window in a process of its own");
  verb.add_option("--model", request.model,
                  "FILE.py:CLASS or MODULE:CLASS: your PyTorch model in place of labreport's");
  verb.add_option("--and", request.second_network,
                  "labreport: measure its network, too, and compare");
  verb.add_option("--model-args", request.model_args,
                  "the model's arguments in JSON: {\"dropout\": 0.0, \"width\": \"$d_model\"}");
  verb.add_option("--loss", request.loss,
                  "MODULE:NAME (torch.nn.functional:cross_entropy), or model: it returns its own");
  verb.add_option("--optimizer", request.optimizer, "MODULE:NAME (torch.optim:AdamW)");
  verb.add_flag("--compile", request.compile, "wrap the --model in torch.compile");
  verb.add_option("--attention", request.attention,
                  "FILE.py:CLASS or MODULE:CLASS: your attention beside PyTorch's");
  verb.add_option("--step", request.step,
                  "FILE.py:FUNCTION or MODULE:FUNCTION, which makes a training step of your own");
  verb.add_option("--step-args", request.step_args, "the --step maker's arguments in JSON");
  verb.add_option("--ranks", request.ranks,
                  "processes that train together, each on a GPU of its own (2)");
  verb.add_option("--gpus", request.gpus, "0,1, … or all: a worker on each (default: the first)");
}

PlanInput plan_input(const Request& request, Preset preset, DeviceKind device) {
  PlanInput input{
      find_edition(request.edition.value_or(editions().front().name)), preset, {}, device};
  Selection& selection = input.selection;
  selection.only = chosen_problems(request, input.edition);
  for (std::string& selector : selection.only) {
    const Experiment& problem = find_experiment(selector);
    if (!problem.in_edition(input.edition.name)) {
      throw InputError(
          fmt::format("{} is a problem of the {} edition", problem.name, problem.only_edition),
          fmt::format("add --edition {}", problem.only_edition));
    }
    selector = canonical_selector(selector);
  }
  selection.sizes = chosen_sizes(request, input.edition, preset);
  selection.contexts = parse_list("--contexts", request.contexts, [](const std::string& word) {
    return whole_number("--contexts", word, 1);
  });
  selection.precisions =
      parse_list("--precisions", request.precisions,
                 [](const std::string& word) { return parse_name<Precision>(word); });
  selection.modes = parse_list("--modes", request.modes,
                               [](const std::string& word) { return parse_name<Mode>(word); });
  if (request.step) {
    if (request.modes && selection.modes != std::vector{Mode::kTrainStep}) {
      throw InputError("--step has no mode but train_step", "leave --modes out");
    }
    selection.modes = {Mode::kTrainStep};
  }
  selection.batch = optional_number("--batch", request.batch, 1);
  selection.vocab = optional_number("--vocab", request.vocab, 1);
  selection.warmup = optional_number("--warmup", request.warmup, 0, kMaxSteps);
  selection.steps = optional_number("--steps", request.steps, 1, kMaxSteps);
  selection.launches = optional_number("--launches", request.launches, 1, kMaxLaunchesPerCell);
  selection.ranks = optional_number("--ranks", request.ranks, 2, kMaxRanks);
  selection.separate_warmups = request.separate_warmups;
  selection.model = model_source(request);
  selection.keeps_labreports_network = request.second_network.has_value();
  if (request.attention) {
    selection.attention.emplace();
    selection.attention->model = *request.attention;
    selection.attention->attention = true;
  }
  refuse_untimed_attention(selection.attention, selection.only);
  return input;
}

void keep_what_step_takes(PlanInput& input) {
  Selection& selection = input.selection;
  if (!selection.model || !selection.model->step) return;
  const StepMaker& step = *selection.model->step;
  if (!step.takes_size) {
    if (selection.keeps_labreports_network) {
      throw InputError("--and labreport needs a --step that takes sizes, such as d_model",
                       "let its maker take them, or leave --and out");
    }
    selection.sizes = {axes(input).sizes.front()};
    selection.sizes.front().name = kOwnSize;
  }
  if (!step.takes_context) selection.contexts = {axes(input).contexts.front()};
  if (!step.precision) return;
  if (!selection.precisions.empty() && selection.precisions != std::vector{*step.precision}) {
    throw InputError(fmt::format("--precisions: this --step computes in {}, whatever is asked",
                                 describe(*step.precision)),
                     "let its maker take precision, or leave --precisions out");
  }
  selection.precisions = {*step.precision};
}

PlanInput plan_input(const Request& request, const DeviceChoice& choice) {
  PlanInput input = plan_input(request, choice.preset, choice.kind);
  // Shards keep all problems, so that all tasks divide the same plan, whichever GPUs they see.
  const bool has_one_gpu = choice.gpus.size() + choice.rank_only_gpus.size() == 1;
  if (has_one_gpu && !request.shard && request.problems == "all") {
    std::erase_if(input.selection.only, [](const std::string& problem) {
      return find_experiment(problem).needs_several_gpus;
    });
  }
  input.half_precision = choice.half_precision();
  for (auto* source : {&input.selection.model, &input.selection.attention}) {
    if (*source)
      *source = resolve_model(**source, find_model_worker(), smallest_step(input, choice),
                              choice.gpus.empty() ? "" : choice.gpus.front().uuid);
  }
  keep_what_step_takes(input);
  return input;
}

std::vector<int> parse_gpus(const std::string& text) {
  if (text == "all") return {};
  std::vector<int> indices;
  for (const std::string& word : split_list("--gpus", text)) {
    if (word.find_first_not_of("0123456789") != std::string::npos) {
      throw InputError("--gpus is '" + text + "'", "give GPUs' numbers, such as 0,1, or all");
    }
    indices.push_back(static_cast<int>(whole_number("--gpus", word, 0)));
  }
  return indices;
}

DeviceRequest device_request(const Request& request) {
  DeviceRequest device;
  if (request.preset) device.preset = parse_name<Preset>(*request.preset);
  if (request.gpus) device.gpus = parse_gpus(*request.gpus);
  return device;
}

}  // namespace labreport
