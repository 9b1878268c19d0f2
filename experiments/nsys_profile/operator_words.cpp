#include "experiments/nsys_profile/operator_words.h"

#include <array>
#include <utility>

namespace labreport::nsys_profile {
namespace {

constexpr std::array kInstead{std::pair{"a kernel", "an operator"}, std::pair{"kernel", "operator"},
                              std::pair{"Kernel", "Operator"},
                              std::pair{"by events", "by the host's clock"},
                              std::pair{"the device's time", "the processor's time"}};

void rename(std::string& text) {
  for (const auto& [word, instead] : kInstead) {
    const std::string_view known(word);
    for (auto at = text.find(known); at != std::string::npos; at = text.find(known, at)) {
      text.replace(at, known.size(), instead);
    }
  }
}

void rename(TableView& table) {
  rename(table.title);
  for (ColumnView& column : table.columns) rename(column.title);
}

void rename(std::vector<Figure>& figures) {
  for (Figure& figure : figures) {
    for (std::string* text : {&figure.title, &figure.caption, &figure.alt}) rename(*text);
    rename(figure.data);
  }
}

}  // namespace

void say_operators(PartContent& part) {
  rename(part.figures);
  rename(part.drawer.figures);
  for (TableView& table : part.tables) rename(table);
  for (TableView& table : part.drawer.tables) rename(table);
}

}  // namespace labreport::nsys_profile
