#include <algorithm>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/pages.h"

namespace labreport {
namespace {

constexpr const char* kAboveTopic = "../../";
constexpr std::ptrdiff_t kMostDrawn = 24;  // More rows do not fit a screen.

/// One quantity's measurements on each GPU, in the GPUs' order; null where there are none.
using OnGpus = std::vector<const Measurements*>;

const Quantity& quantity_of(const OnGpus& measured) {
  const auto first =
      std::ranges::find_if(measured, [](const auto* series) { return series != nullptr; });
  return *(*first)->front().quantity;
}

/// One named value of one quantity.
struct ValueRow {
  std::string network, precision, setting, name;
  const OnGpus* measured;

  std::string label() const {
    std::vector<std::string> words{quantity_of(*measured).network, precision, setting, name};
    std::erase(words, "");
    return join(words, ", ");
  }
  Value value(std::size_t gpu) const {
    const Measurements* series = (*measured)[gpu];
    return series == nullptr ? Value() : newest_value(*series, name, kAboveTopic);
  }
  bool on_several() const {
    std::size_t values = 0;
    for (std::size_t gpu = 0; gpu < measured->size(); ++gpu) values += !value(gpu).is_missing();
    return values > 1;
  }
};

/// The quantities that GPUs measured in one unit, larger networks first.
std::vector<OnGpus> quantities_in(const std::vector<std::vector<Measurements>>& of_gpus,
                                  const std::string& unit) {
  std::vector<OnGpus> all;
  for (std::size_t gpu = 0; gpu < of_gpus.size(); ++gpu) {
    for (const Measurements& series : of_gpus[gpu]) {
      const Quantity& quantity = *series.front().quantity;
      if (quantity.unit != unit) continue;
      auto known = std::ranges::find_if(
          all, [&](const OnGpus& other) { return quantity_of(other).matches(quantity); });
      if (known == all.end()) known = all.insert(known, OnGpus(of_gpus.size()));
      (*known)[gpu] = &series;
    }
  }
  std::ranges::stable_sort(all, std::greater(),
                           [](const OnGpus& measured) { return quantity_of(measured).parameters; });
  return all;
}

std::vector<ValueRow> value_rows(const std::vector<OnGpus>& quantities, bool with_setting,
                                 const std::vector<GpuRuns>& gpus) {
  std::vector<ValueRow> rows;
  for (const OnGpus& measured : quantities) {
    std::vector<Measurements> of_gpus;
    for (const Measurements* series : measured) {
      if (series != nullptr) of_gpus.push_back(*series);
    }
    const Quantity& quantity = quantity_of(measured);
    for (const std::string& name : value_names(of_gpus)) {
      rows.push_back({network_names(gpus, quantity), quantity.precision,
                      with_setting ? quantity.setting : "", name, &measured});
    }
  }
  return rows;
}

/// The row that represents the topic, among those that several GPUs measured; null if there is
/// none. It is one that is not launch-bound, if possible, then of the largest network, for times in
/// reduced precision, then the whole step, then the largest value, or the smallest if the topic's
/// values are alternatives.
const ValueRow* representative(const std::string& topic, const std::vector<ValueRow>& rows) {
  const std::set<std::string> of_alternatives{topic::kFastestStep, topic::kCompilation,
                                              topic::kCheckpointing, topic::kSeveralGpus};
  const double sign = of_alternatives.contains(topic) ? -1 : 1;
  const auto rank = [sign](const ValueRow& row) {
    const Quantity& quantity = quantity_of(*row.measured);
    double most = 0;
    for (std::size_t gpu = 0; gpu < row.measured->size(); ++gpu) {
      if (!row.value(gpu).is_missing()) most = std::max(most, *row.value(gpu).number());
    }
    return std::tuple(quantity.remark != "launch-bound", quantity.parameters,
                      quantity.unit == "ms" && row.precision != "FP32", row.name == "step",
                      sign * most);
  };
  const ValueRow* best = nullptr;
  for (const ValueRow& row : rows) {
    if (row.on_several() && (best == nullptr || rank(row) > rank(*best))) best = &row;
  }
  return best;
}

/// Says the row's number on each GPU and, for times, how they compare.
Facts conclusion(const ValueRow& row, const std::vector<GpuRuns>& gpus, const std::string& unit) {
  constexpr double kAlike = 1.02;  // GPUs within this factor are alike, as launches of one GPU are.
  std::vector<std::string> words;
  std::set<std::string> numbers;
  std::vector<std::pair<double, std::string>> measured;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const Value value = row.value(gpu);
    if (value.is_missing()) continue;
    const std::string number = format_value(*value.number(), {Notation::kSignificant, 3});
    numbers.insert(number);
    measured.emplace_back(*value.number(), gpus[gpu].short_name);
    words.push_back("**" + number + (unit == "×" ? "" : " ") + unit + "** on the " +
                    gpus[gpu].short_name);
  }
  const std::string on_each = "**" + *numbers.begin() + " " + unit + "** on each GPU";
  const auto [fast, slow] = std::ranges::minmax(measured);
  return Facts()
      .set("what", row.label())
      .set_markdown("values", numbers.size() == 1 ? on_each : join_words(words))
      .when("faster", unit == "ms" && slow.first > kAlike * fast.first,
            Facts()
                .set("fast", fast.second)
                .set("slow", slow.second)
                .set("times", format_ratio(slow.first / fast.first)));
}

struct Dot {
  std::string row, device;
  Value value;
};

const std::vector<Column<Dot>> kDots{
    {"row", "Row", &Dot::row}, {"device", "GPU", &Dot::device}, {"value", "Value", &Dot::value}};

Dataset dots(const std::vector<ValueRow>& rows, const std::vector<GpuRuns>& gpus) {
  std::vector<Dot> drawn;
  std::ptrdiff_t count = 0;
  for (const ValueRow& row : rows) {
    if (!row.on_several() || ++count > kMostDrawn) continue;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const Value value = row.value(gpu);
      if (!value.is_missing()) drawn.push_back({row.label(), gpus[gpu].short_name, value});
    }
  }
  return make_dataset("dots", kDots, drawn);
}

}  // namespace

