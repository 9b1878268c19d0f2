#include "cli/measure_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/flags.h"
#include "experiments/catalog.h"
#include "experiments/chosen_problems.h"
#include "orchestrate/model_source.h"
#include "results/bounds.h"

namespace labreport {
namespace {

constexpr const char* kTimesAttention = "flash_benchmarking";

std::vector<std::string> list_of(const std::string& flag, const std::optional<std::string>& text) {
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
                                            std::int64_t least, std::int64_t most = kMostNumber) {
  if (!text) return std::nullopt;
  return whole_number(flag, *text, least, most);
}

template <typename Parse>
auto parse_list(const std::string& flag, const std::optional<std::string>& text, Parse parse) {
  std::vector<decltype(parse(std::string()))> values;
  for (const std::string& word : list_of(flag, text)) values.push_back(parse(word));
  return values;
}

std::vector<std::string> names_of(const std::vector<Size>& sizes) {
  std::vector<std::string> names;
  for (const Size& size : sizes) names.push_back(size.name);
  return names;
}

const Size* find_size(const std::vector<Size>& sizes, const std::string& wanted) {
  const auto found = std::find_if(sizes.begin(), sizes.end(),
                                  [&](const Size& size) { return size.name == wanted; });
  return found == sizes.end() ? nullptr : &*found;
}

std::vector<Size> own_sizes(const MeasureFlags& flags, const std::vector<Size>& known) {
  std::vector<Size> own;
  for (const std::string& text : flags.own_sizes) {
    Size size = parse_size(text, kHandoutVocab);  // --vocab is applied to all sizes alike
    if (find_size(known, size.name) != nullptr || find_size(own, size.name) != nullptr) {
      throw InputError("--size " + size.name + ": there is a size of that name already",
                       "choose another name");
    }
    own.push_back(std::move(size));
  }
  return own;
}

/// Named ones of the edition, then one's own; one's own alone when none is named.
std::vector<Size> chosen_sizes(const MeasureFlags& flags, const Edition& edition, Preset preset) {
  const std::vector<Size> known = known_sizes(edition, preset);
  const std::vector<Size> own = own_sizes(flags, known);
  std::vector<std::string> candidates = names_of(known);
  for (const std::string& name : names_of(own)) candidates.push_back(name);
  std::vector<Size> chosen;
  for (const std::string& word : list_of("--sizes", flags.sizes)) {
    if (find_size(own, word) != nullptr) continue;  // added below
    const Size* size = find_size(known, word);
    if (size == nullptr) refuse_unknown("size", word, candidates);
    chosen.push_back(*size);
  }
  chosen.insert(chosen.end(), own.begin(), own.end());
  return chosen;
}

/// Whether labreport's own network is measured beside the model.
bool names_labreport(const std::optional<std::string>& beside) {
  if (!beside) return false;
  if (*beside == "labreport") return true;
  throw InputError("--and " + *beside + ": only labreport's own network is measured beside a model",
                   "give labreport, or measure two runs and compare them");
}

/// The words alone; only the worker that loads it understands them.
std::optional<ModelSource> named_model(const MeasureFlags& flags) {
  if (flags.model && flags.attention) {
    throw InputError("--model and --attention both name code to measure", "give one");
  }
  if (flags.model) {
    return ModelSource{"",
                       *flags.model,
                       flags.model_args.value_or(""),
                       flags.loss.value_or("torch.nn.functional:cross_entropy"),
                       flags.optimizer.value_or("torch.optim:AdamW"),
                       flags.compile};
  }
  if (flags.compile) throw InputError("--compile belongs to a --model", "name one");
  for (const auto& [flag, given] :
       {std::pair("--and", &flags.beside), std::pair("--model-args", &flags.model_args),
        std::pair("--loss", &flags.loss), std::pair("--optimizer", &flags.optimizer)}) {
    if (*given) throw InputError(std::string(flag) + " belongs to a --model", "name one");
  }
  return std::nullopt;
}

void refuse_other_edition(const std::string& selector, const Edition& edition) {
  const Experiment& experiment = find_experiment(selector);
  if (experiment.of(edition.name)) return;
  const std::string other(experiment.only_edition);
  throw InputError(
      std::string(experiment.name) + " is a problem of the " + other + " edition alone",
      "add --edition " + other);
}

std::optional<ModelSource> named_attention(const MeasureFlags& flags) {
  if (!flags.attention) return std::nullopt;
  ModelSource source;
  source.model = *flags.attention;
  source.attention = true;
  return source;
}

/// `profiling` among other problems stands for its own.
std::vector<std::string> spelled_out(const std::vector<std::string>& problems) {
  std::vector<std::string> all;
  for (const std::string& problem : problems) {
    const bool half = problem == "profiling";
    for (const std::string& name : half ? profiling_problems() : std::vector{problem}) {
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
    }
  }
  return all;
}

/// By their names; none: the profiling half.
std::vector<std::string> chosen_problems(const MeasureFlags& flags) {
  const std::vector<std::string> problems = list_of("--problems", flags.problems);
  if (problems.empty() && !flags.only && flags.attention) return {kTimesAttention};
  if (problems.empty()) return list_of("--only", flags.only);
  if (flags.only) throw InputError("--problems and --only both choose problems", "give one");
  if (problems == std::vector<std::string>{"profiling"}) return {};
  if (problems != std::vector<std::string>{"all"}) return spelled_out(problems);
  std::vector<std::string> all;
  for (const Experiment& experiment : catalog()) {
    if (experiment.of(flags.edition)) all.emplace_back(experiment.name);
  }
  return all;
}

/// Whatever chooses problems must leave the one that times it.
void expect_timed(const std::optional<ModelSource>& attention,
                  const std::vector<std::string>& problems) {
  const bool timed = std::ranges::any_of(problems, [](const std::string& selector) {
    return find_experiment(selector).name == std::string_view(kTimesAttention);
  });
  if (!attention || timed) return;
  throw InputError(fmt::format("--attention is timed by {}, which is not chosen", kTimesAttention),
                   "choose it, too, or leave out what chooses problems");
}

}  // namespace

void add_measure_flags(CLI::App& verb, MeasureFlags& flags) {
  verb.add_option("--edition", flags.edition, "of the handout: 2025 (default) or 2026");
  verb.add_option("--preset", flags.preset, "full (default), quick, or demo on the CPU");
  verb.add_option("--problems", flags.problems,
                  "profiling (default), all, or their names: see list experiments");
  verb.add_option("--only", flags.only, "EXPERIMENT or EXPERIMENT.PART, …");
  verb.add_option("--sizes", flags.sizes, "small,medium, … of the edition");
  verb.add_option("--size", flags.own_sizes, "NAME=d_model,d_ff,layers,heads: one of your own");
  verb.add_option("--contexts", flags.contexts, "128,512, …");
  verb.add_option("--precisions", flags.precisions, "fp32,tf32,bf16,fp16");
  verb.add_option("--modes", flags.modes, "inference,forward,forward_backward,train_step");
  verb.add_option("--batch", flags.batch, "sequences in a batch (4)");
  verb.add_option("--vocab", flags.vocab, "size of the vocabulary (10000)");
  verb.add_option("--warmup", flags.warmup, "steps not counted (5)");
  verb.add_option("--steps", flags.steps, "steps counted (10)");
  verb.add_option("--launches", flags.launches, "fresh processes a cell (1)");
  verb.add_flag("--separate-warmups", flags.separate_warmups,
                "measure each warm-up window in a process of its own");
  verb.add_option("--model", flags.model,
                  "FILE.py:CLASS or MODULE:CLASS: a PyTorch module in place of ours");
  verb.add_option("--and", flags.beside, "labreport: its own network too, and the two compared");
  verb.add_option("--model-args", flags.model_args,
                  "JSON: what it is called with, as {\"dropout\": 0.0, \"width\": \"$d_model\"}");
  verb.add_option("--loss", flags.loss, "MODULE:NAME (torch.nn.functional:cross_entropy)");
  verb.add_option("--optimizer", flags.optimizer, "MODULE:NAME (torch.optim:AdamW)");
  verb.add_flag("--compile", flags.compile, "wrap the --model in torch.compile");
  verb.add_option("--attention", flags.attention,
                  "FILE.py:CLASS or MODULE:CLASS: your attention beside PyTorch's");
  verb.add_option("--gpus", flags.gpus, "0,1, … or all: one worker each (default: the first)");
}

bool is_measure_flag(const std::string& flag) {
  static const auto names = [] {
    CLI::App verb;
    verb.set_help_flag();
    MeasureFlags flags;
    add_measure_flags(verb, flags);
    std::set<std::string> all;
    for (const CLI::Option* option : std::as_const(verb).get_options()) {
      all.insert(flag_name(*option));
    }
    return all;
  }();
  return names.contains(flag);
}

PlanInput plan_input(const MeasureFlags& flags, Preset preset, DeviceKind device) {
  PlanInput input{find_edition(flags.edition), preset, {}, device};
  Selection& selection = input.selection;
  selection.only = chosen_problems(flags);
  for (std::string& selector : selection.only) {
    refuse_other_edition(selector, input.edition);
    selector = own_selector(selector);
  }
  selection.sizes = chosen_sizes(flags, input.edition, preset);
  selection.contexts = parse_list("--contexts", flags.contexts, [](const std::string& word) {
    return whole_number("--contexts", word, 1);
  });
  selection.precisions = parse_list("--precisions", flags.precisions,
                                    [](const std::string& word) { return parse_precision(word); });
  selection.modes =
      parse_list("--modes", flags.modes, [](const std::string& word) { return parse_mode(word); });
  selection.batch = optional_number("--batch", flags.batch, 1);
  selection.vocab = optional_number("--vocab", flags.vocab, 1);
  selection.warmup = optional_number("--warmup", flags.warmup, 0, kMostSteps);
  selection.steps = optional_number("--steps", flags.steps, 1, kMostSteps);
  selection.launches = optional_number("--launches", flags.launches, 1, kMostLaunchesOfACell);
  selection.separate_warmups = flags.separate_warmups;
  selection.model = named_model(flags);
  selection.both = names_labreport(flags.beside);
  selection.attention = named_attention(flags);
  expect_timed(selection.attention, selection.only);
  return input;
}

PlanInput plan_input(const MeasureFlags& flags, const DeviceChoice& choice) {
  PlanInput input = plan_input(flags, choice.preset, choice.kind);
  const bool one_gpu = choice.gpus.size() + choice.others.size() == 1;
  if (one_gpu && flags.problems == "all") {
    std::erase_if(input.selection.only,
                  [](const std::string& problem) { return find_experiment(problem).several_gpus; });
  }
  input.half = choice.half();
  for (auto* source : {&input.selection.model, &input.selection.attention}) {
    if (*source) *source = resolved(**source, find_model_worker());
  }
  return input;
}

std::vector<int> parse_gpus(const std::string& text) {
  if (text == "all") return {};
  std::vector<int> indices;
  for (const std::string& word : list_of("--gpus", text)) {
    if (word.find_first_not_of("0123456789") != std::string::npos) {
      throw InputError("--gpus is '" + text + "'", "give their numbers, as 0,1, or all for all");
    }
    indices.push_back(static_cast<int>(whole_number("--gpus", word, 0)));
  }
  return indices;
}

DeviceWish device_wish(const MeasureFlags& flags) {
  DeviceWish wish;
  if (flags.preset) wish.preset = parse_preset(*flags.preset);
  if (flags.gpus) wish.gpus = parse_gpus(*flags.gpus);
  return wish;
}

}  // namespace labreport
