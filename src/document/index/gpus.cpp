#include "document/index/gpus.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"

namespace labreport {
namespace {

/// Returns the GPU's name without "NVIDIA": its first word, or all words if another GPU's name
/// begins with the first.
std::string short_gpu_name(const std::string& gpu, const std::vector<RunSummary>& runs) {
  const auto without_vendor = [](const std::string& name) { return replaced(name, "NVIDIA ", ""); };
  const std::string word = without_vendor(gpu).substr(0, without_vendor(gpu).find(' '));
  const bool is_taken = std::ranges::any_of(runs, [&](const RunSummary& run) {
    return run.gpu() != gpu && without_vendor(run.gpu()).starts_with(word);
  });
  return is_taken ? without_vendor(gpu) : word;
}

/// Returns for each edition the number of GPUs whose training step was timed in it.
std::map<std::string, std::size_t> timed_gpus_by_edition(const std::vector<GpuRuns>& gpus) {
  std::map<std::string, std::size_t> counts;
  for (const GpuRuns& gpu : gpus) {
    std::set<std::string> editions;
    for (const RunSummary* run : gpu.runs) {
      if (!run->headline.network.empty()) editions.insert(run->edition);
    }
    for (const std::string& edition : editions) ++counts[edition];
  }
  return counts;
}

/// Moves the run that stands for each GPU to the front. Of equal runs the newest does.
void put_first_what_stands_for_gpus(std::vector<GpuRuns>& gpus) {
  auto gpu_counts = timed_gpus_by_edition(gpus);
  for (GpuRuns& gpu : gpus) {
    const auto first = std::ranges::max_element(gpu.runs, {}, [&](const RunSummary* run) {
      const auto [times_step, by_user, is_full] = run->precedence();
      return std::tuple(times_step, by_user, gpu_counts[run->edition], is_full);
    });
    std::rotate(gpu.runs.begin(), first, first + 1);
  }
}

}  // namespace

std::vector<GpuRuns> runs_by_gpu(const std::vector<RunSummary>& runs) {
  std::vector<const RunSummary*> newest_first;
  for (const RunSummary& run : runs) {
    if (!run.demonstration) newest_first.push_back(&run);
  }
  std::ranges::sort(newest_first,
                    [](const auto* run, const auto* other) { return run->is_newer_than(*other); });
  std::vector<GpuRuns> gpus;
  for (const RunSummary* run : newest_first) {
    auto gpu = std::ranges::find(gpus, run->gpu(), &GpuRuns::name);
    if (gpu == gpus.end())
      gpu = gpus.insert(gpu, {run->gpu(), short_gpu_name(run->gpu(), runs), {}});
    gpu->runs.push_back(run);
  }
  put_first_what_stands_for_gpus(gpus);
  return gpus;
}

Value Measurement::value(const std::string& name, const std::string& root) const {
  const double* found = quantity->find(name);
  if (found == nullptr) return {};
  Value value = *found;
  // The site gives each GPU a folder of its own, but two GPUs' names may make one slug.
  value.key = quantity->key(name, run->folder.empty() ? run->gpu() : run->gpu_folder());
  if (!run->folder.empty()) value.link = root + run->address(quantity->part);
  return value;
}

std::vector<Series> quantity_series(const GpuRuns& gpu, const std::string& topic) {
  std::vector<Series> all;
  for (const RunSummary* run : gpu.runs) {
    for (const Quantity& quantity : run->quantities) {
      if (quantity.topic != topic) continue;
      auto series = std::ranges::find_if(
          all, [&](const Series& known) { return known.front().quantity->matches(quantity); });
      if (series == all.end()) series = all.insert(series, Series());
      series->push_back({run, &quantity});
    }
  }
  std::ranges::stable_sort(
      all, {}, [](const Series& series) { return series.front().quantity->parameters; });
  return all;
}

std::optional<Measurement> chosen_measurement(const Series& series, const std::string& name) {
  const auto rank = [&](const Measurement& measurement) {
    const Quantity& quantity = *measurement.quantity;
    const bool is_peak =
        quantity.topic == topic::kLimits && quantity.setting == topic::kFastestGemm;
    return std::tuple(is_peak ? *quantity.find(name) : 0.0, !quantity.is_set_by_cpu(name),
                      !quantity.part.empty());
  };
  std::optional<Measurement> chosen;
  for (const Measurement& measurement : series) {
    if (measurement.quantity->find(name) == nullptr) continue;
    if (!chosen || rank(measurement) > rank(*chosen)) chosen = measurement;
  }
  return chosen;
}

std::string remark_on(const Series& series) {
  for (const auto& [run, quantity] : series) {
    if (!quantity->remark.empty()) return quantity->remark;
  }
  return "";
}

double number_in(const std::string& name) {
  const std::string plain = replaced(name, ",", "");
  const auto digit = std::ranges::find_if(plain, is_digit);
  return leading_number<double>(std::string_view(digit, plain.end())).value_or(0);
}

std::vector<std::string> listed_words(const std::string& words) {
  return split(replaced(words, ", ", "\n"), '\n');
}

std::vector<std::string> shared_words(const std::vector<const Quantity*>& quantities) {
  if (quantities.empty()) return {};
  return only(listed_words(quantities.front()->setting), [&](const std::string& word) {
    return std::ranges::all_of(quantities, [&](const Quantity* quantity) {
      const std::vector<std::string> words = listed_words(quantity->setting);
      return std::ranges::find(words, word) != words.end();
    });
  });
}

std::string words_except(const std::vector<std::string>& shared, const Quantity& quantity) {
  return join(only(listed_words(quantity.setting),
                   [&](const std::string& word) {
                     return std::ranges::find(shared, word) == shared.end();
                   }),
              ", ");
}

std::vector<std::string> names_out_of_memory(const Series& series) {
  const std::string remark = remark_on(series);
  if (!remark.starts_with(kRanOutAt)) return {};
  return only(listed_words(remark.substr(kRanOutAt.size())),
              [&](const std::string& name) { return !chosen_measurement(series, name); });
}

std::size_t leading_gpu(const std::vector<GpuRuns>& two) {
  const auto rank = [](const GpuRuns& gpu) {
    const Value memory = gpu_memory(gpu);
    return std::pair(memory.is_missing() ? 0 : *memory.number(), gpu.name);
  };
  return rank(two[0]) > rank(two[1]) ? 0 : 1;
}

Value gpu_memory(const GpuRuns& gpu) {
  for (const RunSummary* run : gpu.runs) {
    if (run->memory.device_bytes <= 0) continue;
    Value gib = number_in_unit(run->memory.device_bytes, {Notation::kGibibytes});
    gib.key = "memory/" + slug(gpu.name);
    return gib;
  }
  return {};
}

bool is_measured(const std::vector<GpuRuns>& gpus, const Topic& topic) {
  return std::ranges::any_of(
      gpus, [&](const GpuRuns& gpu) { return !quantity_series(gpu, topic.name).empty(); });
}

std::vector<Topic> topics_on_page(const std::vector<GpuRuns>& gpus, std::string_view page) {
  return only(std::vector(std::begin(kTopics), std::end(kTopics)), [&](const Topic& topic) {
    return topic.page != nullptr && topic.page == page && is_measured(gpus, topic);
  });
}

std::vector<std::string> value_names(const std::vector<Series>& all) {
  std::vector<std::string> names;
  for (const Series& series : all) {
    for (const Measurement& measurement : series) {
      // A new name is inserted after the name before it in the same quantity.
      auto place = names.begin();
      for (const auto& [name, value] : measurement.quantity->values) {
        auto found = std::ranges::find(names, name);
        if (found == names.end()) found = names.insert(place, name);
        place = found + 1;
      }
    }
  }
  return names;
}

std::string network_name(const std::string& word, double parameters) {
  constexpr double kMillion = 1e6, kBillion = 1e9;
  if (parameters <= 0) return word;
  const std::string count = parameters < kMillion   ? format_fixed(parameters, 0)
                            : parameters < kBillion ? format_fixed(parameters / kMillion, 0) + " M"
                                                    : format_fixed(parameters / kBillion, 1) + " B";
  return word + " (" + count + ")";
}

std::string network_name(const std::vector<GpuRuns>& gpus, const Quantity& quantity) {
  if (quantity.parameters <= 0) return quantity.network;
  std::pair<std::string, std::string> edition_and_word{"", quantity.network};
  for (const GpuRuns& gpu : gpus) {
    for (const RunSummary* run : gpu.runs) {
      for (const Quantity& other : run->quantities) {
        if (other.parameters == quantity.parameters)
          edition_and_word = std::max(edition_and_word, {run->edition, other.network});
      }
    }
  }
  return network_name(edition_and_word.second, quantity.parameters);
}

std::string words_of_editions(const std::vector<GpuRuns>& gpus, std::string_view topic_page) {
  const std::vector<Topic> on_page = topics_on_page(gpus, topic_page);
  const auto word_of = [](const std::string& name) { return name.substr(0, name.rfind(" (")); };
  using Words = std::map<std::string, std::string>;  // An edition's word by the network's name.
  std::map<std::string, Words> words_of_edition;
  std::map<std::string, std::set<std::string>> names_by_word;  // "xl": "xl (2.0 B)", "xl (3.4 B)"
  for (const GpuRuns& gpu : gpus) {
    for (const RunSummary* run : gpu.runs) {
      for (const Quantity& quantity : run->quantities) {
        const bool is_elsewhere =
            !topic_page.empty() &&
            std::ranges::find(on_page, quantity.topic, &Topic::name) == on_page.end();
        if (is_elsewhere || quantity.parameters <= 0) continue;
        const std::string name = network_name(gpus, quantity);
        words_of_edition[run->edition][name] = quantity.network;
        names_by_word[word_of(name)].insert(name);
      }
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [edition, words] : words_of_edition) {
    std::vector<std::string> calls;
    for (const auto& [name, word] : words) {
      if (word_of(name) != word || names_by_word[word].size() > 1)
        calls.push_back(name + " " + word);
    }
    if (!calls.empty())
      sentences.push_back("Reports of the " + edition + " edition call " + join_words(calls) + ".");
  }
  return join(sentences, " ");
}

std::string readable_time(std::string iso) {
  constexpr std::size_t kDateLength = 10;
  constexpr std::size_t kMinuteLength = 16;
  if (iso.size() <= kMinuteLength || iso[kDateLength] != 'T') return iso;
  iso[kDateLength] = ' ';
  return iso.substr(0, kMinuteLength);
}

std::string topic_folder(const std::string& page) { return "topic/" + slug(page); }

std::string topic_address(const Topic& topic, const std::string& root) {
  if (topic.page == nullptr) return "";
  return root + topic_folder(topic.page) + "/index.html#section-" + slug(topic.name);
}

}  // namespace labreport
