#include "cli/help.h"

#include <fmt/format.h>

namespace labreport {
namespace {

constexpr const char* kLine = "  {:<20} {}\n";

std::string verbs(const CLI::App& app) {
  std::string text = "usage: labreport VERB [FLAGS]\n\n";
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    text += fmt::format(fmt::runtime(kLine), verb->get_name(), verb->get_description());
  }
  return text + "\n`labreport VERB --help` shows a verb's flags; --version shows the version.\n";
}

std::string flags(const CLI::App& verb) {
  std::string positional;
  std::string lines;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) positional = " [" + option->get_single_name() + "]";
    lines += fmt::format(fmt::runtime(kLine), flag_name(*option), option->get_description());
  }
  return fmt::format("usage: labreport {}{} [FLAGS]\n{}\n\n{}", verb.get_name(), positional,
                     verb.get_description(), lines);
}

}  // namespace

std::string flag_name(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return names.empty() ? option.get_single_name() : "--" + names.front();
}

std::string Help::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  return app->get_parent() == nullptr ? verbs(*app) : flags(*app);
}

}  // namespace labreport