Document topic_document(const std::string& topic, const std::vector<GpuRuns>& gpus) {
  std::vector<std::vector<Measurements>> of_gpus;
  std::vector<std::string> units;
  for (const GpuRuns& gpu : gpus) {
    of_gpus.push_back(measurements(gpu, topic));
    for (const Measurements& series : of_gpus.back())
      units.push_back(series.front().quantity->unit);
  }
  PartContent content;
  content.facts.when("fits", topic == topic::kMemory && has_fits_page(gpus), "page",
                     std::string(kAboveTopic) + kFitsFile);
  bool cut = false;
  std::optional<Facts> concluded;
  for (const std::string& unit : distinct(units)) {
    const std::vector<OnGpus> quantities = quantities_in(of_gpus, unit);
    std::vector<Measurements> all;
    for (const OnGpus& measured : quantities) all.push_back({{nullptr, &quantity_of(measured)}});
    const std::string common = common_setting(all);
    const std::vector<ValueRow> rows = value_rows(quantities, common.empty(), gpus);
    const Quantity& first = *all.front().front().quantity;
    std::vector<Column<ValueRow>> columns;
    if (!first.network.empty()) columns.push_back({"network", "Network", &ValueRow::network});
    if (!first.precision.empty())
      columns.push_back({"precision", "Precision", &ValueRow::precision});
    if (common.empty()) columns.push_back({"setting", "Setting", &ValueRow::setting});
    columns.push_back({"name", "Quantity", &ValueRow::name});
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      columns.push_back({gpus[gpu].gpu, gpus[gpu].short_name,
                         [gpu](const ValueRow& row) { return row.value(gpu); }, unit});
    }
    const ValueRow* row = representative(topic, rows);
    if (!concluded && row != nullptr) concluded = conclusion(*row, gpus, unit);
    cut = cut || std::ranges::count_if(rows, &ValueRow::on_several) > kMostDrawn;
    const auto alone = [](const ValueRow& row) { return !row.on_several(); };
    for (Dataset dataset :
         {dots(rows, gpus), make_dataset("numbers", columns, only(rows, &ValueRow::on_several)),
          make_dataset("alone", columns, only(rows, alone))}) {
      dataset.variant = unit + (common.empty() ? "" : ", ") + common;
      content.datasets.push_back(std::move(dataset));
    }
  }
  content.facts.when("concluded", concluded);
  content.facts.flag("cut", cut).set("drawn", format_count(kMostDrawn));
  Document document;
  document.title = topic;
  document.sections = {overview_section("topic", std::move(content))};
  return document;
}

}  // namespace labreport
