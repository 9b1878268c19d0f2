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
#include "experiments/users_code.h"
#include "orchestrate/model_source.h"
#include "results/bounds.h"

namespace labreport {
namespace {

constexpr std::string_view kDataParallelProblem = "data_parallel";

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

/// Throws if the edition measures this size on a GPU, but not in a demonstration.
void refuse_size_of_gpus(const std::string& name, const Edition& edition) {
  if (std::ranges::find(edition.sizes, name, &Size::name) == edition.sizes.end()) return;
  throw InputError("the demonstration on the CPU has no size " + name,
                   "leave --sizes out, or plan for a GPU elsewhere: `labreport run --dry-run --gpu "
                   "NAME --sizes " +
                       name + "`");
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
    if (size == sizes.end() && preset == Preset::kDemo) refuse_size_of_gpus(word, edition);
    if (size == sizes.end()) refuse_unknown("size", word, each(sizes, &Size::name));
    if (size - sizes.begin() < known_count) chosen.push_back(*size);  // The others follow below.
  }
  chosen.insert(chosen.end(), sizes.begin() + known_count, sizes.end());
  return chosen;
}

/// Throws if the request names two pieces of code, or describes code that it does not name.
void refuse_contradicting_code(const Request& request) {
  const CodeFlag* code = given_code(request);
  for (const CodeFlag& other : kCodeFlags) {
    if (&other == code || !other.is_given(request)) continue;
    throw InputError(fmt::format("{} and {} are both given", code->flag, other.flag),
                     "leave one out; each is measured in a run of its own");
  }
  for (const GivenFlag& given : given_flags(request)) {
    const auto detail = std::ranges::find(kCodeDetails, given.name, &CodeDetail::flag);
    if (detail == std::end(kCodeDetails) || (code != nullptr && code->flag == detail->owner))
      continue;
    if (code == nullptr)
      throw InputError(fmt::format("{} needs a {}", detail->flag, detail->owner), "give one");
    throw InputError(fmt::format("{} and {} are both given", code->flag, detail->flag),
                     fmt::format("leave one out; only a {} has a {}", detail->owner, detail->flag));
  }
}

/// Checks how the flags are combined; the worker that loads the code checks their values.
void add_code(const Request& request, Selection& selection) {
  refuse_contradicting_code(request);
  const CodeFlag* code = given_code(request);
  if (request.second_network && request.second_network != "labreport") {
    throw InputError("--and is '" + *request.second_network + "'",
                     "give labreport, or measure two runs and compare them");
  }
  if (request.second_network && (code == nullptr || request.attention))
    throw InputError("--and needs code of your own beside it", "give a --model or a --step");
  if (code == nullptr) return;
  for (const std::string& name : split_list("--attention", request.attention))
    selection.attentions.push_back({.model = name, .attention = true});
  if (request.attention) return;
  ModelSource source{.model = *(request.*code->code)};
  if (request.model) {
    source.arguments = request.model_args.value_or("");
    source.loss = request.loss.value_or("torch.nn.functional:cross_entropy");
    source.optimizer = request.optimizer.value_or("torch.optim:AdamW");
    source.compile = request.compile;
  } else {
    source.arguments = request.step_args.value_or("");
    source.step.emplace();
    if (!code->part.empty()) source.part = code->part;
  }
  selection.keeps_labreports_network = request.second_network || source.part;
  selection.model = std::move(source);
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

/// Returns the chosen problems and parts; an empty list stands for the profiling problems. Of a
/// part of a checkout it returns those that the part answers.
std::vector<std::string> chosen_problems(const Request& request, const Edition& edition) {
  const std::vector<std::string> problems = split_list("--problems", request.problems);
  const std::vector<std::string> parts = split_list("--only", request.only);
  if (request.problems && request.only)
    throw InputError("--problems and --only both choose problems", "give one");
  std::vector<std::string> chosen = requested_problems(request);
  if (chosen == std::vector<std::string>{"profiling"} && !request.course) return {};
  if (chosen == std::vector<std::string>{"all"}) {
    chosen.clear();
    for (const Experiment& experiment : catalog()) {
      if (experiment.in_edition(edition.name)) chosen.emplace_back(experiment.name);
    }
  }
  chosen = expand_profiling(chosen);
  if (!request.course) return chosen;
  const CodeFlag& code = *given_code(request);
  return only(std::move(chosen), [&](const std::string& selector) {
    const Experiment& problem = find_experiment(selector);
    return code.problem.empty() ? problem.in_profiling_half : problem.name == code.problem;
  });
}

/// Returns the edition that alone has the problem of the user's code; empty if there is none.
std::string edition_of_code(const Request& request) {
  const CodeFlag* code = given_code(request);
  if (code == nullptr || code->problem.empty()) return "";
  return std::string(find_experiment(code->problem).only_edition);
}

Edition chosen_edition(const Request& request) {
  if (request.edition) return find_edition(*request.edition);
  const std::string needed = edition_of_code(request);
  return needed.empty() ? editions().front() : find_edition(needed);
}

/// Throws if a part of a problem is chosen that the user's part of distributed training does not
/// answer.
void refuse_unanswered_part(const CodeFlag& code, const std::vector<std::string>& problems) {
  constexpr std::string_view kOwnStepLetter = "e";  // Any code can make a step of data_parallel.
  if (code.part.empty()) return;
  for (const std::string& selector : problems) {
    const std::string_view problem = find_experiment(selector).name;
    const std::string_view letters = problem == code.problem ? code.letters : kOwnStepLetter;
    if (selector == problem || letters.find(selector.back()) != letters.npos) continue;
    const auto part_words = [&](char letter) { return fmt::format("{}.{}", problem, letter); };
    throw InputError(fmt::format("{} answers {}, not {}", code.flag,
                                 join_words(each(letters, part_words)), selector),
                     "leave --problems and --only out");
  }
}

/// Throws if code is given that the chosen problems do not measure.
void refuse_unused_code(const CodeFlag& code, const std::vector<std::string>& problems) {
  if (code.problem.empty()) return;
  const auto is_own = [&](const std::string& selector) {
    const std::string_view problem = find_experiment(selector).name;
    return problem == code.problem || (!code.part.empty() && problem == kDataParallelProblem);
  };
  const auto other = std::ranges::find_if_not(problems, is_own);
  const bool is_used = code.part.empty() ? std::ranges::any_of(problems, is_own)
                                         : other == problems.end() && !problems.empty();
  if (is_used) return refuse_unanswered_part(code, problems);
  const std::string_view chosen = problems.empty() ? "profiling" : find_experiment(*other).name;
  throw InputError(fmt::format("{} is measured by {}, not by {}", code.flag, code.problem, chosen),
                   "leave --problems and --only out");
}

/// Throws if only the part about caps of buckets is chosen, and the user's container takes none.
void refuse_caps_that_nothing_takes(const Selection& selection) {
  const bool is_container = selection.model->part == "ddp";
  if (!is_container || selection.model->step->takes_bucket_size ||
      selection.only != std::vector<std::string>{std::string(kDataParallelProblem) + ".d"})
    return;
  throw InputError("data_parallel.d varies the caps of buckets, and this container takes none",
                   "let it take bucket_size_mb, or choose data_parallel.c");
}

/// Throws if problems are chosen and none of them trains on several ranks.
void refuse_unused_ranks(const std::vector<std::string>& problems) {
  const bool is_used =
      problems.empty() || std::ranges::any_of(problems, [](const std::string& selector) {
        return find_experiment(selector).needs_several_gpus;
      });
  if (is_used) return;
  throw InputError(
      fmt::format("--ranks starts several processes, and {} is measured in one", problems.front()),
      fmt::format("leave --ranks out, or add {} to --problems", kDataParallelProblem));
}

/// Returns the training step of least work that the plan could have.
CellSpec smallest_step(const PlanInput& input, const DeviceChoice& choice) {
  const Axes chosen = axes(input);
  const Size& size = *std::ranges::min_element(chosen.sizes, {}, [](const Size& each_size) {
    return each_size.shape.layers * each_size.shape.d_model;
  });
  CellSpec spec = timing_cell(input, chosen, size);
  if (choice.gpus.empty() || choice.is_elsewhere) spec.device = DeviceKind::kCpu;
  spec.context = std::ranges::min(chosen.contexts);
  spec.precision = chosen.precisions.front();
  spec.mode = Mode::kTrainStep;
  const bool is_part = input.selection.model && input.selection.model->part;
  if (input.selection.ranks || is_part) spec.ranks = ranks_of(input);
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
  verb.add_option("--ddp", request.ddp,
                  "FILE.py:CLASS or MODULE:CLASS: your container for data parallelism");
  verb.add_option("--sharded-optimizer", request.sharded_optimizer,
                  "FILE.py:CLASS or MODULE:CLASS: your optimizer with sharded state");
  verb.add_option("--fsdp", request.fsdp,
                  "FILE.py:CLASS or MODULE:CLASS: your container for fully sharded training");
  verb.add_option("--ranks", request.ranks,
                  "processes that train together, each on a GPU of its own (2)");
  verb.add_option("--gpus", request.gpus, "0,1, … or all: a worker on each (default: the first)");
}

PlanInput plan_input(const Request& request, Preset preset, DeviceKind device) {
  PlanInput input{chosen_edition(request), preset, {}, device};
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
  add_code(request, selection);
  if (selection.model && selection.model->step) {
    if (request.modes && selection.modes != std::vector{Mode::kTrainStep}) {
      throw InputError("a training step has no mode but train_step", "leave --modes out");
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
  if (const CodeFlag* code = given_code(request)) refuse_unused_code(*code, selection.only);
  if (request.ranks && !request.course) refuse_unused_ranks(selection.only);
  return input;
}

void use_code_of(const Session& session, Selection& selection) {
  selection.model.reset();
  selection.attentions.clear();
  for (const ModelSource* code : code_of(session)) {
    if (code->attention)
      selection.attentions.push_back(*code);
    else
      selection.model = *code;
  }
}

std::string edition_words(const Request& request) {
  const std::string needed = edition_of_code(request);
  if (request.edition || needed.empty()) return "";
  return fmt::format("{} edition, because no other has {}", needed, given_code(request)->problem);
}

bool answers_chosen_problem(const Request& request) {
  return !chosen_problems(request, chosen_edition(request)).empty();
}

void keep_what_step_takes(PlanInput& input) {
  Selection& selection = input.selection;
  if (!selection.model || !selection.model->step) return;
  const StepMaker& step = *selection.model->step;
  refuse_caps_that_nothing_takes(selection);
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
  const bool has_one_gpu =
      !choice.is_elsewhere && choice.gpus.size() + choice.rank_only_gpus.size() == 1;
  if (has_one_gpu && !request.shard && request.problems == "all") {
    std::erase_if(input.selection.only, [](const std::string& problem) {
      return find_experiment(problem).needs_several_gpus;
    });
  }
  input.half_precision = choice.half_precision();
  const auto resolve = [&](ModelSource& source) {
    source = resolve_model(source, find_model_worker(), smallest_step(input, choice),
                           choice.gpus.empty() ? "" : choice.gpus.front().uuid);
  };
  if (input.selection.model) resolve(*input.selection.model);
  std::ranges::for_each(input.selection.attentions, resolve);
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
